// Class sums of CSR rows. Work is one addition per stored value, whatever the number of classes; memory follows the cells
// that are not zero. Sums are double and become int64 where every value was whole and every sum stays below 2^53.
#pragma once
#include <array>
#include <atomic>
#include <memory>
#include <optional>

#include "csr.hpp"
#include "parallel.hpp"

namespace tb {

struct CsrCountOptions {
  int32_t classes = 1;
  const double* weights = nullptr;  // one per row, or null: all 1
  bool whole_weights = true;        // weights are whole numbers
  double threshold = 0;             // a row holds the feature where its value is above this
  double least = 0;                 // smallest value allowed
  int threads = 1;
};

/// Cells feature-major; a channel is int64 (exact) or double.
struct CsrCounts {
  Buffer<int64_t> columns, indptr;
  Buffer<int32_t> class_index;
  bool exact = true;
  std::vector<Buffer<int64_t>> whole;       // channels when exact
  std::vector<Buffer<double>> fractional;   // channels when not
  BadEntry bad;
};

/// Rows in order of their class, first come first within a class.
inline std::vector<int64_t> rows_by_class(const int32_t* class_index, size_t rows, int32_t classes) {
  std::vector<int64_t> start(static_cast<size_t>(classes) + 1, 0), order(rows);
  for (size_t i = 0; i < rows; ++i) ++start[static_cast<size_t>(class_index[i]) + 1];
  for (int32_t c = 0; c < classes; ++c) start[c + 1] += start[c];
  for (size_t i = 0; i < rows; ++i) order[start[class_index[i]]++] = static_cast<int64_t>(i);
  return order;
}

/// N channels: occurrences (Σ w x) where has_occurrences, then documents (Σ w [x > threshold]) where there is one more.
template <class Index, bool has_occurrences, bool has_documents>
class CsrCounter {
  static constexpr size_t N = size_t{has_occurrences} + size_t{has_documents};
  using Sums = std::array<double, N>;
  struct Cell {
    Sums sums;
    int32_t class_index;
  };
  struct Slot {  // the running sums of one column, and how many cells its list holds already
    Sums sums;
    int32_t class_index;
    uint32_t cells;
  };
  // A column's cells of one thread: the thread's rows are a range of the class order, so classes ascend in the list.
  struct Lists {
    Buffer<int64_t> start;  // [columns + 1] into cells; empty: column * bound
    size_t bound = 0;
    Buffer<Cell> cells;
    Buffer<Slot> slots;

    Cell* of(int64_t column) { return cells.data() + (bound > 0 ? column * static_cast<int64_t>(bound) : start[column]); }
  };

 public:
  CsrCounter(const CsrView<Index>& matrix, const int32_t* class_index, const CsrCountOptions& options)
      : matrix_(matrix), class_index_(class_index), options_(options) {}

  CsrCounts count() {
    threads_ = std::max(1, std::min<int>(options_.threads, static_cast<int>(std::min<size_t>(matrix_.rows, 1 << 16))));
    // Few classes: rows in their own order into a dense block, which stays in cache; measured faster up to 4.
    dense_ = options_.classes <= 4 && matrix_.columns * options_.classes <= matrix_.indptr[matrix_.rows] + (1 << 20);
    if (!dense_) order_ = rows_by_class(class_index_, matrix_.rows, options_.classes);
    if (dense_)
      cuts_ = balanced_cuts(matrix_.rows, threads_, [&](size_t i) { return matrix_.indptr[i]; });
    else
      cut_order();
    lists_.resize(threads_);
    dense_blocks_.resize(threads_);
    std::vector<RowFacts> facts(threads_);
    run_threads(threads_, [&](int thread) { facts[thread] = dense_ ? count_dense(thread) : count_lists(thread); });
    for (const auto& each : facts) facts_.add(each);
    CsrCounts out;
    if (facts_.bad) {
      out.bad = first_bad(matrix_, options_.least);
      return out;
    }
    collect(out);
    return out;
  }

 private:
  void cut_order() {
    std::vector<int64_t> before(matrix_.rows + 1, 0);
    for (size_t i = 0; i < matrix_.rows; ++i)
      before[i + 1] = before[i] + matrix_.indptr[order_[i] + 1] - matrix_.indptr[order_[i]];
    cuts_ = balanced_cuts(matrix_.rows, threads_, [&](size_t i) { return before[i]; });
  }

