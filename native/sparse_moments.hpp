// Moments and Gaussian scores of CSR rows. What is not stored is zero: it is counted in closed form, never laid out.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "csr.hpp"
#include "gaussian.hpp"
#include "moments.hpp"
#include "parallel.hpp"

namespace tb {

/// Reads rows in order; where `missing`, NaN is a missing value (such rows come without duplicates).
template <class Index>
class GaussianReader {
 public:
  GaussianReader(const CsrView<Index>& matrix, bool missing)
      : reader_(matrix, std::numeric_limits<double>::lowest()), columns_(matrix.columns), missing_(missing) {}

  /// The row's entries; false where a value or a column cannot be used.
  bool read(int64_t i, typename CsrReader<Index>::Row& row) {
    row = reader_.read(i, true);
    if (!reader_.facts().bad) return true;
    if (!missing_) return false;
    for (size_t e = 0; e < row.size; ++e)
      if (row.columns[e] < 0 || row.columns[e] >= columns_ || std::isinf(row.values[e])) return false;
    return true;
  }

 private:
  CsrReader<Index> reader_;
  int64_t columns_;
  bool missing_;
};

/// The first entry that is neither finite nor, where `missing`, NaN.
template <class Index>
BadEntry first_unusable(const CsrView<Index>& matrix, bool missing) {
  if (!missing) return first_bad(matrix, std::numeric_limits<double>::lowest());
  return first_refused(matrix, [](double x) { return std::isinf(x); });
}

/// Sums of the stored values of a class and column, around the first of them.
struct StoredCell {
  double centre = 0, centre_weight = 0;
  DoubleDouble<double> weight = {0, 0}, sum = {0, 0}, squares = {0, 0};
  DoubleDouble<double> gone = {0, 0};         // what NaN entries weigh
  int64_t n_stored = 0, n_gone = 0;   // entries

  CellMoments moments() const {
    if (weight.hi == 0) return {wide(0.0), wide(0.0), wide(0.0)};
    return centred(centre, weight, sum, squares);
  }

  void add(double w, double x) {
    weight = weight + wide(w);
    const DoubleDouble<double> away = two_sum(x, -centre), weighted = wide(w) * away;
    sum = sum + weighted;
    squares = squares + weighted * away;
    ++n_stored;
  }
};

/// Moments of the stored values, and how many values are stored or gone.
struct StoredMoments {
  std::vector<StoredCell> cells;  // [K][d]
  Moments moments;                // of values around former centres

  StoredMoments(int64_t K, int64_t d) : cells(static_cast<size_t>(K * d)), moments(K, d) {}

  void join(StoredMoments& other) {
    for (size_t i = 0; i < cells.size(); ++i) {
      settle(i);
      other.settle(i);
      const CellMoments both = joined(arrays_of(moments).get(i), arrays_of(other.moments).get(i));
      arrays_of(moments).set(i, both);
      cells[i].n_stored += other.cells[i].n_stored;
      cells[i].n_gone += other.cells[i].n_gone;
      cells[i].gone = cells[i].gone + other.cells[i].gone;
    }
  }

  void add(size_t i, double weight, double x) {
    StoredCell& cell = cells[i];
    if (std::isnan(x)) {
      ++cell.n_gone;
      cell.gone = cell.gone + wide(weight);
      return;
    }
    // Around a value that hardly weighs anything beside the others, squares would drown what is to be seen of them.
    if (!(weight <= cell.centre_weight * 0x1p20)) {
      settle(i);
      cell.centre = x;
      cell.centre_weight = weight;
    }
    cell.add(weight, x);
  }

  /// Let the moments hold all that was added.
  void settle(size_t i) {
    StoredCell& cell = cells[i];
    arrays_of(moments).set(i, joined(arrays_of(moments).get(i), cell.moments()));
    cell.weight = cell.sum = cell.squares = {0, 0};
    cell.centre_weight = 0;
  }

