// Encoding of labels: the distinct rows of a matrix of bytes, in the order of their first appearance, or the distinct whole
// numbers of a small range.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "hash.hpp"
#include "simd.hpp"

namespace tb {

/// Distinct rows, found in one pass; `width` bytes make a row, so integers, floats and fixed-width text are all rows.
struct RowCodes {
  std::vector<int64_t> first;  // row at which each distinct value first appears
  std::vector<int32_t> code;   // for each row the number of its value
};

inline uint64_t hash_row(const uint8_t* row, size_t width, uint64_t seed) {
  // Seeded per call: labels chosen by a stranger cannot pile up in one slot.
  uint64_t state = seed ^ 0x9e3779b97f4a7c15ULL;
  size_t at = 0;
  for (; at + 8 <= width; at += 8) {
    uint64_t word;
    std::memcpy(&word, row + at, 8);
    state = mix(state ^ word, 0xa0761d6478bd642fULL ^ seed);
  }
  if (at < width) {
    uint64_t word = 0;
    std::memcpy(&word, row + at, width - at);
    state = mix(state ^ word, 0xe7037ed1a0b428dbULL ^ seed);
  }
  return mix(state, 0x8ebc6af09c88c6e3ULL);
}

inline RowCodes encode_rows(const uint8_t* rows, size_t n, size_t width, uint64_t seed) {
  RowCodes out;
  out.code.resize(n);
  std::vector<int32_t> slots(1024, -1);
  auto place = [&](int64_t row) {
    size_t slot = hash_row(rows + row * width, width, seed) & (slots.size() - 1);
    while (slots[slot] >= 0 && std::memcmp(rows + out.first[slots[slot]] * width, rows + row * width, width) != 0)
      slot = (slot + 1) & (slots.size() - 1);
    return slot;
  };
  for (size_t row = 0; row < n; ++row) {
    if (row > 0 && std::memcmp(rows + row * width, rows + (row - 1) * width, width) == 0) {
      out.code[row] = out.code[row - 1];  // data sorted by label is common
      continue;
    }
    size_t slot = place(static_cast<int64_t>(row));
    if (slots[slot] < 0) {
      if (2 * (out.first.size() + 1) > slots.size()) {
        slots.assign(2 * slots.size(), -1);
        for (size_t label = 0; label < out.first.size(); ++label)
          slots[place(out.first[label])] = static_cast<int32_t>(label);
        slot = place(static_cast<int64_t>(row));
      }
      slots[slot] = static_cast<int32_t>(out.first.size());
      out.first.push_back(static_cast<int64_t>(row));
    }
    out.code[row] = slots[slot];
  }
  return out;
}

/// Distinct whole numbers, ascending, and for each value the number of its own.
struct RangeCodes {
  std::vector<int64_t> distinct;
  std::vector<int32_t> code;
};

TB_INLINE void low_and_high(const int64_t* values, size_t n, int64_t& low, int64_t& high) {
  low = high = values[0];
  for (size_t i = 1; i < n; ++i) {
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
  }
}
inline void low_and_high_baseline(const int64_t* values, size_t n, int64_t& low, int64_t& high) {
  low_and_high(values, n, low, high);
}
TB_AVX2 inline void low_and_high_avx2(const int64_t* values, size_t n, int64_t& low, int64_t& high) {
  low_and_high(values, n, low, high);
}

/// Encode n > 0 values through a table; nothing where they span `limit` numbers or more.
inline std::optional<RangeCodes> encode_range(const int64_t* values, size_t n, uint64_t limit) {
  int64_t low, high;
  (has_avx2() ? low_and_high_avx2 : low_and_high_baseline)(values, n, low, high);
  const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (span >= limit) return std::nullopt;
  RangeCodes out;
  out.code.resize(n);
  std::vector<uint8_t> seen(span + 1, 0);
  for (size_t i = 0; i < n; ++i) {
    const uint64_t place = static_cast<uint64_t>(values[i]) - static_cast<uint64_t>(low);
    seen[place] = 1;
    out.code[i] = static_cast<int32_t>(place);
  }
  std::vector<int32_t> rank(seen.size());
  for (size_t place = 0; place < seen.size(); ++place) {
    rank[place] = static_cast<int32_t>(out.distinct.size());
    if (seen[place]) out.distinct.push_back(low + static_cast<int64_t>(place));
  }
  if (out.distinct.size() < seen.size())  // else the places are the numbers already
    for (int32_t& code : out.code) code = rank[static_cast<size_t>(code)];
  return out;
}

/// How often each code comes; the codes are below n_classes.
inline std::vector<int64_t> count_classes(const int32_t* codes, size_t n, size_t n_classes) {
  // Neighbouring rows count in different tables: adding to one place twice in a row would wait for the first write.
  std::array<std::vector<int64_t>, 4> counts;
  for (auto& each : counts) each.assign(n_classes, 0);
  size_t i = 0;
  for (; i + counts.size() <= n; i += counts.size())
    for (size_t k = 0; k < counts.size(); ++k) ++counts[k][static_cast<size_t>(codes[i + k])];
  for (; i < n; ++i) ++counts[0][static_cast<size_t>(codes[i])];
  for (size_t k = 1; k < counts.size(); ++k)
    for (size_t c = 0; c < n_classes; ++c) counts[0][c] += counts[k][c];
  return std::move(counts[0]);
}

}  // namespace tb
