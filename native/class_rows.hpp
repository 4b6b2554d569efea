// The rows of a CSR matrix as class sums need them: in class order, divided among threads, checked.
#pragma once
#include <array>
#include <type_traits>

#include "class_order.hpp"
#include "csr.hpp"
#include "parallel.hpp"

namespace tb {

struct CsrCountOptions {
  int32_t classes;
  const double* weights;  // one per row, or null: all 1
  bool whole_weights;     // weights are whole numbers
  double threshold;       // a row holds the feature where its value is above this
  double least;           // smallest value allowed
  int64_t spare;          // places for cells that may be laid out whatever the number of stored values
  int threads;
};
constexpr int64_t usual_spare = int64_t{1} << 20;

/// What is summed in a cell: occurrences (Σ w x) where wanted, then documents (Σ w [x > threshold]) where wanted. In
/// double, or in uint32 as long as all is whole and small: that halves the memory that is written to at random.
template <class Value, bool has_occurrences, bool has_documents>
struct Channels {
  static constexpr bool whole = std::is_same_v<Value, uint32_t>;
  static constexpr bool documents = has_documents;
  static constexpr size_t N = size_t{has_occurrences} + size_t{has_documents};
  using Number = Value;
  using Sums = std::array<Number, N>;

  static TB_INLINE void add(Sums& sums, Number weight, Number x, double threshold) {
    if constexpr (has_occurrences) sums[0] += weight * x;
    if constexpr (has_documents) sums[N - 1] += static_cast<double>(x) > threshold ? weight : Number{0};
  }
  static TB_INLINE bool empty(const Sums& sums) {
    bool any = false;
    for (const Number sum : sums) any |= sum != 0;
    return !any;
  }
};

/// The columns in equal ranges, a power of two wide: few enough to write to all of them in turn, narrow enough for what
/// is kept per column of a range to stay in cache.
struct ColumnParts {
  explicit ColumnParts(int64_t columns)
      : columns(columns), shift(std::max<int>(0, std::bit_width(static_cast<uint64_t>(columns)) - 6)) {}

  size_t size() const { return static_cast<size_t>((columns + width() - 1) >> shift); }
  int64_t width() const { return int64_t{1} << shift; }
  int64_t begin(size_t part) const { return static_cast<int64_t>(part) << shift; }
  int64_t end(size_t part) const { return std::min(columns, begin(part + 1)); }

  int64_t columns;
  int shift;
};

template <class Index, class Channels>
class ClassRows {
 public:
  using Number = typename Channels::Number;

  ClassRows(const CsrView<Index>& matrix, const int32_t* class_index, const CsrCountOptions& options)
      : matrix_(matrix), class_index_(class_index), options_(options),
        order_(rows_by_class(class_index, matrix.rows, static_cast<size_t>(options.classes))) {
    if (options.threads == 1) {
      cuts_ = {0, matrix.rows};
      return;
    }
    std::vector<int64_t> before(matrix.rows + 1, 0);
    for (size_t i = 0; i < matrix.rows; ++i) before[i + 1] = before[i] + stored(i);
    cuts_ = balanced_cuts(matrix.rows, static_cast<size_t>(options.threads), [&](size_t i) { return before[i]; });
  }

  int64_t row(size_t i) const { return order_[i]; }
  int32_t class_of(size_t i) const { return class_index_[row(i)]; }
  int64_t stored(size_t i) const { return matrix_.indptr[row(i) + 1] - matrix_.indptr[row(i)]; }
  const CsrView<Index>& matrix() const { return matrix_; }
  size_t begin(int thread) const { return cuts_[thread]; }
  size_t end(int thread) const { return cuts_[thread + 1]; }

  /// use(class, weight, row) for the thread's rows; stops at a row that cannot be summed in Number, which is `bad`.
  template <class Use>
  RowFacts each(int thread, Use&& use) const {
    CsrReader<Index> reader(matrix_, options_.least);
    RowFacts facts;
    double bound = 0;  // of every sum
    for (size_t i = begin(thread); i < end(thread) && !facts.bad; ++i) {
      look_ahead(reader, i, end(thread));
      const int64_t r = row(i);
      const double weight = options_.weights != nullptr ? options_.weights[r] : 1.0;
      if constexpr (Channels::whole) {
        const auto entries = reader.read_whole(r, Channels::documents);
        bound += weight * std::max(reader.seen(), 1.0);
        facts.add(reader.facts());
        facts.bad |= !(weight >= 0) || bound > std::numeric_limits<uint32_t>::max();
        if (!facts.bad) use(class_index_[r], static_cast<uint32_t>(weight), entries);
      } else {
        const auto entries = reader.read(r, Channels::documents);
        facts.add(reader.facts());
        if (!facts.bad) use(class_index_[r], weight, entries);
      }
    }
    return facts;
  }

  /// The same on all threads.
  template <class Use>
  RowFacts all(Use&& count) const {
    std::vector<RowFacts> found(cuts_.size() - 1);
    run_threads(static_cast<int>(found.size()), [&](int thread) { found[thread] = count(thread); });
    RowFacts facts;
    for (const auto& each : found) facts.add(each);
    return facts;
  }

 private:
  /// Rows in class order lie apart: prefetch those that come soon, and before that what says where they are.
  void look_ahead(const CsrReader<Index>& reader, size_t i, size_t end) const {
    constexpr size_t near = 4, far = 16;
    if (i + near < end) reader.prefetch_row(row(i + near));
    if (i + far >= end) return;
    prefetch(matrix_.indptr + row(i + far));
    prefetch(class_index_ + row(i + far));
    if (options_.weights != nullptr) prefetch(options_.weights + row(i + far));
  }

  const CsrView<Index>& matrix_;
  const int32_t* class_index_;
  const CsrCountOptions& options_;
  std::vector<int64_t> order_;
  std::vector<size_t> cuts_;
};
}  // namespace tb
