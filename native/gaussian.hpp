// Joint log scores of Gaussian columns: base_c + Σ_j a_cj (x_j - m_cj)² (+ l_cj where columns may be missing).
//
// The squares are centred as written: multiplied out they would cancel for large means. Eight rows are turned into
// columns of a small scratch, so that a lane is a row and its sum runs over the columns in their order.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "moments.hpp"

namespace tb {

/// What to add up, [K][d] each; constant[c][j] only counts where column j is there, else it belongs into the base.
struct GaussianTable {
  int64_t n_classes, n_columns;
  const double *mean, *factor, *constant, *base;  // constant may be null
};

constexpr int64_t kRowsAtOnce = 2 * kLanes;
constexpr int64_t kClassesAtOnce = 5;  // ten sums, two values, a mean, a factor and a square fill sixteen registers

/// The table as the loop reads it: by class block, in a block by column, in a column mean …, factor … (, constant …).
inline std::vector<double> gaussian_layout(const GaussianTable& table) {
  const int64_t K = table.n_classes, d = table.n_columns;
  std::vector<double> layout;
  layout.reserve(static_cast<size_t>(K * d * (table.constant ? 3 : 2)));
  for (int64_t begin = 0; begin < K; begin += kClassesAtOnce) {
    const int64_t end = std::min(begin + kClassesAtOnce, K);
    for (int64_t j = 0; j < d; ++j)
      for (const double* part : {table.mean, table.factor, table.constant})
        if (part)
          for (int64_t c = begin; c < end; ++c) layout.push_back(part[c * d + j]);
  }
  return layout;
}

/// Eight rows as columns[j][8]; the last row stands in for rows that are not there.
template <class T>
TB_INLINE void gather_columns(const T* x, int64_t n, int64_t d, double* columns) {
  for (int64_t half = 0; half < kRowsAtOnce; half += kLanes) {
    const T* row[kLanes];
    for (int64_t r = 0; r < kLanes; ++r) row[r] = x + std::min(half + r, n - 1) * d;
    int64_t j = 0;
    for (; j + kLanes <= d; j += kLanes) {
      Pack a = load(row[0] + j), b = load(row[1] + j), c = load(row[2] + j), e = load(row[3] + j);
      transpose(a, b, c, e);
      double* to = columns + j * kRowsAtOnce + half;
      store(to, a);
      store(to + kRowsAtOnce, b);
      store(to + 2 * kRowsAtOnce, c);
      store(to + 3 * kRowsAtOnce, e);
    }
    for (; j < d; ++j)
      for (int64_t r = 0; r < kLanes; ++r) columns[j * kRowsAtOnce + half + r] = static_cast<double>(row[r][j]);
  }
}

/// Scores of eight rows for `width` classes, sums[class][8]. False: a score is not finite.
template <bool kMissing, int width>
TB_INLINE bool score_classes(const double* columns, int64_t d, const double* entry, const double* base, double* out) {
  Pack sums[width][2];
  for (int c = 0; c < width; ++c) sums[c][0] = sums[c][1] = spread(base[c]);
  for (int64_t j = 0; j < d; ++j, entry += (kMissing ? 3 : 2) * width) {
    const Pack value[2] = {load(columns + j * kRowsAtOnce), load(columns + j * kRowsAtOnce + kLanes)};
    for (int c = 0; c < width; ++c) {
      const Pack mean = spread(entry[c]), factor = spread(entry[width + c]);
      for (int half = 0; half < 2; ++half) {
        const Pack away = value[half] - mean;
        Pack term = away * away * factor;
        if constexpr (kMissing) term = keep(value[half] == value[half], term + spread(entry[2 * width + c]));
        sums[c][half] += term;
      }
    }
  }
  bool finite = true;
  for (int c = 0; c < width; ++c)
    for (int half = 0; half < 2; ++half) {
      finite = finite && !any(!(sums[c][half] >= spread(std::numeric_limits<double>::lowest())));
      store(out + c * kRowsAtOnce + half * kLanes, sums[c][half]);
    }
  return finite;
}

/// Scores of rows begin … end; false: a score is not finite, the values must be looked at.
template <bool kMissing, class T>
TB_INLINE bool score_range(const DenseRows<T>& rows, int64_t begin, int64_t end, int64_t K, const double* layout,
                           const double* base, double* columns, double* out) {
  const int64_t d = rows.d;
  double* sums = columns + d * kRowsAtOnce;
  bool finite = true;
  for (int64_t i = begin; i < end; i += kRowsAtOnce) {
    const int64_t n = std::min(kRowsAtOnce, end - i);
    gather_columns(rows.row(i), n, d, columns);
    const double* entry = layout;
    for (int64_t c = 0; c < K; c += kClassesAtOnce) {
      double* to = sums + c * kRowsAtOnce;
      const int64_t width = std::min(kClassesAtOnce, K - c);
      switch (width) {
        case 1: finite &= score_classes<kMissing, 1>(columns, d, entry, base + c, to); break;
        case 2: finite &= score_classes<kMissing, 2>(columns, d, entry, base + c, to); break;
        case 3: finite &= score_classes<kMissing, 3>(columns, d, entry, base + c, to); break;
        case 4: finite &= score_classes<kMissing, 4>(columns, d, entry, base + c, to); break;
        default: finite &= score_classes<kMissing, 5>(columns, d, entry, base + c, to);
      }
      entry += (kMissing ? 3 : 2) * width * d;
    }
    for (int64_t r = 0; r < n; ++r)
      for (int64_t c = 0; c < K; ++c) out[(i + r) * K + c] = sums[c * kRowsAtOnce + r];
  }
  return finite;
}

template <bool kMissing, class T>
bool score_range_baseline(const DenseRows<T>& rows, int64_t begin, int64_t end, int64_t K, const double* layout,
                          const double* base, double* columns, double* out) {
  return score_range<kMissing>(rows, begin, end, K, layout, base, columns, out);
}

template <bool kMissing, class T>
TB_AVX2 bool score_range_avx2(const DenseRows<T>& rows, int64_t begin, int64_t end, int64_t K, const double* layout,
                              const double* base, double* columns, double* out) {
  return score_range<kMissing>(rows, begin, end, K, layout, base, columns, out);
}

template <bool kMissing, class T>
TB_AVX512 bool score_range_avx512(const DenseRows<T>& rows, int64_t begin, int64_t end, int64_t K, const double* layout,
                                  const double* base, double* columns, double* out) {
  return score_range<kMissing>(rows, begin, end, K, layout, base, columns, out);
}

template <bool kMissing, class T>
auto choose_score() {
  return has_avx512() ? score_range_avx512<kMissing, T>
         : has_avx2() ? score_range_avx2<kMissing, T>
                      : score_range_baseline<kMissing, T>;
}

/// Scores [n][K] of dense rows; returns the first value that cannot be used.
template <class T>
BadCell gaussian_scores(const DenseRows<T>& rows, const GaussianTable& table, int n_threads, double* out) {
  const bool missing = table.constant != nullptr;
  const std::vector<double> layout = gaussian_layout(table);
  auto* score = missing ? choose_score<true, T>() : choose_score<false, T>();
  n_threads = static_cast<int>(std::clamp<int64_t>(n_threads, 1, std::max<int64_t>(rows.n / 256, 1)));
  std::vector<char> finite(static_cast<size_t>(n_threads), 1);
  run_threads(n_threads, [&](int t) {
    std::vector<double> scratch(static_cast<size_t>((rows.d + table.n_classes) * kRowsAtOnce));
    finite[t] = score(rows, rows.n * t / n_threads, rows.n * (t + 1) / n_threads, table.n_classes, layout.data(),
                      table.base, scratch.data(), out);
  });
  for (char each : finite)
    if (!each) return first_unusable(rows, missing);
  return {};
}

}  // namespace tb
