// Weight, mean and sum of squared deviations per class and column, in one pass over the rows.
//
// Rows wait in a short list per class; a full list is one block, still in cache when its columns are gone through twice: for
// their ranges, then for the sums of deviations and of their squares. These are summed without error to about 94 bits, so that
// a row which dwarfs the others can be taken out again.
//
// Deviations are from a column's first value as long as all values lie close to it, and from zero elsewhere: either way they
// are exact (Sterbenz), a constant column has none, and zero as the centre costs a few of the many bits.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bad_cell.hpp"
#include "class_order.hpp"
#include "dense_rows.hpp"
#include "double_double.hpp"
#include "moments_algebra.hpp"
#include "parallel.hpp"
#include "simd.hpp"

namespace tb {

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
// A column is centred on a value of its first block if the range of that is at most this share of it, and as long as no
// later value is further off than the other share.
constexpr double kClose = 1.0 / 16, kFar = 1.0 / 2;

/// How a row counts: once in every column, by a weight in every column, or by a weight where its value is not NaN.
enum class Count { kOnce, kWeighted, kWherePresent };

/// A block: up to kBlockRows rows of one class, and rows further down the matrix to fetch while this one is added up.
template <class T>
struct Block {
  const T* rows[kBlockRows];
  double weights[kBlockRows];
  int64_t n = 0;
  int64_t heaviest = 0;
  DoubleDouble<double> weight = {0, 0};  // Σ weights

