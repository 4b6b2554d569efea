// Weight, mean and sum of squared deviations per class and column, in one pass over the rows.
//
// Rows wait in a short list per class; a full list is one block. Its sums are taken around the class's mean so far and
// joined by Chan's formula, so large offsets never meet a raw sum of squares. Where the mean so far turns out to be a bad
// centre (the first block, or a jump in the data), the block, still in cache, is summed again around its own mean.
// Chan, Golub, LeVeque (1979), Updating formulae and a pairwise algorithm for computing sample variances.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bad_cell.hpp"
#include "class_order.hpp"
#include "dense_rows.hpp"
#include "parallel.hpp"
#include "simd.hpp"

namespace tb {

/// Column-wise moments of K classes, [K][d] each.
struct Moments {
  std::vector<double> weight, mean, m2;

  Moments(int64_t n_classes, int64_t n_columns)
      : weight(static_cast<size_t>(n_classes * n_columns)), mean(weight.size()), m2(weight.size()) {}

  /// Chan's formula, cell by cell.
  void join(const Moments& other) {
    for (size_t i = 0; i < weight.size(); ++i) {
      const double total = weight[i] + other.weight[i];
      if (other.weight[i] == 0) continue;
      const double shift = other.mean[i] - mean[i], share = other.weight[i] / total;
      m2[i] += other.m2[i] + shift * shift * (weight[i] * share);
      mean[i] += shift * share;
      weight[i] = total;
    }
  }
};

/// The first NaN (unless `missing`) or infinity in row order.
template <class T>
BadCell first_unusable(const DenseRows<T>& rows, bool missing) {
  for (int64_t i = 0; i < rows.n; ++i)
    for (int64_t j = 0; j < rows.d; ++j) {
      const T x = rows.row(i)[j];
      if (std::isinf(x) || (!missing && std::isnan(x))) return {i, j};
    }
  return {};
}

constexpr int64_t kBlockRows = 32;
// A block is summed again when the squares around its centre are this many times what is left of them after centring;
// each factor of ten costs a digit of the variance.
constexpr double kBadCentre = 100.0;

/// How a row counts: once in every column, by a weight in every column, or by a weight where its value is not NaN.
enum class Count { kOnce, kWeighted, kWherePresent };

/// A block: up to kBlockRows rows of one class, and rows further down the matrix to fetch while this one is added up.
template <class T>
struct Block {
  const T* rows[kBlockRows];
  double weights[kBlockRows];
  int64_t n = 0;
  double weight = 0;  // Σ weights
};

/// The moments of one class, [d] each. Where no value is missing all columns have the same weight, the scalar.
struct ClassMoments {
  double weight_before;
  double *weight, *mean, *m2;
};

/// Add U · 4 neighbouring columns of a block. Only lanes from `first` on are stored. False: a value is not finite.
template <Count kCount, int U, class T>
TB_INLINE bool add_columns(const Block<T>& block, const T* ahead, int64_t d, int64_t column, int64_t first,
                           const ClassMoments& out) {
  Pack before[U], seen[U], old_mean[U], old_m2[U], centre[U], sum[U], square[U], mean[U], m2[U];
  for (int u = 0; u < U; ++u) {
    const int64_t at = column + u * kLanes;
    before[u] = kCount == Count::kWherePresent ? load(out.weight + at) : spread(out.weight_before);
    centre[u] = old_mean[u] = load(out.mean + at);
    old_m2[u] = load(out.m2 + at);
    // A class without rows yet is centred on its first value, so that a constant column has deviations of exactly zero.
    if constexpr (kCount == Count::kWherePresent) {
      PackMask empty = before[u] == 0.0;
      for (int64_t r = 0; r < block.n && any(empty); ++r) {
        const Pack value = load(block.rows[r] + at);
        const PackMask first_value = empty & (value == value);
        centre[u] = first_value ? value : centre[u];
        empty &= ~first_value;
      }
    } else if (out.weight_before == 0) {
      centre[u] = load(block.rows[0] + at);
    }
  }
  for (int pass = 0;; ++pass) {
    for (int u = 0; u < U; ++u) sum[u] = square[u] = seen[u] = spread(0.0);
    for (int64_t r = 0; r < block.n; ++r) {
      const T* x = block.rows[r] + column;
      if (ahead != nullptr)
        for (int64_t line = 0; line < U * kLanes * static_cast<int64_t>(sizeof(T)); line += 64)
          __builtin_prefetch(reinterpret_cast<const char*>(ahead + r * d + column) + line);
      for (int u = 0; u < U; ++u) {
        const Pack value = load(x + u * kLanes);
        const Pack away = value - centre[u];
        if constexpr (kCount == Count::kOnce) {
          sum[u] += away;
          square[u] += away * away;
        } else if constexpr (kCount == Count::kWeighted) {
          const Pack weighted = spread(block.weights[r]) * away;
          sum[u] += weighted;
          square[u] += weighted * away;
        } else {
          const PackMask there = value == value;
          const Pack weight = keep(there, spread(block.weights[r]));
          const Pack weighted = weight * keep(there, away);
          seen[u] += weight;
          sum[u] += weighted;
          square[u] += weighted * keep(there, away);
        }
      }
    }
    bool good = true;
    for (int u = 0; u < U; ++u) {
      Pack lean, share, weighted_share;
      if constexpr (kCount == Count::kWherePresent) {
        const Pack weight = seen[u] + keep(seen[u] == 0.0, spread(1.0));  // no value yet: 0 / 1
        lean = sum[u] / weight;
        share = keep(seen[u] > 0.0, weight / (before[u] + weight));
      } else {
        lean = sum[u] / spread(block.weight);
        share = spread(block.weight / (out.weight_before + block.weight));
      }
      weighted_share = before[u] * share;
      const Pack left = square[u] - sum[u] * lean;
      const Pack jump = (centre[u] - old_mean[u]) + lean;
      m2[u] = old_m2[u] + keep(left > 0.0, left) + jump * jump * weighted_share;
      mean[u] = old_mean[u] + jump * share;
      good = good && !any(!(square[u] <= m2[u] * kBadCentre));
      sum[u] = lean;
    }
    if (good || pass == 1) break;
    for (int u = 0; u < U; ++u) centre[u] += sum[u];
  }
  bool finite = true;
  for (int u = 0; u < U; ++u) {
    finite = finite && !any(!(m2[u] <= spread(std::numeric_limits<double>::max())));
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const int64_t at = column + u * kLanes + lane;
      if (u * kLanes + lane < first) continue;
      out.mean[at] = mean[u][lane];
      out.m2[at] = m2[u][lane];
      if (kCount == Count::kWherePresent) out.weight[at] = before[u][lane] + seen[u][lane];
    }
  }
  return finite;
}

