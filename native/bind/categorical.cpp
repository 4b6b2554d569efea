// Counting and scoring of integer codes.
#include "arrays.hpp"
#include "categorical.hpp"
#include "checks.hpp"
#include "refusals.hpp"

namespace tb::bind {
using namespace nb::literals;

namespace {
template <class T, class C>
nb::dict count(In2<T> X, In<int32_t> class_index, int64_t n_classes, Maybe<In<C>> weights, bool missing,
               int64_t limit, int n_jobs) {
  check_size(class_index.size(), X.shape(0), "class_index");
  check_below(class_index.data(), class_index.size(), n_classes, "class_index");
  if (weights) check_size(weights->size(), X.shape(0), "weights");
  const DenseRows<T> rows{X.data(), static_cast<int64_t>(X.shape(0)), static_cast<int64_t>(X.shape(1))};
  CodeTable<C> table;
  {
    nb::gil_scoped_release release;
    table = count_codes<T, C>(rows, class_index.data(), n_classes, data_or_null(weights), missing, limit,
                              checked_threads(n_jobs));
  }
  nb::dict out;
  out["negative"] = place_of(table.negative);
  out["too_wide"] = table.too_wide;
  out["size"] = to_numpy(std::move(table.size));
  out["cells"] = to_numpy(std::move(table.cells));
  return out;
}

template <class T>
nb::tuple score(In2<T> X, In<int64_t> first, In2<double> table, In<double> base, int64_t n_classes, bool missing,
                bool unseen, Out2<double> out, int n_jobs) {
  const size_t d = X.shape(1), stride = table.shape(1);
  if (first.shape(0) != d + 1 || first.data()[0] != 0 || static_cast<size_t>(first.data()[d]) != table.shape(0))
    throw std::invalid_argument("first must hold the rows of the table of each column");
  for (size_t j = 0; j < d; ++j)
    if (first.data()[j + 1] <= first.data()[j]) throw std::invalid_argument("every column needs a row for unseen codes");
  if (stride % kLanes != 0 || base.shape(0) != stride || n_classes < 0 || static_cast<size_t>(n_classes) > stride)
    throw std::invalid_argument("table and base must be padded to a multiple of four classes");
  if (out.shape(0) != X.shape(0) || out.shape(1) != static_cast<size_t>(n_classes))
    throw std::invalid_argument("out must be rows × classes");
  const DenseRows<T> rows{X.data(), static_cast<int64_t>(X.shape(0)), static_cast<int64_t>(d)};
  const CodeScores scores{n_classes, static_cast<int64_t>(stride), first.data(), table.data(), base.data()};
  CodeRefusal refusal;
  {
    nb::gil_scoped_release release;
    refusal = score_codes(rows, scores, missing, unseen, checked_threads(n_jobs), out.data());
  }
  return nb::make_tuple(place_of(refusal.negative), place_of(refusal.unseen));
}

template <class T>
void bind_type(nb::module_& m) {
  const char* doc =
      "Class counts of the codes: size [d] (largest code counted + 1), cells flat [K][Σ size]; negative codes are missing values "
      "where `missing`, else `negative` is the first; `too_wide`: more than `limit` cells would be needed.";
  m.def("count_codes", &count<T, int64_t>, "X"_a.noconvert(), "class_index"_a.noconvert(), "n_classes"_a,
        "weights"_a.noconvert().none(), "missing"_a, "limit"_a, "n_jobs"_a, doc);
  m.def("count_codes", &count<T, double>, "X"_a.noconvert(), "class_index"_a.noconvert(), "n_classes"_a,
        "weights"_a.noconvert(), "missing"_a, "limit"_a, "n_jobs"_a, doc);
  m.def("score_codes", &score<T>, "X"_a.noconvert(), "first"_a.noconvert(), "table"_a.noconvert(), "base"_a.noconvert(),
        "n_classes"_a, "missing"_a, "unseen"_a, "out"_a.noconvert(), "n_jobs"_a,
        "Fill out [n, K] with base + Σ table[first[j] + code]; codes past a column's own take its last row. Returns the "
        "first (row, column) that is negative and the first that is unseen, where these are not allowed.");
}
}  // namespace

void bind_categorical(nb::module_& m) {
  bind_type<int64_t>(m);
  bind_type<int32_t>(m);
  bind_type<uint8_t>(m);
}
}  // namespace tb::bind
