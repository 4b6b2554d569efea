// Moments per class and column, and the scores of Gaussian columns.
// The loops name their vectors themselves; merged loads of neighbouring constants would turn broadcasts into shuffles.
#pragma GCC optimize("no-tree-slp-vectorize")
#include "../gaussian.hpp"
#include "../moments.hpp"
#include "../posterior.hpp"

#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>

#include "arrays.hpp"

namespace tb::bind {
using namespace nb::literals;

namespace {
void check_classes(const In<int32_t>& class_index, size_t n, int64_t n_classes) {
  if (class_index.shape(0) != n) throw std::invalid_argument("class_index must have one entry per row");
  for (size_t i = 0; i < n; ++i)
    if (class_index.data()[i] < 0 || class_index.data()[i] >= n_classes)
      throw std::invalid_argument("class_index out of range");
}

nb::object cell(const BadCell& bad) {
  if (bad.row < 0) return nb::none();
  return nb::make_tuple(bad.row, bad.column);
}

template <class T>
nb::dict moments(In2<T> X, In<int32_t> class_index, int64_t n_classes, std::optional<In<double>> weights, bool missing,
                 int n_jobs) {
  const DenseRows<T> rows{X.data(), static_cast<int64_t>(X.shape(0)), static_cast<int64_t>(X.shape(1))};
  check_classes(class_index, X.shape(0), n_classes);
  if (weights && weights->shape(0) != X.shape(0)) throw std::invalid_argument("weights must have one entry per row");
  BadCell bad;
  bool overflow = false;
  Moments result(0, 0);
  {
    nb::gil_scoped_release release;
    result = dense_moments(rows, class_index.data(), n_classes, weights ? weights->data() : nullptr, missing, n_jobs, bad,
                           overflow);
  }
  nb::dict out;
  out["weight"] = to_numpy(std::move(result.weight));
  out["mean"] = to_numpy(std::move(result.mean));
  out["m2"] = to_numpy(std::move(result.m2));
  out["bad"] = cell(bad);
  out["overflow"] = overflow;
  return out;
}

template <class T>
nb::object scores(In2<T> X, In2<double> mean, In2<double> factor, std::optional<In2<double>> constant, In<double> base,
                  Out2<double> out, int n_jobs) {
  const DenseRows<T> rows{X.data(), static_cast<int64_t>(X.shape(0)), static_cast<int64_t>(X.shape(1))};
  const size_t K = base.shape(0), d = X.shape(1);
  auto fits = [&](const In2<double>& table) { return table.shape(0) == K && table.shape(1) == d; };
  if (!fits(mean) || !fits(factor) || (constant && !fits(*constant)))
    throw std::invalid_argument("the table must be classes × columns");
  if (out.shape(0) != X.shape(0) || out.shape(1) != K) throw std::invalid_argument("out must be rows × classes");
  const GaussianTable table{static_cast<int64_t>(K), static_cast<int64_t>(d), mean.data(), factor.data(),
                            constant ? constant->data() : nullptr, base.data()};
  BadCell bad;
  {
    nb::gil_scoped_release release;
    bad = gaussian_scores(rows, table, n_jobs, out.data());
  }
  return cell(bad);
}

nb::object choose(In2<double> joint, double margin, Out<int64_t> choice) {
  if (choice.shape(0) != joint.shape(0)) throw std::invalid_argument("choice must have one entry per row");
  std::vector<int64_t> open;
  {
    nb::gil_scoped_release release;
    if (joint.shape(1) > 0)
      open = largest(joint.data(), static_cast<int64_t>(joint.shape(0)), static_cast<int64_t>(joint.shape(1)), margin,
                     choice.data());
  }
  return nb::cast(to_numpy(std::move(open)));
}

template <class T>
void bind_type(nb::module_& m) {
  m.def("moments", &moments<T>, "X"_a.noconvert(), "class_index"_a.noconvert(), "n_classes"_a,
        "weights"_a.noconvert() = nb::none(), "missing"_a = false, "n_jobs"_a = 1,
        "Weight, mean and sum of squared deviations of each class and column, flat [K * d]; `bad` is the first (row, column) "
        "whose value is not finite (NaN allowed where `missing`), `overflow` says that a sum of squares is not finite.");
  m.def("gaussian_scores", &scores<T>, "X"_a.noconvert(), "mean"_a.noconvert(), "factor"_a.noconvert(),
        "constant"_a.noconvert().none(), "base"_a.noconvert(), "out"_a.noconvert(), "n_jobs"_a = 1,
        "Fill out [n, K] with base + Σ factor (x - mean)² (+ constant, with NaN columns left out); returns the first bad "
        "(row, column) or None.");
}
}  // namespace

void bind_moments(nb::module_& m) {
  bind_type<double>(m);
  bind_type<float>(m);
  m.def("largest", &choose, "joint"_a.noconvert(), "margin"_a, "choice"_a.noconvert(),
        "Fill choice [n] with the first largest class of each row of joint [n, K]; returns the rows where another class comes "
        "within the margin or the largest is not finite.");
}
}  // namespace tb::bind
