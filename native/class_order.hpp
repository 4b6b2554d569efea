// Rows in the order of their classes: sums of one class after the other write to little memory at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tb {

/// The rows sorted by class; those of one class stay in their own order.
inline std::vector<int64_t> rows_by_class(const int32_t* class_index, size_t rows, size_t classes) {
  std::vector<int64_t> start(classes + 1, 0), order(rows);
  for (size_t i = 0; i < rows; ++i) ++start[static_cast<size_t>(class_index[i]) + 1];
  for (size_t c = 0; c < classes; ++c) start[c + 1] += start[c];
  for (size_t i = 0; i < rows; ++i) order[static_cast<size_t>(start[class_index[i]]++)] = static_cast<int64_t>(i);
  return order;
}

}  // namespace tb
