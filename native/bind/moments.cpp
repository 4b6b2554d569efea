// Moments per class and column, and the scores of Gaussian columns; rows dense or CSR.
// The loops name their vectors themselves; merged loads of neighbouring constants would turn broadcasts into shuffles.
#pragma GCC optimize("no-tree-slp-vectorize")
#include "arrays.hpp"
#include "checks.hpp"
#include "csr_arguments.hpp"
#include "gaussian.hpp"
#include "moments.hpp"
#include "posterior.hpp"
#include "refusals.hpp"
#include "sparse_moments.hpp"

namespace tb::bind {
using namespace nb::literals;

namespace {
nb::dict moments_dict(Moments&& moments, const BadCell& bad, bool overflow) {
  nb::dict out;
  out["weight"] = to_numpy(std::move(moments.weight));
  out["mean"] = to_numpy(std::move(moments.mean));
  out["m2"] = to_numpy(std::move(moments.m2));
  out["low"] = to_numpy(std::move(moments.low));
  out["bad"] = place_of(bad);
  out["overflow"] = overflow;
  return out;
}

void check_rows(size_t rows, const In<int32_t>& class_index, int64_t n_classes, const Maybe<In<double>>& weights) {
  check_size(class_index.size(), rows, "class_index");
  check_below(class_index.data(), rows, n_classes, "class_index");
  if (weights) check_size(weights->size(), rows, "weights");
}

GaussianTable table_of(size_t columns, const In2<double>& mean, const In2<double>& factor,
                       const Maybe<In2<double>>& constant, const In<double>& base) {
  auto fits = [&](const In2<double>& table) { return table.shape(0) == base.size() && table.shape(1) == columns; };
  if (!fits(mean) || !fits(factor) || (constant && !fits(*constant)))
    throw std::invalid_argument("the table must be classes × columns");
  return {static_cast<int64_t>(base.size()), static_cast<int64_t>(columns), mean.data(), factor.data(),
          data_or_null(constant), base.data()};
}

void check_out(const Out2<double>& out, size_t rows, size_t classes) {
  if (out.shape(0) != rows || out.shape(1) != classes) throw std::invalid_argument("out must be rows × classes");
}

template <class T>
nb::dict moments(In2<T> X, In<int32_t> class_index, int64_t n_classes, Maybe<In<double>> weights, bool missing,
                 int n_jobs) {
  const DenseRows<T> rows{X.data(), static_cast<int64_t>(X.shape(0)), static_cast<int64_t>(X.shape(1))};
  check_rows(X.shape(0), class_index, n_classes, weights);
  BadCell bad;
  bool overflow = false;
  Moments result(0, 0);
  {
    nb::gil_scoped_release release;
    result = dense_moments(rows, class_index.data(), n_classes, data_or_null(weights), missing, checked_threads(n_jobs),
                           bad, overflow);
  }
  return moments_dict(std::move(result), bad, overflow);
}

template <class Index>
nb::dict moments_csr(In<int64_t> indptr, In<Index> indices, AnyArray data, int64_t n_columns, In<int32_t> class_index,
                     int64_t n_classes, Maybe<In<double>> weights, bool missing, int n_jobs) {
  const auto matrix = view_of(indptr, indices, data, n_columns);
  check_rows(matrix.rows, class_index, n_classes, weights);
  BadEntry bad;
  bool overflow = false;
  Moments result(0, 0);
  {
    nb::gil_scoped_release release;
    result = sparse_moments(matrix, class_index.data(), n_classes, data_or_null(weights), missing,
                            checked_threads(n_jobs), bad, overflow);
  }
  refuse_outside(bad);
  return moments_dict(std::move(result), bad, overflow);
}

/// What of a tally is handed over: weight, mean, m2 [K][d] and their second halves [4][K][d], none where they are not known.
struct Parts {
  In2<double> weight, mean, m2;
  Maybe<In3<double>> low;

