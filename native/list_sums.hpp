// Class sums of CSR rows with a place for every cell that is not zero, where there are many classes.
#pragma once
#include "class_rows.hpp"

namespace tb {

template <class Index, class Channels>
class ListSums {
  using Sums = typename Channels::Sums;
  struct Cell {
    Index column;
    int32_t class_index;
    Sums sums;
  };

 public:
  ListSums(const CsrView<Index>& matrix, const int32_t* class_index, const CsrCountOptions& options)
      : options_(options), parts_(matrix.columns), rows_(matrix, class_index, options),
        cells_(static_cast<size_t>(options.threads)) {}

  RowFacts count() {
    return rows_.all([&](int thread) {
      auto& cells = cells_[static_cast<size_t>(thread)];
      cells.resize(parts_.size());
      // The sums of one class, and the columns that are not zero (and some that are, when zeros are stored).
      Zeros<Sums> sums(static_cast<size_t>(parts_.columns));
      std::vector<Index> filled;
      size_t n = 0;
      int32_t current = -1;
      const auto close = [&] {
        for (size_t k = 0; k < n; ++k) {
          Sums& sum = sums[static_cast<size_t>(filled[k])];
          if (!Channels::empty(sum)) cells[static_cast<size_t>(filled[k] >> parts_.shift)].push_back({filled[k], current, sum});
          sum = Sums{};
        }
        n = 0;
      };
      const RowFacts facts = rows_.each(thread, [&](int32_t c, auto weight, const auto& row) {
        if (c != current) close();
        current = c;
        if (filled.size() < n + row.size) filled.resize(2 * (n + row.size));
        for (size_t j = 0; j < row.size; ++j) {
          Sums& sum = sums[static_cast<size_t>(row.columns[j])];
          filled[n] = row.columns[j];
          n += Channels::empty(sum);
          Channels::add(sum, weight, row.values[j], options_.threshold);
        }
      });
      close();
      return facts;
    });
  }

  /// As in DenseSums.
  template <class Use>
  void cells(const ColumnParts&, size_t part, Use&& use) const {
    for (const auto& of_thread : cells_)
      if (!of_thread.empty())
        for (const Cell& cell : of_thread[part]) use(static_cast<int64_t>(cell.column), cell.class_index, cell.sums);
  }

 private:
  const CsrCountOptions& options_;
  ColumnParts parts_;
  ClassRows<Index, Channels> rows_;
  std::vector<std::vector<Buffer<Cell>>> cells_;  // of each thread, by part of the columns
};
}  // namespace tb
