// The class of the largest joint score, row by row.
#pragma once
#include <cstdint>
#include <vector>

namespace tb {

/// Writes the first largest class of each row and returns the rows that this does not settle: another class comes within
/// `margin` (rounding of the probabilities may then decide), or the largest score is not finite.
inline std::vector<int64_t> largest(const double* joint, int64_t n, int64_t n_classes, double margin, int64_t* choice) {
  std::vector<int64_t> open;
  for (int64_t i = 0; i < n; ++i) {
    const double* row = joint + i * n_classes;
    double top = row[0];
    int64_t at = 0;
    for (int64_t c = 1; c < n_classes; ++c) {
      at = row[c] > top ? c : at;
      top = row[c] > top ? row[c] : top;
    }
    choice[i] = at;
    int64_t near = 0;
    const double limit = top - margin;
    for (int64_t c = 0; c < n_classes; ++c) near += row[c] > limit;
    if (near != 1) open.push_back(i);  // inf - margin = inf: nothing is above it
  }
  return open;
}

}  // namespace tb
