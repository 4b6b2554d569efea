// A dense matrix as the caller holds it.
#pragma once
#include <cstdint>

namespace tb {

/// n rows of d values, one row after the other.
template <class T>
struct DenseRows {
  const T* data;
  int64_t n, d;
  const T* row(int64_t i) const { return data + i * d; }
};

}  // namespace tb
