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
  // Sums of every column and some classes. Few classes: a column's classes side by side, rows in their own order. More:
  // class by class, rows in class order, so that what is written to stays in cache.
  struct Block {
    int32_t first = 0, classes = 0;
    int64_t column_step = 0, class_step = 0;
    Buffer<Sums> sums;

    Sums& at(int64_t column, int32_t c) { return sums[static_cast<size_t>(column * column_step + (c - first) * class_step)]; }
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
    const int64_t columns = matrix_.columns, stored = matrix_.indptr[matrix_.rows];
    dense_ = columns * options_.classes <= stored / 2 + (1 << 20);
    side_by_side_ = dense_ && options_.classes <= 4;  // measured
    if (!side_by_side_) order_ = rows_by_class(class_index_, matrix_.rows, options_.classes);
    cut_rows();
    lists_.resize(threads_);
    blocks_.resize(threads_);
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
  int64_t row(size_t i) const { return side_by_side_ ? static_cast<int64_t>(i) : order_[i]; }

  void cut_rows() {
    std::vector<int64_t> before(matrix_.rows + 1, 0);
    for (size_t i = 0; i < matrix_.rows; ++i) before[i + 1] = before[i] + matrix_.indptr[row(i) + 1] - matrix_.indptr[row(i)];
    cuts_ = balanced_cuts(matrix_.rows, threads_, [&](size_t i) { return before[i]; });
  }

  [[gnu::always_inline]] void add(Sums& sums, double weight, double x) const {
    if constexpr (has_occurrences) sums[0] += weight * x;
    if constexpr (has_documents) sums[N - 1] += x > options_.threshold ? weight : 0.0;
  }

  RowFacts count_dense(int thread) {
    const size_t begin = cuts_[thread], end = cuts_[thread + 1];
    if (begin == end) return {};
    Block& block = blocks_[thread];
    block.first = side_by_side_ ? 0 : class_index_[row(begin)];
    block.classes = (side_by_side_ ? options_.classes : class_index_[row(end - 1)] + 1) - block.first;
    block.column_step = side_by_side_ ? block.classes : 1;
    block.class_step = side_by_side_ ? 1 : matrix_.columns;
    block.sums = Buffer<Sums>(static_cast<size_t>(matrix_.columns * block.classes), Sums{});
    const int64_t step = block.column_step;
    return each_row(begin, end, [&](int32_t c, double weight, const auto& row) {
      Sums* const sums = block.sums.data() + (c - block.first) * block.class_step;
      for (size_t j = 0; j < row.size; ++j) add(sums[static_cast<int64_t>(row.columns[j]) * step], weight, row.values[j]);
    });
  }

  /// use(class, weight, row) for the thread's rows; stops at a row that is refused.
  template <class Use>
  RowFacts each_row(size_t begin, size_t end, Use&& use) {
    CsrReader<Index> reader(matrix_, options_.least);
    RowFacts facts;
    for (size_t i = begin; i < end; ++i) {
      const int64_t r = row(i);
      if (!side_by_side_ && i + 1 < end) reader.prefetch_row(row(i + 1));
      const auto entries = reader.read(r, has_documents);
      facts.add(reader.facts());
      if (facts.bad) break;
      use(class_index_[r], options_.weights != nullptr ? options_.weights[r] : 1.0, entries);
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
    const RowFacts facts = each_row(begin, end, [&](int32_t c, double weight, const auto& row) {
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
    });
    if (facts.bad) return facts;
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
        Sums sums{};
        for (Block& block : blocks_)
          if (c >= block.first && c < block.first + block.classes)
            for (size_t k = 0; k < N; ++k) sums[k] += block.at(column, c)[k];
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
  bool dense_ = false, side_by_side_ = false;
  std::vector<int64_t> order_;
  std::vector<size_t> cuts_;
  std::vector<Lists> lists_;
  std::vector<Block> blocks_;
  RowFacts facts_;
};
}  // namespace tb