/// Fewer than four columns go through a padded copy.
template <Count kCount, class T>
TB_INLINE bool add_narrow(const Block<T>& block, int64_t d, const ClassMoments& out) {
  T padded[kBlockRows * kLanes];
  Block<T> wide;
  double weight[kLanes] = {}, mean[kLanes] = {}, m2[kLanes] = {};
  for (int64_t r = 0; r < block.n; ++r) {
    for (int64_t j = 0; j < kLanes; ++j) padded[r * kLanes + j] = j < d ? block.rows[r][j] : T(0);
    wide.rows[r] = padded + r * kLanes;
    wide.weights[r] = block.weights[r];
  }
  wide.n = block.n;
  wide.weight = block.weight;
  std::copy_n(out.mean, d, mean);
  std::copy_n(out.m2, d, m2);
  if (kCount == Count::kWherePresent) std::copy_n(out.weight, d, weight);
  const bool finite =
      add_columns<kCount, 1, T>(wide, nullptr, kLanes, 0, 0, ClassMoments{out.weight_before, weight, mean, m2});
  std::copy_n(mean, d, out.mean);
  std::copy_n(m2, d, out.m2);
  if (kCount == Count::kWherePresent) std::copy_n(weight, d, out.weight);
  return finite;
}

template <Count kCount, class T>
TB_INLINE bool add_block(const Block<T>& block, const T* ahead, int64_t d, const ClassMoments& out) {
  constexpr int U = kCount == Count::kWherePresent ? 2 : 4;
  constexpr int64_t width = U * kLanes;
  if (d < kLanes) return add_narrow<kCount>(block, d, out);
  bool finite = true;
  int64_t j = 0;
  for (; j + width <= d; j += width) finite &= add_columns<kCount, U>(block, ahead, d, j, 0, out);
  for (; j + kLanes <= d; j += kLanes) finite &= add_columns<kCount, 1>(block, ahead, d, j, 0, out);
  // The last columns once more with their left neighbours, whose lanes are discarded.
  if (j < d) finite &= add_columns<kCount, 1>(block, ahead, d, d - kLanes, kLanes - (d - j), out);
  return finite;
}

template <Count kCount, class T>
bool add_block_baseline(const Block<T>& block, const T* ahead, int64_t d, const ClassMoments& out) {
  return add_block<kCount>(block, ahead, d, out);
}

template <Count kCount, class T>
TB_AVX2 bool add_block_avx2(const Block<T>& block, const T* ahead, int64_t d, const ClassMoments& out) {
  return add_block<kCount>(block, ahead, d, out);
}

template <class T>
using AddBlock = bool (*)(const Block<T>&, const T*, int64_t, const ClassMoments&);

