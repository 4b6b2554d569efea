// The class of the largest joint score, row by row.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "parallel.hpp"
#include "simd.hpp"

namespace tb {

/// The largest score so far of four rows, its class, and the largest of all others.
struct Leaders {
  Pack top, second = spread(-std::numeric_limits<double>::infinity());
  PackMask choice{};

  TB_INLINE void add(Pack scores, int64_t c) {
    const PackMask above = scores > top;
    second = above ? top : scores > second ? scores : second;
    top = above ? scores : top;
    choice = above ? PackMask{c, c, c, c} : choice;
  }
};

/// Rows begin … end of `largest`; four rows at a time, a lane each.
TB_INLINE void largest_range(const double* joint, int64_t begin, int64_t end, int64_t n_classes, double margin,
                             int64_t* choice, std::vector<int64_t>& open) {
  for (int64_t i = begin; i < end; i += kLanes) {
    const double* row[kLanes];  // the last row stands in for rows that are not there
    for (int64_t r = 0; r < kLanes; ++r) row[r] = joint + std::min(i + r, end - 1) * n_classes;
    const auto column = [&](int64_t c) { return Pack{row[0][c], row[1][c], row[2][c], row[3][c]}; };
    Leaders leaders{column(0)};
    int64_t c = 1;
    for (; c + kLanes <= n_classes; c += kLanes) {
      Pack a = load(row[0] + c), b = load(row[1] + c), d = load(row[2] + c), e = load(row[3] + c);
      transpose(a, b, d, e);
      leaders.add(a, c);
      leaders.add(b, c + 1);
      leaders.add(d, c + 2);
      leaders.add(e, c + 3);
    }
    for (; c < n_classes; ++c) leaders.add(column(c), c);
    const Pack limit = leaders.top - margin;
    const PackMask settled = (leaders.top > limit) & ~(leaders.second > limit);  // inf - margin = inf: not above it
    for (int64_t r = 0; r < std::min(kLanes, end - i); ++r) {
      choice[i + r] = leaders.choice[r];
      if (!settled[r]) open.push_back(i + r);
    }
  }
}

inline void largest_baseline(const double* joint, int64_t begin, int64_t end, int64_t n_classes, double margin,
                             int64_t* choice, std::vector<int64_t>& open) {
  largest_range(joint, begin, end, n_classes, margin, choice, open);
}
TB_AVX2 inline void largest_avx2(const double* joint, int64_t begin, int64_t end, int64_t n_classes, double margin,
                                 int64_t* choice, std::vector<int64_t>& open) {
  largest_range(joint, begin, end, n_classes, margin, choice, open);
}

/// Write the first largest class of each row and return the rows that this does not settle: another class comes within
/// `margin` (rounding of the probabilities may then decide), or the largest score is not finite.
inline std::vector<int64_t> largest(const double* joint, int64_t n, int64_t n_classes, double margin, int n_threads,
                                    int64_t* choice) {
  n_threads = static_cast<int>(std::clamp<int64_t>(n_threads, 1, std::max<int64_t>(n * n_classes >> 16, 1)));
  std::vector<std::vector<int64_t>> open(static_cast<size_t>(n_threads));
  run_threads(n_threads, [&](int t) {
    (has_avx2() ? largest_avx2 : largest_baseline)(joint, n * t / n_threads, n * (t + 1) / n_threads, n_classes, margin,
                                                   choice, open[t]);
  });
  for (int t = 1; t < n_threads; ++t) open[0].insert(open[0].end(), open[t].begin(), open[t].end());
  return std::move(open[0]);
}

}  // namespace tb