  CellMoments get(size_t i) const {
    const size_t size = weight.size();
    const double* rest = low ? low->data() : nullptr;
    auto second = [&](size_t part) { return rest ? rest[part * size + i] : 0.0; };
    return {{weight.data()[i], second(0)}, {mean.data()[i], second(1)}, {m2.data()[i], second(2)}, second(3)};
  }
};

template <class Array, class Low>
void check_parts(const Array& weight, const Array& mean, const Array& m2, const Low& low) {
  auto fits = [&](const Array& part) { return part.shape(0) == weight.shape(0) && part.shape(1) == weight.shape(1); };
  if (!fits(mean) || !fits(m2) || low.shape(0) != 4 || low.shape(1) != weight.shape(0) || low.shape(2) != weight.shape(1))
    throw std::invalid_argument("weight, mean, m2 and low must be classes × columns");
}

/// Change the classes `at` of a tally's arrays by those of another; returns the first cell that cannot be, and why.
std::optional<std::tuple<int64_t, int64_t, int>> change(
    Out2<double> weight, Out2<double> mean, Out2<double> m2, Out3<double> low, In<int32_t> at,
                  In2<double> weight_b, In2<double> mean_b, In2<double> m2_b, Maybe<In3<double>> low_b, bool add,
                  double tolerance, bool rounded) {
  check_parts(weight, mean, m2, low);
  if (weight_b.shape(0) != at.size() || weight_b.shape(1) != weight.shape(1)) throw std::invalid_argument("the parts do not fit");
  if (low_b) check_parts(weight_b, mean_b, m2_b, *low_b);
  check_below(at.data(), at.size(), static_cast<int64_t>(weight.shape(0)), "at");
  const MomentArrays<double> all{weight.data(), mean.data(), m2.data(), low.data(), weight.size()};
  const Parts parts{weight_b, mean_b, m2_b, low_b};
  const size_t d = weight.shape(1);
  size_t wrong = 0;
  Parting why = Parting::kFine;
  {
    nb::gil_scoped_release release;
    for (size_t row = 0; row < at.size() && why == Parting::kFine; ++row)
      for (size_t j = 0; j < d; ++j) {
        const size_t cell = static_cast<size_t>(at.data()[row]) * d + j;
        const CellMoments theirs = parts.get(row * d + j);
        if (theirs.weight.hi == 0) continue;
        CellMoments result;
        if (add) {
          result = joined(all.get(cell), theirs);
          const double finite = result.weight.hi * 0 + result.mean.hi * 0 + result.m2.hi * 0;
          if (finite != 0) why = Parting::kTooHeavy;
        } else {
          why = part(all.get(cell), theirs, tolerance, rounded, result);
        }
        wrong = cell;
        if (why != Parting::kFine) break;
        all.set(cell, result);
      }
  }
  if (why == Parting::kFine) return std::nullopt;
  return std::tuple(static_cast<int64_t>(wrong / d), static_cast<int64_t>(wrong % d), static_cast<int>(why));
}

/// Multiply the weights and squares of a tally by a factor, in place.
void scale(Out2<double> weight, Out2<double> mean, Out2<double> m2, Out3<double> low, double factor) {
  check_parts(weight, mean, m2, low);
  const MomentArrays<double> all{weight.data(), mean.data(), m2.data(), low.data(), weight.size()};
  nb::gil_scoped_release release;
  for (size_t i = 0; i < all.size; ++i) {
    CellMoments cell = all.get(i);
    const DoubleDouble<double> weight_now = cell.weight * wide(factor), m2_now = cell.m2 * wide(factor);
    // Near the ends of the range of doubles their second halves cannot be told.
    cell.weight = {cell.weight.hi * factor, cell.weight.hi * factor == weight_now.hi ? weight_now.lo : 0.0};
    cell.m2 = {cell.m2.hi * factor, cell.m2.hi * factor == m2_now.hi ? m2_now.lo : 0.0};
    cell.error *= factor;
    if (cell.weight.hi == 0) cell = {wide(0.0), wide(0.0), wide(0.0)};
    all.set(i, cell);
  }
}

template <class T>
nb::object scores(In2<T> X, In2<double> mean, In2<double> factor, Maybe<In2<double>> constant, In<double> base,
                  Out2<double> out, int n_jobs) {
  const DenseRows<T> rows{X.data(), static_cast<int64_t>(X.shape(0)), static_cast<int64_t>(X.shape(1))};
  const GaussianTable table = table_of(X.shape(1), mean, factor, constant, base);
  check_out(out, X.shape(0), base.size());
  BadCell bad;
  {
    nb::gil_scoped_release release;
    bad = gaussian_scores(rows, table, checked_threads(n_jobs), out.data());
  }
  return place_of(bad);
}

template <class Index>
nb::object scores_csr(In<int64_t> indptr, In<Index> indices, AnyArray data, In2<double> mean, In2<double> factor,
                      Maybe<In2<double>> constant, In<double> base, Out2<double> out, int n_jobs) {
  const auto matrix = view_of(indptr, indices, data, static_cast<int64_t>(mean.shape(1)));
  const GaussianTable table = table_of(mean.shape(1), mean, factor, constant, base);
  check_out(out, matrix.rows, base.size());
  BadEntry bad;
  {
    nb::gil_scoped_release release;
    bad = sparse_gaussian_scores(matrix, table, checked_threads(n_jobs), out.data());
  }
  refuse_outside(bad);
  return place_of(bad);
}

nb::ndarray<nb::numpy, int64_t, nb::ndim<1>> choose(In2<double> joint, double margin, Out<int64_t> choice, int n_jobs) {
  if (choice.shape(0) != joint.shape(0)) throw std::invalid_argument("choice must have one entry per row");
  std::vector<int64_t> open;
  {
    nb::gil_scoped_release release;
    if (joint.shape(1) > 0)
      open = largest(joint.data(), static_cast<int64_t>(joint.shape(0)), static_cast<int64_t>(joint.shape(1)), margin,
                     checked_threads(n_jobs), choice.data());
  }
  return to_numpy(std::move(open));
}

template <class T>
void bind_type(nb::module_& m) {
  m.def("moments", &moments<T>, "X"_a.noconvert(), "class_index"_a.noconvert(), "n_classes"_a,
        "weights"_a.noconvert().none(), "missing"_a, "n_jobs"_a,
        "Weight, mean and sum of squared deviations of each class and column, flat [K * d]; `bad` is the first (row, column) "
        "whose value is not finite (NaN allowed where `missing`), `overflow` says that a sum of squares is not finite.");
  m.def("gaussian_scores", &scores<T>, "X"_a.noconvert(), "mean"_a.noconvert(), "factor"_a.noconvert(),
        "constant"_a.noconvert().none(), "base"_a.noconvert(), "out"_a.noconvert(), "n_jobs"_a,
        "Fill out [n, K] with base + Σ factor (x - mean)² (+ constant, with NaN columns left out); returns the first bad "
        "(row, column) or None.");
}
template <class Index>
void bind_index(nb::module_& m) {
  m.def("moments_csr", &moments_csr<Index>, "indptr"_a.noconvert(), "indices"_a.noconvert(), "data"_a.noconvert(),
        "n_columns"_a, "class_index"_a.noconvert(), "n_classes"_a, "weights"_a.noconvert().none(), "missing"_a, "n_jobs"_a,
        "As moments, of CSR rows; rows with NaN (where `missing`) must hold no column twice.");
  m.def("gaussian_scores_csr", &scores_csr<Index>, "indptr"_a.noconvert(), "indices"_a.noconvert(),
        "data"_a.noconvert(), "mean"_a.noconvert(), "factor"_a.noconvert(), "constant"_a.noconvert().none(),
        "base"_a.noconvert(), "out"_a.noconvert(), "n_jobs"_a, "As gaussian_scores, of CSR rows.");
}
}  // namespace

void bind_moments(nb::module_& m) {
  bind_type<double>(m);
  bind_type<float>(m);
  bind_index<int32_t>(m);
  bind_index<int64_t>(m);
  m.def("change_moments", &change, "weight"_a.noconvert(), "mean"_a.noconvert(), "m2"_a.noconvert(), "low"_a.noconvert(),
        "at"_a.noconvert(), "weight_b"_a.noconvert(), "mean_b"_a.noconvert(), "m2_b"_a.noconvert(),
        "low_b"_a.noconvert().none(), "add"_a, "tolerance"_a, "rounded"_a,
        "Add to the classes `at` of a tally, or take out of them, the classes of another, in place. Returns None, or (class, "
        "column, why): 1 too large or too heavy, 2 not among what is in, 3 what would be left cannot be known.");
  m.def("scale_moments", &scale, "weight"_a.noconvert(), "mean"_a.noconvert(), "m2"_a.noconvert(), "low"_a.noconvert(),
        "factor"_a, "Multiply weights and sums of squares by a factor, in place.");
  m.def("largest", &choose, "joint"_a.noconvert(), "margin"_a, "choice"_a.noconvert(), "n_jobs"_a,
        "Fill choice [n] with the first largest class of each row of joint [n, K]; returns the rows where another class comes "
        "within the margin or the largest is not finite.");
}
}  // namespace tb::bind
