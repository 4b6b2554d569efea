// Checks of features and cells that come from outside, before any loop relies on them.
#pragma once
#include <string_view>

#include "checks.hpp"
#include "documents.hpp"

namespace tb {

/// Each feature is UTF-8 on its own, and greater than the one before it as unsigned bytes.
inline void check_text_features(const uint8_t* bytes, size_t n_bytes, const int64_t* offsets, size_t n_offsets) {
  check_offsets(offsets, n_offsets, n_bytes, "the offsets of the features");
  const auto* text = reinterpret_cast<const char*>(bytes);
  std::string_view before;
  for (size_t i = 0; i + 1 < n_offsets; ++i) {
    const std::string_view feature(text + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i]));
    if (utf8_error(feature.data(), feature.size()) != feature.size())
      throw std::invalid_argument("a feature is not UTF-8");
    if (i > 0 && feature <= before) throw std::invalid_argument("the features do not ascend");
    before = feature;
  }
}

/// Each feature has cells, whose classes ascend and lie in 0 … n_classes - 1.
inline void check_cells(const int64_t* indptr, size_t n_indptr, const int32_t* class_index, size_t n_cells,
                        int64_t n_classes) {
  check_offsets(indptr, n_indptr, n_cells, "indptr");
  for (size_t i = 0; i + 1 < n_indptr; ++i) {
    if (indptr[i] == indptr[i + 1]) throw std::invalid_argument("a feature has no cell");
    int64_t before = -1;
    for (int64_t cell = indptr[i]; cell < indptr[i + 1]; ++cell) {
      if (class_index[cell] < 0 || class_index[cell] >= n_classes)
        throw std::invalid_argument("a cell belongs to none of the " + std::to_string(n_classes) + " classes");
      if (class_index[cell] <= before) throw std::invalid_argument("the classes of a feature do not ascend");
      before = class_index[cell];
    }
  }
}

}  // namespace tb