  [[gnu::always_inline]] void add(Sums& sums, double weight, double x) const {
    if constexpr (has_occurrences) sums[0] += weight * x;
    if constexpr (has_documents) sums[N - 1] += x > options_.threshold ? weight : 0.0;
  }

  RowFacts count_dense(int thread) {
    const int64_t classes = options_.classes;
    auto& block = dense_blocks_[thread];
    block = Buffer<Sums>(static_cast<size_t>(matrix_.columns * classes), Sums{});
    Sums* const sums = block.data();
    CsrReader<Index> reader(matrix_, options_.least);
    RowFacts facts;
    for (size_t i = cuts_[thread]; i < cuts_[thread + 1]; ++i) {
      const auto row = reader.read(static_cast<int64_t>(i), has_documents);
      facts.add(reader.facts());
      if (facts.bad) break;
      const double weight = options_.weights != nullptr ? options_.weights[i] : 1.0;
      const int64_t c = class_index_[i];
      for (size_t j = 0; j < row.size; ++j) add(sums[static_cast<int64_t>(row.columns[j]) * classes + c], weight, row.values[j]);
    }
    return facts;
  }

  /// Room for every column's list: the number of its classes is at most the thread's, and at most its stored values.
  void reserve(Lists& lists, size_t begin, size_t end) {
    if (begin == end) return;
    const size_t columns = static_cast<size_t>(matrix_.columns);
    const size_t classes = static_cast<size_t>(class_index_[order_[end - 1]] - class_index_[order_[begin]]) + 1;
    size_t stored = 0;
    for (size_t i = begin; i < end; ++i) stored += static_cast<size_t>(matrix_.indptr[order_[i] + 1] - matrix_.indptr[order_[i]]);
    if (columns * classes <= stored) {
      lists.bound = classes;
      lists.cells = Buffer<Cell>(columns * classes);
      return;
    }
    lists.start = Buffer<int64_t>(columns + 1, int64_t{0});
    int64_t* const next = lists.start.data() + 1;
    for (size_t i = begin; i < end; ++i)
      for (int64_t j = matrix_.indptr[order_[i]]; j < matrix_.indptr[order_[i] + 1]; ++j) {
        const int64_t column = static_cast<int64_t>(matrix_.indices[j]);
        if (column >= 0 && column < matrix_.columns) ++next[column];
      }
    for (size_t column = 0; column < columns; ++column)
      next[column] = lists.start[column] + std::min<int64_t>(next[column], static_cast<int64_t>(classes));
    lists.cells = Buffer<Cell>(static_cast<size_t>(lists.start[columns]));
  }

  RowFacts count_lists(int thread) {
    const size_t begin = cuts_[thread], end = cuts_[thread + 1];
    Lists& lists = lists_[thread];
    reserve(lists, begin, end);
    lists.slots = Buffer<Slot>(static_cast<size_t>(matrix_.columns), Slot{{}, -1, 0});
    Slot* const slots = lists.slots.data();
    CsrReader<Index> reader(matrix_, options_.least);
    RowFacts facts;
    for (size_t i = begin; i < end; ++i) {
      const int64_t r = order_[i];
      if (i + 2 < end) reader.prefetch_row(order_[i + 2]);
      const auto row = reader.read(r, has_documents);
      facts.add(reader.facts());
      if (facts.bad) return facts;
      const double weight = options_.weights != nullptr ? options_.weights[r] : 1.0;
      const int32_t c = class_index_[r];
      for (size_t j = 0; j < row.size; ++j) {
        const int64_t column = static_cast<int64_t>(row.columns[j]);
        Slot& slot = slots[column];
        if (slot.class_index != c) {
          if (slot.class_index >= 0) lists.of(column)[slot.cells++] = {slot.sums, slot.class_index};
          slot.sums = Sums{};
          slot.class_index = c;
        }
        add(slot.sums, weight, row.values[j]);
      }
    }
    for (int64_t column = 0; column < matrix_.columns; ++column) {
      Slot& slot = slots[column];
      if (slot.class_index >= 0) lists.of(column)[slot.cells++] = {slot.sums, slot.class_index};
    }
    return facts;
  }

