// Moments of a class and column, about 106 bits each, and how they are joined, parted and scaled.
// Chan, Golub, LeVeque (1979), Updating formulae and a pairwise algorithm for computing sample variances.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "double_double.hpp"

namespace tb {

template <class V>
struct Cell {
  DoubleDouble<V> weight, mean, m2;
};

/// Column-wise moments of K classes, [K][d] each; `low` holds the second halves of weight, mean and m2, [3][K][d].
struct Moments {
  std::vector<double> weight, mean, m2, low;

  Moments(int64_t n_classes, int64_t n_columns)
      : weight(static_cast<size_t>(n_classes * n_columns)), mean(weight.size()), m2(weight.size()), low(3 * weight.size()) {}
};

/// The same in somebody's arrays.
template <class T>
struct MomentArrays {
  T *weight, *mean, *m2, *low;
  size_t size;

  Cell<double> get(size_t i) const {
    return {{weight[i], low[i]}, {mean[i], low[size + i]}, {m2[i], low[2 * size + i]}};
  }
  void set(size_t i, const Cell<double>& cell) const {
    weight[i] = cell.weight.hi, low[i] = cell.weight.lo;
    mean[i] = cell.mean.hi, low[size + i] = cell.mean.lo;
    m2[i] = cell.m2.hi, low[2 * size + i] = cell.m2.lo;
  }
};

inline MomentArrays<double> arrays_of(Moments& m) {
  return {m.weight.data(), m.mean.data(), m.m2.data(), m.low.data(), m.weight.size()};
}

/// Chan's formula for two parts that both weigh something, the second `share` of `total`.
template <class V>
TB_INLINE Cell<V> chan(const Cell<V>& a, const Cell<V>& b, DoubleDouble<V> total, DoubleDouble<V> share) {
  const DoubleDouble<V> apart = b.mean - a.mean, step = apart * share;
  return {total, a.mean + step, a.m2 + b.m2 + apart * step * a.weight};
}

TB_INLINE Cell<double> joined(const Cell<double>& a, const Cell<double>& b) {
  if (b.weight.hi == 0) return a;
  if (a.weight.hi == 0) return b;
  const DoubleDouble<double> total = a.weight + b.weight;
  return chan(a, b, total, b.weight / total);
}

/// Moments of the sums of weighted deviations from a centre and of their squares.
template <class V>
TB_INLINE Cell<V> centred(V centre, DoubleDouble<V> weight, DoubleDouble<V> sum, DoubleDouble<V> squares) {
  const DoubleDouble<V> lean = sum / weight, m2 = squares - sum * lean;
  return {weight, wide(centre) + lean, choose(m2.hi < 0.0, wide(sum.hi - sum.hi), m2)};
}

enum class Parting { kFine, kTooHeavy, kNotAmong, kDwarfed };

// How much of the terms may be wrong in what is left of them: sums of one pass are good to 2^-94 of the largest term, the
// rest is for long sequences; numbers that were rounded to one double carry that instead. Less than the dust is nothing.
constexpr double kWideError = 0x1p-90, kRoundedError = 0x1p-50, kWideDust = 0x1p-97, kRoundedDust = 0x1p-49;
constexpr double kKnown = 1e-6;  // variances must be known to this share

/// Chan's formula solved for one of its parts. `tolerance`: weights that differ by this share are the same.
inline Parting part(const Cell<double>& a, const Cell<double>& b, double tolerance, bool rounded, Cell<double>& left) {
  const double error = rounded ? kRoundedError : kWideError;
  left = {wide(0.0), wide(0.0), wide(0.0)};
  const DoubleDouble<double> weight = a.weight - b.weight;
  if (std::abs(weight.hi) <= tolerance * std::max(a.weight.hi, b.weight.hi)) return Parting::kFine;
  if (weight.hi < 0) return Parting::kTooHeavy;
  const DoubleDouble<double> apart = a.mean - b.mean, ratio = b.weight / weight, step = apart * ratio;
  const DoubleDouble<double> between = apart * step * a.weight;
  DoubleDouble<double> mean = a.mean + step, m2 = a.m2 - b.m2 - between;
  // Means are good to some units in their last place, which the square of their distance inherits.
  const double blur = error * std::max(std::abs(a.mean.hi), std::abs(b.mean.hi));
  const double wrong = error * (a.m2.hi + b.m2.hi + std::abs(between.hi)) +
                       (2 * std::abs(apart.hi) + blur) * blur * a.weight.hi * (1 + ratio.hi);
  if (!std::isfinite(m2.hi) || m2.hi < -wrong) return Parting::kNotAmong;
  if (std::abs(mean.hi) <= 2 * blur * (1 + ratio.hi)) mean = wide(0.0);
  if (wrong > kKnown * m2.hi) {
    // Either no spread is left, or one that cannot be seen; the first where it lies beneath the dust, and where so much
    // dust would be nothing beside the mean.
    const double dust = wrong * ((rounded ? kRoundedDust : kWideDust) / error);
    const bool none = std::abs(m2.hi) <= dust && (mean.hi == 0 || std::sqrt(dust / weight.hi) <= kKnown * std::abs(mean.hi));
    if (!none) return Parting::kDwarfed;
    m2 = wide(0.0);
  }
  left = {weight, mean, m2};
  return Parting::kFine;
}

}  // namespace tb