  /// Join the zeros that are not stored: n rows of the class, of the given weight, less what was read.
  void add_zeros(size_t i, int64_t n, DoubleDouble<double> class_weight) {
    settle(i);
    if (n - cells[i].n_stored - cells[i].n_gone <= 0) return;  // counted in whole rows: sums of weights may differ by rounding
    const CellMoments had = arrays_of(moments).get(i);
    const DoubleDouble<double> zeros = class_weight - had.weight - cells[i].gone;
    if (zeros.hi > 0) arrays_of(moments).set(i, joined(had, {zeros, wide(0.0), wide(0.0)}));
  }
};

template <class Index>
Moments sparse_moments(const CsrView<Index>& matrix, const int32_t* class_index, int64_t n_classes,
                       const double* row_weight, bool missing, int n_threads, BadEntry& bad, bool& overflow) {
  const int64_t d = matrix.columns;
  n_threads = static_cast<int>(std::clamp<int64_t>(n_threads, 1, std::max<int64_t>(static_cast<int64_t>(matrix.rows) / 256, 1)));
  std::vector<StoredMoments> parts(static_cast<size_t>(n_threads), StoredMoments(n_classes, d));
  std::vector<char> usable(static_cast<size_t>(n_threads), 1);
  const auto cuts = balanced_cuts(matrix.rows, static_cast<size_t>(n_threads), [&](size_t i) { return matrix.indptr[i]; });
  run_threads(n_threads, [&](int t) {
    GaussianReader<Index> reader(matrix, missing);
    typename CsrReader<Index>::Row row;
    for (size_t i = cuts[t]; i < cuts[t + 1] && usable[t]; ++i) {
      usable[t] = reader.read(static_cast<int64_t>(i), row);
      const double weight = row_weight ? row_weight[i] : 1.0;
      if (!usable[t] || weight == 0) continue;
      const size_t base = static_cast<size_t>(class_index[i] * d);
      for (size_t e = 0; e < row.size; ++e) parts[t].add(base + static_cast<size_t>(row.columns[e]), weight, row.values[e]);
    }
  });
  for (char each : usable)
    if (!each) {
      bad = first_unusable(matrix, missing);
      return Moments(0, 0);
    }
  for (int t = 1; t < n_threads; ++t) parts[0].join(parts[t]);
  std::vector<DoubleDouble<double>> class_weight(static_cast<size_t>(n_classes));
  std::vector<int64_t> class_rows(static_cast<size_t>(n_classes));
  for (size_t i = 0; i < matrix.rows; ++i) {
    const double weight = row_weight ? row_weight[i] : 1.0;
    class_weight[class_index[i]] = class_weight[class_index[i]] + wide(weight);
    class_rows[class_index[i]] += weight != 0;
  }
  overflow = false;
  for (int64_t c = 0; c < n_classes; ++c)
    for (int64_t j = 0; j < d; ++j) {
      const size_t cell = static_cast<size_t>(c * d + j);
      parts[0].add_zeros(cell, class_rows[c], class_weight[c]);
      overflow |= !std::isfinite(parts[0].moments.m2[cell]);
    }
  return std::move(parts[0].moments);
}

// A column whose mean lies this many standard deviations (squared) from zero in some class is scored value by value, its
// zeros too: as a difference from a row of zeros its score would lose digits.
constexpr double kFarFromZero = 1e4;

/// Scores [n][K] of CSR rows: those of a row of zeros, plus what the stored values change.
template <class Index>
BadEntry sparse_gaussian_scores(const CsrView<Index>& matrix, const GaussianTable& table, int n_threads, double* out) {
  const int64_t K = table.n_classes, d = table.n_columns;
  const bool missing = table.constant != nullptr;
  // [d][K] each, so that an entry meets neighbouring numbers.
  std::vector<double> mean(static_cast<size_t>(K * d)), factor(mean.size()), at_zero(mean.size());
  std::vector<double> base(table.base, table.base + K);
  std::vector<int64_t> far_index(static_cast<size_t>(d), -1), far_columns;
  for (int64_t j = 0; j < d; ++j) {
    double farthest = 0;
    for (int64_t c = 0; c < K; ++c) {
      const double m = table.mean[c * d + j], f = table.factor[c * d + j];
      mean[j * K + c] = m;
      factor[j * K + c] = f;
      at_zero[j * K + c] = f * m * m + (missing ? table.constant[c * d + j] : 0.0);
      farthest = std::max(farthest, std::abs(f * m * m));
    }
    if (farthest > kFarFromZero) {
      far_index[j] = static_cast<int64_t>(far_columns.size());
      far_columns.push_back(j);
    } else {
      for (int64_t c = 0; c < K; ++c) base[c] += at_zero[j * K + c];
    }
  }
  n_threads = static_cast<int>(std::clamp<int64_t>(n_threads, 1, std::max<int64_t>(static_cast<int64_t>(matrix.rows) / 256, 1)));
  std::vector<char> usable(static_cast<size_t>(n_threads), 1);
  const auto cuts = balanced_cuts(matrix.rows, static_cast<size_t>(n_threads), [&](size_t i) { return matrix.indptr[i]; });
  run_threads(n_threads, [&](int t) {
    GaussianReader<Index> reader(matrix, missing);
    typename CsrReader<Index>::Row row;
    std::vector<double> far_values(far_columns.size());
    for (size_t i = cuts[t]; i < cuts[t + 1] && usable[t]; ++i) {
      usable[t] = reader.read(static_cast<int64_t>(i), row);
      if (!usable[t]) break;
      double* score = out + i * static_cast<size_t>(K);
      std::copy(base.begin(), base.end(), score);
      std::fill(far_values.begin(), far_values.end(), 0.0);
      for (size_t e = 0; e < row.size; ++e) {
        const int64_t j = static_cast<int64_t>(row.columns[e]);
        const double x = row.values[e];
        const double *m = &mean[j * K], *f = &factor[j * K], *zero = &at_zero[j * K];
        if (far_index[j] >= 0)
          far_values[far_index[j]] = x;
        else if (std::isnan(x))
          for (int64_t c = 0; c < K; ++c) score[c] -= zero[c];
        else
          for (int64_t c = 0; c < K; ++c) score[c] += f[c] * x * (x - 2.0 * m[c]);
      }
      for (size_t far = 0; far < far_columns.size(); ++far) {
        const int64_t j = far_columns[far];
        const double x = far_values[far];
        if (std::isnan(x)) continue;
        for (int64_t c = 0; c < K; ++c) {
          const double away = x - mean[j * K + c];
          score[c] += away * away * factor[j * K + c] + (missing ? table.constant[c * d + j] : 0.0);
        }
      }
    }
  });
  for (char each : usable)
    if (!each) return first_unusable(matrix, missing);
  return {};
}

}  // namespace tb
