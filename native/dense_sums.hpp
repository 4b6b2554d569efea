// Class sums of CSR rows with a place for every column and class.
#pragma once
#include "class_rows.hpp"

namespace tb {

template <class Index, class Channels>
class DenseSums {
  using Sums = typename Channels::Sums;
  // Sums of every column and some classes, class by class: the rows come in class order, so that what is written to
  // stays in cache.
  struct Block {
    int32_t first = 0, classes = 0;
    Zeros<Sums> sums;
  };

 public:
  DenseSums(const CsrView<Index>& matrix, const int32_t* class_index, const CsrCountOptions& options)
      : options_(options), columns_(matrix.columns), rows_(matrix, class_index, options),
        blocks_(static_cast<size_t>(options.threads)) {}

  /// Worth it while there are not many more places than stored values.
  static bool fits(const CsrView<Index>& matrix, const CsrCountOptions& options) {
    return matrix.columns * options.classes <= matrix.indptr[matrix.rows] / 2 + options.spare;
  }

  RowFacts count() {
    return rows_.all([&](int thread) {
      const size_t begin = rows_.begin(thread), end = rows_.end(thread);
      if (begin == end) return RowFacts{};
      Block& block = blocks_[static_cast<size_t>(thread)];
      block.first = rows_.class_of(begin);
      block.classes = rows_.class_of(end - 1) + 1 - block.first;
      block.sums = Zeros<Sums>(static_cast<size_t>(columns_ * block.classes));
      return rows_.each(thread, [&](int32_t c, auto weight, const auto& row) {
        Sums* const sums = &block.sums[static_cast<size_t>((c - block.first) * columns_)];
        for (size_t j = 0; j < row.size; ++j) Channels::add(sums[row.columns[j]], weight, row.values[j], options_.threshold);
      });
    });
  }

  /// use(column, class, sums) for the cells of the columns of a part; classes ascend, one that two threads share comes twice.
  template <class Use>
  void cells(const ColumnParts& parts, size_t part, Use&& use) const {
    for (const Block& block : blocks_)
      for (int32_t c = 0; c < block.classes; ++c) {
        const Sums* const sums = &block.sums[static_cast<size_t>(c * columns_)];
        for (int64_t column = parts.begin(part); column < parts.end(part); ++column)
          if (!Channels::empty(sums[column])) use(column, block.first + c, sums[column]);
      }
  }

 private:
  const CsrCountOptions& options_;
  int64_t columns_;
  ClassRows<Index, Channels> rows_;
  std::vector<Block> blocks_;
};
}  // namespace tb
