// Moments of a class and column, about 106 bits each, and how they are joined, parted and scaled.
// Chan, Golub, LeVeque (1979), Updating formulae and a pairwise algorithm for computing sample variances.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "double_double.hpp"

namespace tb {

struct CellMoments {
  DoubleDouble<double> weight, mean, m2;
  double error = 0;  // how far m2 may be off
};

/// Column-wise moments of K classes, [K][d] each; `low` holds the second halves of weight, mean and m2, and how far m2 may be
/// off, [4][K][d].
struct Moments {
  std::vector<double> weight, mean, m2, low;

  Moments(int64_t n_classes, int64_t n_columns)
      : weight(static_cast<size_t>(n_classes * n_columns)), mean(weight.size()), m2(weight.size()), low(4 * weight.size()) {}
};

/// The same in somebody's arrays.
template <class T>
struct MomentArrays {
  T *weight, *mean, *m2, *low;
  size_t size;

  CellMoments get(size_t i) const {
    return {{weight[i], low[i]}, {mean[i], low[size + i]}, {m2[i], low[2 * size + i]}, low[3 * size + i]};
  }
  void set(size_t i, const CellMoments& cell) const {
    weight[i] = cell.weight.hi, low[i] = cell.weight.lo;
    mean[i] = cell.mean.hi, low[size + i] = cell.mean.lo;
    m2[i] = cell.m2.hi, low[2 * size + i] = cell.m2.lo;
    low[3 * size + i] = cell.error;
  }
};

inline MomentArrays<double> arrays_of(Moments& m) {
  return {m.weight.data(), m.mean.data(), m.m2.data(), m.low.data(), m.weight.size()};
}

// Sums of one pass are good to the first share, what is done with them to the second; numbers that somebody rounded to one
// double, to the third.
constexpr double kSumError = 0x1p-96, kStepError = 0x1p-101, kRoundedError = 0x1p-50;

/// Chan's formula.
inline CellMoments joined(const CellMoments& a, const CellMoments& b) {
  if (b.weight.hi == 0) return a;
  if (a.weight.hi == 0) return b;
  const DoubleDouble<double> total = a.weight + b.weight, apart = b.mean - a.mean, step = apart * (b.weight / total);
  const DoubleDouble<double> m2 = a.m2 + b.m2 + apart * step * a.weight;
  return {total, a.mean + step, m2, a.error + b.error + kStepError * m2.hi};
}

/// Moments of the sums of weighted deviations from a centre and of their squares.
inline CellMoments centred(double centre, DoubleDouble<double> weight, DoubleDouble<double> sum,
                            DoubleDouble<double> squares) {
  if (sum.hi == 0 && squares.hi == 0) return {weight, wide(centre), wide(0.0)};  // one row, or a constant column
  const DoubleDouble<double> lean = sum / weight, m2 = squares - sum * lean;
  return {weight, wide(centre) + lean, m2.hi < 0 ? wide(0.0) : m2, kSumError * squares.hi};
}

enum class Parting { kFine, kTooHeavy, kNotAmong, kDwarfed };

constexpr double kKnown = 1e-6;   // variances must be known to this share
constexpr double kNothing = 1e-5;  // deviations of this share of a mean are nothing beside it

/// How far the mean may be off: what m2 is off by comes from as many units in the last place, squared.
inline double mean_error(const CellMoments& cell, double step) {
  return step * std::abs(cell.mean.hi) + (cell.weight.hi > 0 ? std::sqrt(step * (cell.error / cell.weight.hi)) : 0.0);
}

/// Chan's formula solved for one of its parts. `tolerance`: weights that differ by this share are the same.
inline Parting part(const CellMoments& a, const CellMoments& b, double tolerance, bool rounded, CellMoments& left) {
  left = {wide(0.0), wide(0.0), wide(0.0)};
  const DoubleDouble<double> weight = a.weight - b.weight;
  if (std::abs(weight.hi) <= tolerance * std::max(a.weight.hi, b.weight.hi)) return Parting::kFine;
  if (weight.hi < 0) return Parting::kTooHeavy;
  const DoubleDouble<double> apart = a.mean - b.mean, ratio = b.weight / weight, step = apart * ratio;
  const DoubleDouble<double> between = apart * step * a.weight;
  DoubleDouble<double> mean = a.mean + step, m2 = a.m2 - b.m2 - between;
  const double step_error = rounded ? kRoundedError : kStepError;
  const double blur = std::max(mean_error(a, step_error), mean_error(b, step_error));
  double wrong = a.error + b.error + step_error * (a.m2.hi + b.m2.hi + std::abs(between.hi)) +
                 (2 * std::abs(apart.hi) + blur) * blur * a.weight.hi * (1 + ratio.hi);
  if (!std::isfinite(m2.hi) || m2.hi < -wrong) return Parting::kNotAmong;
  if (std::abs(mean.hi) <= 2 * blur * (1 + ratio.hi)) mean = wide(0.0);
  if (wrong > kKnown * m2.hi) {
    // Either no spread is left, or one that cannot be seen: the first where it is no more than what may be wrong, and that
    // would be nothing beside the mean.
    if (m2.hi > wrong || (mean.hi != 0 && std::sqrt(wrong / weight.hi) > kNothing * std::abs(mean.hi)))
      return Parting::kDwarfed;
    m2 = wide(0.0);
    wrong = 0;
  }
  left = {weight, mean, m2, wrong};
  return Parting::kFine;
}

}  // namespace tb
