// The arrays of ascending features as the kernel's view of them.
#pragma once
#include "arrays.hpp"
#include "checks.hpp"
#include "feature_list.hpp"

namespace tb::bind {

inline TextFeatures text_features(const In<uint8_t>& bytes, const In<int64_t>& offsets) {
  check_offsets(offsets.data(), offsets.size(), bytes.size(), "offsets");
  return {bytes.data(), offsets.data(), offsets.size() - 1};
}
}  // namespace tb::bind
