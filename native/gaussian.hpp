// Joint log scores of Gaussian columns: base_c + Σ_j a_cj (x_j - m_cj)² (+ l_cj where columns may be missing).
//
// The squares are centred as written: multiplied out they would cancel for large means. Some rows are turned into columns
// of a small scratch, so that a lane is a row and its sum runs over the columns in their order.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "moments.hpp"

namespace tb {

/// What to add up, [K][d] each; constant[c][j] only counts where column j is there, else it belongs in the base.
struct GaussianTable {
  int64_t n_classes, n_columns;
  const double *mean, *factor, *constant, *base;  // constant may be null
};

/// How many rows and classes a processor adds up at a time, so that all sums stay in its registers: two vectors of rows
/// for every class. Whatever they are, a lane is a row: every shape gives the same bits.
template <int lanes_, int classes_>
struct Shape {
  static constexpr int lanes = lanes_, rows = 2 * lanes_, classes = classes_;
  typedef double Vector __attribute__((vector_size(8 * lanes_)));
  typedef int64_t Mask __attribute__((vector_size(8 * lanes_)));
};
using Narrow = Shape<4, 5>;  // ten sums, two values, a mean, a factor and a square fill sixteen registers
using Wide = Shape<8, 10>;   // thirty-two registers

/// The table as the loop reads it: by class block, in a block by column, in a column mean …, factor … (, constant …).
inline std::vector<double> gaussian_layout(const GaussianTable& table, int64_t classes_at_once) {
  const int64_t K = table.n_classes, d = table.n_columns;
  std::vector<double> layout;
  layout.reserve(static_cast<size_t>(K * d * (table.constant ? 3 : 2)));
  for (int64_t begin = 0; begin < K; begin += classes_at_once) {
    const int64_t end = std::min(begin + classes_at_once, K);
    for (int64_t j = 0; j < d; ++j)
      for (const double* part : {table.mean, table.factor, table.constant})
        if (part)
          for (int64_t c = begin; c < end; ++c) layout.push_back(part[c * d + j]);
  }
  return layout;
}

/// A shape's rows as columns[j][rows]; the last row stands in for rows that are not there. `more`: as many again follow.
template <int rows, class T>
TB_INLINE void gather_columns(const T* x, int64_t n, int64_t d, bool more, double* columns) {
  for (int64_t first = 0; first < rows; first += kLanes) {
    const T* row[kLanes];
    for (int64_t r = 0; r < kLanes; ++r) row[r] = x + std::min(first + r, n - 1) * d;
    double* to = columns + first;
    int64_t j = 0;
    for (; j + kLanes <= d; j += kLanes, to += kLanes * rows) {
      if (more)
        for (int64_t r = 0; r < kLanes; ++r) __builtin_prefetch(row[r] + rows * d + j);
      Pack a = load(row[0] + j), b = load(row[1] + j), c = load(row[2] + j), e = load(row[3] + j);
      transpose(a, b, c, e);
      store(to, a);
      store(to + rows, b);
      store(to + 2 * rows, c);
      store(to + 3 * rows, e);
    }
    for (; j < d; ++j, to += rows)
      for (int64_t r = 0; r < kLanes; ++r) to[r] = static_cast<double>(row[r][j]);
  }
}

/// Scores of a shape's rows for `width` classes, sums[class][rows]. False: a score is not finite.
template <class S, bool kMissing, int width>
TB_INLINE bool score_classes(const double* columns, int64_t d, const double* entry, const double* base, double* out) {
  using Vector = typename S::Vector;
  using Mask = typename S::Mask;
  Vector sums[width][2];
  for (int c = 0; c < width; ++c) sums[c][0] = sums[c][1] = Vector{} + base[c];
  for (int64_t j = 0; j < d; ++j, entry += (kMissing ? 3 : 2) * width) {
    Vector value[2];
    for (int half = 0; half < 2; ++half) std::memcpy(&value[half], columns + j * S::rows + half * S::lanes, sizeof(Vector));
    for (int c = 0; c < width; ++c)
      for (int half = 0; half < 2; ++half) {
        const Vector away = value[half] - entry[c];
        Vector term = away * away * entry[width + c];
        if constexpr (kMissing) {
          const Mask there = value[half] == value[half];
          term = (Vector)(there & (Mask)(term + entry[2 * width + c]));
        }
        sums[c][half] += term;
      }
  }
  Mask wrong{};
  for (int c = 0; c < width; ++c)
    for (int half = 0; half < 2; ++half) {
      wrong |= ~(sums[c][half] >= std::numeric_limits<double>::lowest());
      std::memcpy(out + c * S::rows + half * S::lanes, &sums[c][half], sizeof(Vector));
    }
  int64_t any_wrong = 0;
  for (int lane = 0; lane < S::lanes; ++lane) any_wrong |= wrong[lane];
  return any_wrong == 0;
}

/// The same for a number of classes that is known only at run time.
template <class S, bool kMissing, int width = S::classes>
TB_INLINE bool score_some(int64_t wanted, const double* columns, int64_t d, const double* entry, const double* base,
                          double* out) {
  if constexpr (width > 1)
    if (wanted < width) return score_some<S, kMissing, width - 1>(wanted, columns, d, entry, base, out);
  return score_classes<S, kMissing, width>(columns, d, entry, base, out);
}

/// Scores of rows begin … end; false: a score is not finite, the values must be looked at.
template <class S, bool kMissing, class T>
TB_INLINE bool score_range(const DenseRows<T>& rows, int64_t begin, int64_t end, int64_t K, const double* layout,
                           const double* base, double* columns, double* out) {
  const int64_t d = rows.d;
  double* sums = columns + d * S::rows;
  bool finite = true;
  for (int64_t i = begin; i < end; i += S::rows) {
    const int64_t n = std::min<int64_t>(S::rows, end - i);
    gather_columns<S::rows>(rows.row(i), n, d, i + 2 * S::rows <= end, columns);
    const double* entry = layout;
    for (int64_t c = 0; c < K; c += S::classes) {
      const int64_t width = std::min<int64_t>(S::classes, K - c);
      finite &= score_some<S, kMissing>(width, columns, d, entry, base + c, sums + c * S::rows);
      entry += (kMissing ? 3 : 2) * width * d;
    }
    for (int64_t r = 0; r < n; ++r)
      for (int64_t c = 0; c < K; ++c) out[(i + r) * K + c] = sums[c * S::rows + r];
  }
  return finite;
}

template <bool kMissing, class T>
bool score_range_baseline(const DenseRows<T>& rows, int64_t begin, int64_t end, int64_t K, const double* layout,
                          const double* base, double* columns, double* out) {
  return score_range<Narrow, kMissing>(rows, begin, end, K, layout, base, columns, out);
}

template <bool kMissing, class T>
TB_AVX2 bool score_range_avx2(const DenseRows<T>& rows, int64_t begin, int64_t end, int64_t K, const double* layout,
                              const double* base, double* columns, double* out) {
  return score_range<Narrow, kMissing>(rows, begin, end, K, layout, base, columns, out);
}

template <bool kMissing, class T>
TB_AVX512 bool score_range_avx512(const DenseRows<T>& rows, int64_t begin, int64_t end, int64_t K, const double* layout,
                                  const double* base, double* columns, double* out) {
  return score_range<Wide, kMissing>(rows, begin, end, K, layout, base, columns, out);
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
  const std::vector<double> layout = gaussian_layout(table, has_avx512() ? Wide::classes : Narrow::classes);
  auto* score = missing ? choose_score<true, T>() : choose_score<false, T>();
  n_threads = static_cast<int>(std::clamp<int64_t>(n_threads, 1, std::max<int64_t>(rows.n / 256, 1)));
  std::vector<char> finite(static_cast<size_t>(n_threads), 1);
  run_threads(n_threads, [&](int t) {
    std::vector<double> scratch(static_cast<size_t>((rows.d + table.n_classes) * Wide::rows));
    finite[t] = score(rows, rows.n * t / n_threads, rows.n * (t + 1) / n_threads, table.n_classes, layout.data(),
                      table.base, scratch.data(), out);
  });
  for (char each : finite)
    if (!each) return first_unusable(rows, missing);
  return {};
}

}  // namespace tb