  void weigh(bool weighted) {
    weight = wide(weighted ? 0.0 : static_cast<double>(n));
    heaviest = 0;
    for (int64_t r = 0; weighted && r < n; ++r) {
      weight = weight + wide(weights[r]);
      if (weights[r] > weights[heaviest]) heaviest = r;
    }
  }
};

/// The sums of one class, [d] each, second halves behind the first. Where no value is missing all columns have the same
/// weight, the scalar.
struct ClassSums {
  DoubleDouble<double> weight_before;
  double *centre, *weight, *weight_low, *sum, *sum_low, *squares, *squares_low;
};

TB_INLINE DoubleDouble<Pack> load(const double* hi, const double* lo) { return {load(hi), load(lo)}; }

/// Σ (x - centre) and Σ (x - centre)² of columns whose deviations are exact and at most `far`.
template <bool kFused, int U, class T>
TB_INLINE void sum_once(const Block<T>& block, const T* ahead, int64_t d, int64_t column, const Pack* centre, const Pack* far, DoubleDouble<Pack>* sum,
                        DoubleDouble<Pack>* squares) {
  // Begun with more than all deviations together, the sums stay the larger terms, and rounding shows by a simple difference.
  Pack high[U], low[U], high2[U], low2[U], start[U], start2[U];
  const double n = static_cast<double>(block.n);
  for (int u = 0; u < U; ++u) {
    high[u] = start[u] = far[u] * (2 * n);
    high2[u] = start2[u] = far[u] * far[u] * n;
    low[u] = low2[u] = spread(0.0);
  }
  for (int64_t r = 0; r < block.n; ++r) {
    if (ahead != nullptr)
      for (int64_t line = 0; line < U * kLanes * static_cast<int64_t>(sizeof(T)); line += 64)
        __builtin_prefetch(reinterpret_cast<const char*>(ahead + r * d + column) + line);
    for (int u = 0; u < U; ++u) {
      const Pack away = load(block.rows[r] + column + u * kLanes) - centre[u];
      const Pack product = away * away, old = high[u], old2 = high2[u];
      high[u] += away;
      high2[u] += product;
      low[u] += away - (high[u] - old);
      low2[u] += square_beyond<kFused>(away, product, high2[u] - old2);
    }
  }
  for (int u = 0; u < U; ++u) {
    sum[u] = two_sum(high[u] - start[u], low[u]);
    squares[u] = two_sum(high2[u] - start2[u], low2[u]);
  }
}

/// The same with weights, and with values left out where `kCount` says so; then `seen` is what the others weigh.
template <Count kCount, int U, class T>
TB_INLINE void sum_weighted(const Block<T>& block, int64_t column, const Pack* centre, DoubleDouble<Pack>* seen, DoubleDouble<Pack>* sum,
                            DoubleDouble<Pack>* squares) {
  for (int u = 0; u < U; ++u) seen[u] = sum[u] = squares[u] = wide(spread(0.0));
  for (int64_t r = 0; r < block.n; ++r)
    for (int u = 0; u < U; ++u) {
      const Pack value = load(block.rows[r] + column + u * kLanes);
      Pack weight = spread(block.weights[r]), away = value - centre[u];
      if constexpr (kCount == Count::kWherePresent) {
        weight = keep(value == value, weight);
        away = keep(value == value, away);
        const DoubleDouble<Pack> total = two_sum(seen[u].hi, weight);
        seen[u] = {total.hi, seen[u].lo + total.lo};
      }
      const DoubleDouble<Pack> weighted = two_product(weight, away), squared = two_product(weighted.hi, away);
      const DoubleDouble<Pack> total = two_sum(sum[u].hi, weighted.hi), total2 = two_sum(squares[u].hi, squared.hi);
      sum[u] = {total.hi, sum[u].lo + (total.lo + weighted.lo)};
      squares[u] = {total2.hi, squares[u].lo + (total2.lo + (squared.lo + weighted.lo * away))};
    }
  for (int u = 0; u < U; ++u) {
    seen[u] = two_sum(seen[u].hi, seen[u].lo);
    sum[u] = two_sum(sum[u].hi, sum[u].lo);
    squares[u] = two_sum(squares[u].hi, squares[u].lo);
  }
}

/// Add U · 4 neighbouring columns of a block. Only lanes from `first` on are stored. False: a value is not finite.
template <Count kCount, bool kFused, int U, class T>
TB_INLINE bool add_columns(const Block<T>& block, const T* ahead, int64_t d, int64_t column, int64_t first,
                           const ClassSums& out) {
  Pack centre[U], least[U], most[U], far[U];
  for (int u = 0; u < U; ++u) {
    // Centred on the heaviest value, so that what the centre adds to the squares is never much more than the squares.
    centre[u] = least[u] = most[u] = load(block.rows[block.heaviest] + column + u * kLanes);
    if constexpr (kCount == Count::kWherePresent) {
      Pack weight = keep(centre[u] == centre[u], spread(block.weights[block.heaviest]));
      for (int64_t r = 0; r < block.n && any(weight == 0.0); ++r) {
        const Pack value = load(block.rows[r] + column + u * kLanes);
        const PackMask heavier = (value == value) & (weight < block.weights[r]);
        centre[u] = heavier ? value : centre[u];
        weight = heavier ? spread(block.weights[r]) : weight;
      }
      least[u] = most[u] = centre[u] = keep(centre[u] == centre[u], centre[u]);
    }
  }
  for (int64_t r = 0; r < block.n; ++r) {
    const T* x = block.rows[r] + column;
    for (int u = 0; u < U; ++u) {
      const Pack value = load(x + u * kLanes);
      least[u] = value < least[u] ? value : least[u];
      most[u] = value > most[u] ? value : most[u];
    }
  }
  DoubleDouble<Pack> seen[U], sum[U], squares[U];
  for (int u = 0; u < U; ++u) {
    const int64_t at = column + u * kLanes;
    DoubleDouble<Pack> before = spread(out.weight_before);
    if constexpr (kCount == Count::kWherePresent) before = load(out.weight + at, out.weight_low + at);
    const Pack old = load(out.centre + at), first_value = keep(most[u] - least[u] <= magnitude(centre[u]) * kClose, centre[u]);
    const Pack reach = magnitude(old) * kFar;
    const PackMask begun = before.hi > 0.0;
    const PackMask stays = (magnitude(least[u] - old) <= reach) & (magnitude(most[u] - old) <= reach);
    centre[u] = begun ? keep(stays, old) : first_value;
    const Pack below = centre[u] - least[u], above = most[u] - centre[u];
    far[u] = below > above ? below : above;
    sum[u] = load(out.sum + at, out.sum_low + at);
    squares[u] = load(out.squares + at, out.squares_low + at);
    if (any(begun & (old != centre[u]))) {
      // From now on around zero: Σ x² = Σ (x - old)² + old (2 Σ (x - old) + W old).
      const DoubleDouble<Pack> moved = wide(keep(begun, old - centre[u])), shift = before * moved;
      squares[u] = squares[u] + moved * (sum[u] + sum[u] + shift);
      sum[u] = sum[u] + shift;
    }
    for (int64_t lane = std::max<int64_t>(first - u * kLanes, 0); lane < kLanes; ++lane) out.centre[at + lane] = centre[u][lane];
  }
  DoubleDouble<Pack> more[U], more_squares[U];
  if constexpr (kCount == Count::kOnce)
    sum_once<kFused, U>(block, ahead, d, column, centre, far, more, more_squares);
  else
    sum_weighted<kCount, U>(block, column, centre, seen, more, more_squares);
  bool finite = true;
  for (int u = 0; u < U; ++u) {
    const int64_t at = column + u * kLanes;
    sum[u] = sum[u] + more[u];
    squares[u] = squares[u] + more_squares[u];
    finite = finite && !any(!(squares[u].hi <= spread(std::numeric_limits<double>::max())));
    // An infinite value shows in the range at least.
    finite = finite && !any(!(far[u] <= spread(std::numeric_limits<double>::max())));
    auto put = [&](double* hi, double* lo, DoubleDouble<Pack> value) {
      for (int64_t lane = 0; lane < kLanes; ++lane)
        if (u * kLanes + lane >= first) hi[at + lane] = value.hi[lane], lo[at + lane] = value.lo[lane];
    };
    put(out.sum, out.sum_low, sum[u]);
    put(out.squares, out.squares_low, squares[u]);
    if constexpr (kCount == Count::kWherePresent)
      put(out.weight, out.weight_low, load(out.weight + at, out.weight_low + at) + seen[u]);
  }
  return finite;
}

/// Fewer than four columns go through a padded copy.
template <Count kCount, bool kFused, class T>
TB_INLINE bool add_narrow(const Block<T>& block, int64_t d, const ClassSums& out) {
  T padded[kBlockRows * kLanes];
  Block<T> wider = block;
  for (int64_t r = 0; r < block.n; ++r) {
    for (int64_t j = 0; j < kLanes; ++j) padded[r * kLanes + j] = j < d ? block.rows[r][j] : T(0);
    wider.rows[r] = padded + r * kLanes;
  }
  double copies[7][kLanes] = {};
  double* const theirs[7] = {out.centre,  out.weight,  out.weight_low, out.sum,
                             out.sum_low, out.squares, out.squares_low};
  for (int part = 0; part < 7; ++part) std::copy_n(theirs[part], d, copies[part]);
  const ClassSums padded_out{out.weight_before, copies[0], copies[1], copies[2], copies[3], copies[4], copies[5], copies[6]};
  const bool finite = add_columns<kCount, kFused, 1, T>(wider, nullptr, kLanes, 0, 0, padded_out);
  for (int part = 0; part < 7; ++part) std::copy_n(copies[part], d, theirs[part]);
  return finite;
}

template <Count kCount, bool kFused, class T>
TB_INLINE bool add_block(const Block<T>& block, const T* ahead, int64_t d, const ClassSums& out) {
  constexpr int U = kCount == Count::kWherePresent ? 1 : 2;
  constexpr int64_t width = U * kLanes;
  if (d < kLanes) return add_narrow<kCount, kFused>(block, d, out);
  bool finite = true;
  int64_t j = 0;
  for (; j + width <= d; j += width) finite &= add_columns<kCount, kFused, U>(block, ahead, d, j, 0, out);
  for (; j + kLanes <= d; j += kLanes) finite &= add_columns<kCount, kFused, 1>(block, ahead, d, j, 0, out);
  // The last columns once more with their left neighbours, whose lanes are discarded.
  if (j < d) finite &= add_columns<kCount, kFused, 1>(block, ahead, d, d - kLanes, kLanes - (d - j), out);
  return finite;
}

template <Count kCount, class T>
bool add_block_baseline(const Block<T>& block, const T* ahead, int64_t d, const ClassSums& out) {
  return add_block<kCount, false>(block, ahead, d, out);
}

template <Count kCount, class T>
TB_AVX2 bool add_block_avx2(const Block<T>& block, const T* ahead, int64_t d, const ClassSums& out) {
  return add_block<kCount, true>(block, ahead, d, out);
}

template <class T>
using AddBlock = bool (*)(const Block<T>&, const T*, int64_t, const ClassSums&);

template <class T>
AddBlock<T> choose_add(bool weighted, bool missing) {
  if (has_avx2() && has_fused())
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
  std::vector<DoubleDouble<double>> class_weight(static_cast<size_t>(n_classes));
  // Until the end the places of means and of squared deviations hold sums of deviations from the centre and of their squares.
  std::vector<double> centre(out.weight.size());
  int64_t fetched = begin + kBlockRows;
  auto flush = [&](Block<T>& block, int64_t c, int64_t at) {
    block.weigh(row_weight != nullptr);
    const T* ahead = nullptr;
    if (!order) {
      fetched = std::max(fetched, at + kBlockRows);
      if (fetched <= at + 4 * kBlockRows && fetched + kBlockRows <= end) {
        ahead = rows.row(fetched);
        fetched += kBlockRows;
      }
    }
    const size_t cell = static_cast<size_t>(c * d), size = out.weight.size();
    double* const low = out.low.data() + cell;
    finite &= add(block, ahead, d,
                  ClassSums{class_weight[c], &centre[cell], &out.weight[cell], low, &out.mean[cell], low + size,
                            &out.m2[cell], low + 2 * size});
    class_weight[c] = class_weight[c] + block.weight;
    block.n = 0;
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
    if (++block.n == kBlockRows) flush(block, c, i);
  }
  for (size_t b = 0; b < blocks.size(); ++b)
    if (blocks[b].n > 0) flush(blocks[b], order ? current : static_cast<int64_t>(b), end);
  if (!missing)
    for (int64_t c = 0; c < n_classes; ++c) {
      std::fill_n(out.weight.begin() + c * d, d, class_weight[c].hi);
      std::fill_n(out.low.begin() + c * d, d, class_weight[c].lo);
    }
  const MomentArrays<double> cells = arrays_of(out);
  for (size_t i = 0; i < centre.size(); ++i)
    if (const CellMoments sums = cells.get(i); sums.weight.hi != 0)
      cells.set(i, centred(centre[i], sums.weight, sums.mean, sums.m2));
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
  for (int t = 1; t < n_threads; ++t)
    for (size_t i = 0; i < parts[0].weight.size(); ++i)
      arrays_of(parts[0]).set(i, joined(arrays_of(parts[0]).get(i), arrays_of(parts[t]).get(i)));
  overflow = false;
  for (char each : finite) overflow |= each == 0;
  if (overflow) bad = first_unusable(rows, missing);
  return std::move(parts[0]);
}

}  // namespace tb