template <class T>
AddBlock<T> choose_add(bool weighted, bool missing) {
  if (has_avx2())
    return missing    ? add_block_avx2<Count::kWherePresent, T>
           : weighted ? add_block_avx2<Count::kWeighted, T>
                      : add_block_avx2<Count::kOnce, T>;
  return missing    ? add_block_baseline<Count::kWherePresent, T>
         : weighted ? add_block_baseline<Count::kWeighted, T>
                    : add_block_baseline<Count::kOnce, T>;
}

/// Moments of the rows order[begin..end) (rows in their own order where `order` is null). False: a value is not finite.
template <class T>
bool moments_of(const DenseRows<T>& rows, const int32_t* class_index, int64_t n_classes, const double* row_weight,
                const int64_t* order, int64_t begin, int64_t end, bool missing, Moments& out) {
  const AddBlock<T> add = choose_add<T>(row_weight != nullptr, missing);
  const int64_t d = rows.d;
  bool finite = true;
  // In class order one block is enough for all classes: it is added whenever the class changes.
  std::vector<Block<T>> blocks(static_cast<size_t>(order ? 1 : n_classes));
  std::vector<double> class_weight(static_cast<size_t>(n_classes));
  int64_t fetched = begin + kBlockRows;
  auto flush = [&](Block<T>& block, int64_t c, int64_t at) {
    const T* ahead = nullptr;
    if (!order) {
      fetched = std::max(fetched, at + kBlockRows);
      if (fetched <= at + 4 * kBlockRows && fetched + kBlockRows <= end) {
        ahead = rows.row(fetched);
        fetched += kBlockRows;
      }
    }
    finite &= add(block, ahead, d,
                  ClassMoments{class_weight[c], &out.weight[c * d], &out.mean[c * d], &out.m2[c * d]});
    class_weight[c] += block.weight;
    block.n = 0;
    block.weight = 0;
  };
  int64_t current = -1;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t r = order ? order[i] : i;
    const int64_t c = class_index[r];
    if (order) {
      if (c != current && blocks[0].n > 0) flush(blocks[0], current, i);
      current = c;
      if (i + 8 < end) {
        const char* next = reinterpret_cast<const char*>(rows.row(order[i + 8]));
        for (int64_t line = 0; line < d * static_cast<int64_t>(sizeof(T)); line += 64) __builtin_prefetch(next + line);
      }
    }
    const T* x = rows.row(r);
    const double w = row_weight ? row_weight[r] : 1.0;
    if (w == 0) {  // the row does not count, but its values must be usable all the same
      for (int64_t j = 0; j < d; ++j) finite &= std::isfinite(x[j]) || (missing && std::isnan(x[j]));
      continue;
    }
    Block<T>& block = blocks[static_cast<size_t>(order ? 0 : c)];
    block.rows[block.n] = x;
    block.weights[block.n] = w;
    block.weight += w;
    if (++block.n == kBlockRows) flush(block, c, i);
  }
  for (size_t b = 0; b < blocks.size(); ++b)
    if (blocks[b].n > 0) flush(blocks[b], order ? current : static_cast<int64_t>(b), end);
  if (!missing)
    for (int64_t c = 0; c < n_classes; ++c) std::fill_n(&out.weight[c * d], d, class_weight[c]);
  return finite;
}

/// Moments of dense rows; `bad` is set where a value is not usable (and then the moments mean nothing).
template <class T>
Moments dense_moments(const DenseRows<T>& rows, const int32_t* class_index, int64_t n_classes, const double* row_weight,
                      bool missing, int n_threads, BadCell& bad, bool& overflow) {
  // The waiting rows of all classes should stay in cache until their block is full.
  constexpr int64_t cache = 1 << 19;
  const bool sort = n_classes * kBlockRows * rows.d * static_cast<int64_t>(sizeof(T)) > cache && n_classes > 1;
  std::vector<int64_t> order;
  if (sort) order = rows_by_class(class_index, static_cast<size_t>(rows.n), static_cast<size_t>(n_classes));
  n_threads = static_cast<int>(std::clamp<int64_t>(n_threads, 1, std::max<int64_t>(rows.n / 256, 1)));
  std::vector<Moments> parts;
  for (int t = 0; t < n_threads; ++t) parts.emplace_back(n_classes, rows.d);
  std::vector<char> finite(static_cast<size_t>(n_threads), 1);
  run_threads(n_threads, [&](int t) {
    finite[t] = moments_of(rows, class_index, n_classes, row_weight, sort ? order.data() : nullptr,
                           rows.n * t / n_threads, rows.n * (t + 1) / n_threads, missing, parts[t]);
  });
  for (int t = 1; t < n_threads; ++t) parts[0].join(parts[t]);
  overflow = false;
  for (char each : finite) overflow |= each == 0;
  if (overflow) bad = first_unusable(rows, missing);
  return std::move(parts[0]);
}

}  // namespace tb
