// Checks that keep a wrong array from becoming a wild read. Each throws std::invalid_argument (ValueError in Python).
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

namespace tb {

/// offsets[0] = 0, never falling, offsets[n] = total.
template <class Offset>
void check_offsets(const Offset* offsets, size_t size, size_t total, const char* name) {
  auto wrong = [&](const char* what) { throw std::invalid_argument(std::string(name) + " " + what); };
  if (size == 0 || offsets[0] != 0) wrong("must start with 0");
  for (size_t i = 1; i < size; ++i)
    if (offsets[i] < offsets[i - 1]) wrong("must not fall");
  if (static_cast<uint64_t>(offsets[size - 1]) != total) wrong("must end with the number of values");
}

inline void check_below(const int32_t* values, size_t size, int64_t bound, const char* name) {
  bool wrong = false;
  for (size_t i = 0; i < size; ++i) wrong |= values[i] < 0 || values[i] >= bound;
  if (wrong) throw std::invalid_argument(std::string(name) + " out of range");
}

inline void check_size(size_t size, size_t wanted, const char* name) {
  if (size != wanted)
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(size) + " values, expected " +
                                std::to_string(wanted));
}
}  // namespace tb
