// Encoding of labels: the distinct rows of a matrix of bytes, in the order of their first appearance.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

namespace tb {

/// Distinct rows, found in one pass; `width` bytes make a row, so integers, floats and fixed-width text are all rows.
struct RowCodes {
  std::vector<int64_t> first;  // row at which each distinct value first appears
  std::vector<int32_t> code;   // for each row the number of its value
};

inline uint64_t hash_row(const uint8_t* row, size_t width, uint64_t seed) {
  // Folded multiplication (as in wyhash), seeded per call: labels chosen by a stranger cannot pile up in one slot.
  auto mix = [](uint64_t a, uint64_t b) {
    const __uint128_t product = static_cast<__uint128_t>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  };
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

}  // namespace tb
