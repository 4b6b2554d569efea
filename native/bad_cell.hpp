// What a check of a matrix found that cannot be used: always the first in row order, whatever the number of threads.
#pragma once
#include <cstdint>

namespace tb {

/// The place of a value in a dense matrix.
struct BadCell {
  int64_t row = -1, column = -1;  // -1: nothing was found
  bool found() const { return row >= 0; }
};

/// A stored entry of a sparse matrix.
struct BadEntry : BadCell {
  double value = 0;
  bool outside = false;  // the matrix has no such column; the value may be good
};

}  // namespace tb