  /// Give every cell of a column, classes ascending, to use(class, sums); cells that are zero are left out.
  template <class Use>
  void cells_of(int64_t column, Use&& use) {
    const auto emit = [&](int32_t c, const Sums& sums) {
      if (std::any_of(sums.begin(), sums.end(), [](double sum) { return sum != 0.0; })) use(c, sums);
    };
    if (dense_) {
      for (int32_t c = 0; c < options_.classes; ++c) {
        Sums sums = dense_blocks_[0][static_cast<size_t>(column * options_.classes + c)];
        for (int t = 1; t < threads_; ++t)
          for (size_t k = 0; k < N; ++k) sums[k] += dense_blocks_[t][static_cast<size_t>(column * options_.classes + c)][k];
        emit(c, sums);
      }
      return;
    }
    Cell open{{}, -1};
    for (Lists& lists : lists_) {
      if (lists.cells.size() == 0) continue;
      const Cell* cell = lists.of(column);
      for (uint32_t k = 0; k < lists.slots[column].cells; ++k, ++cell) {
        if (cell->class_index == open.class_index) {  // a class that two threads share
          for (size_t channel = 0; channel < N; ++channel) open.sums[channel] += cell->sums[channel];
          continue;
        }
        if (open.class_index >= 0) emit(open.class_index, open.sums);
        open = *cell;
      }
    }
    if (open.class_index >= 0) emit(open.class_index, open.sums);
  }

  void collect(CsrCounts& out) {
    constexpr double limit = 9007199254740992.0;  // 2^53
    struct Part {
      int64_t columns = 0, cells = 0;
      double largest = 0;
    };
    const size_t parts = static_cast<size_t>(threads_) * 8;
    const auto first = [&](size_t part) { return matrix_.columns * static_cast<int64_t>(part) / static_cast<int64_t>(parts); };
    std::vector<Part> found(parts), start(parts + 1);
    run_chunks(threads_, parts, [&](size_t part, int) {
      Part seen;
      for (int64_t column = first(part); column < first(part + 1); ++column) {
        const int64_t before = seen.cells;
        cells_of(column, [&](int32_t, const Sums& sums) {
          ++seen.cells;
          for (const double sum : sums) seen.largest = std::max(seen.largest, std::fabs(sum));
        });
        seen.columns += seen.cells > before;
      }
      found[part] = seen;
    });
    for (size_t part = 0; part < parts; ++part) {
      start[part + 1].columns = start[part].columns + found[part].columns;
      start[part + 1].cells = start[part].cells + found[part].cells;
      out.exact &= found[part].largest < limit;
    }
    // Documents of whole weights are whole even where the values are not, but one tally is of one kind.
    out.exact &= options_.whole_weights && !(has_occurrences && facts_.fractional);
    const size_t columns = static_cast<size_t>(start[parts].columns), cells = static_cast<size_t>(start[parts].cells);
    out.columns = Buffer<int64_t>(columns);
    out.indptr = Buffer<int64_t>(columns + 1);
    out.indptr[0] = 0;
    out.class_index = Buffer<int32_t>(cells);
    for (size_t k = 0; k < N; ++k) {
      if (out.exact)
        out.whole.emplace_back(cells);
      else
        out.fractional.emplace_back(cells);
    }
    run_chunks(threads_, parts, [&](size_t part, int) {
      int64_t row = start[part].columns, at = start[part].cells;
      for (int64_t column = first(part); column < first(part + 1); ++column) {
        const int64_t before = at;
        cells_of(column, [&](int32_t c, const Sums& sums) {
          out.class_index[at] = c;
          for (size_t k = 0; k < N; ++k) {
            if (out.exact)
              out.whole[k][at] = static_cast<int64_t>(sums[k]);
            else
              out.fractional[k][at] = sums[k];
          }
          ++at;
        });
        if (at > before) {
          out.columns[row] = column;
          out.indptr[++row] = at;
        }
      }
    });
  }

  const CsrView<Index>& matrix_;
  const int32_t* class_index_;
  const CsrCountOptions& options_;
  int threads_ = 1;
  bool dense_ = false;
  std::vector<int64_t> order_;
  std::vector<size_t> cuts_;
  std::vector<Lists> lists_;
  std::vector<Buffer<Sums>> dense_blocks_;
  RowFacts facts_;
};
}  // namespace tb
