// Ascending features, text or column numbers: as the caller holds them, and as a result grows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "memory.hpp"

namespace tb {

/// Features that are byte strings: bytes[offsets[i] .. offsets[i+1]), strictly ascending as unsigned bytes.
struct TextFeatures {
  const uint8_t* bytes = nullptr;
  const int64_t* offsets = nullptr;
  size_t count = 0;

  std::string_view operator[](size_t i) const {
    return {reinterpret_cast<const char*>(bytes) + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i])};
  }
  static int compare(std::string_view a, std::string_view b) { return a.compare(b); }
};

/// Features that are column numbers, strictly ascending.
struct ColumnFeatures {
  const int64_t* columns = nullptr;
  size_t count = 0;

  int64_t operator[](size_t i) const { return columns[i]; }
  static int compare(int64_t a, int64_t b) { return (a > b) - (a < b); }
};

struct TextFeatureList {
  Buffer<uint8_t> bytes;
  Buffer<int64_t> offsets;

  TextFeatureList() { offsets.push_back(0); }
  void append(std::string_view feature) {
    bytes.append(reinterpret_cast<const uint8_t*>(feature.data()), feature.size());
    offsets.push_back(static_cast<int64_t>(bytes.size()));
  }
};

struct ColumnFeatureList {
  Buffer<int64_t> columns;
  void append(int64_t column) { columns.push_back(column); }
};

}  // namespace tb
