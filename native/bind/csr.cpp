// CSR matrices: counting and scoring. Index arrays are int32 or int64; data of any integer or float type is read in place.
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "checks.hpp"
#include "count_csr.hpp"
#include "csr_arguments.hpp"
#include "refusals.hpp"
#include "score_csr.hpp"
#include "table.hpp"

namespace tb::bind {
namespace {

double least_allowed(bool negative) { return negative ? std::numeric_limits<double>::lowest() : 0.0; }

template <class Index>
nb::dict count_csr(In<int64_t> indptr, In<Index> indices, AnyArray data, int64_t n_columns, In<int32_t> class_index,
                   int32_t n_classes, Maybe<In<double>> weights, bool whole_weights, bool occurrences, bool documents,
                   double threshold, bool negative, Maybe<int64_t> spare, int n_jobs) {
  const auto matrix = view_of(indptr, indices, data, n_columns);
  check_size(class_index.size(), matrix.rows, "class_index");
  check_below(class_index.data(), class_index.size(), n_classes, "class_index");
  if (weights) check_size(weights->size(), matrix.rows, "weights");
  if (!occurrences && !documents) throw std::invalid_argument("at least one of occurrences and documents must be wanted");
  if (static_cast<uint64_t>(n_columns) * static_cast<uint64_t>(std::max(n_classes, 1)) >= uint64_t{1} << 62)
    throw std::invalid_argument("too many columns");
  const CsrCountOptions options{.classes = std::max(n_classes, 1),
                                .weights = data_or_null(weights),
                                .whole_weights = whole_weights,
                                .threshold = threshold,
                                .least = least_allowed(negative),
                                .spare = spare.value_or(usual_spare),
                                .threads = checked_threads(n_jobs)};
  CsrCounts counts;
  {
    nb::gil_scoped_release release;
    const int32_t* classes = class_index.data();
    if (occurrences && documents)
      counts = tb::count_csr<Index, true, true>(matrix, classes, options);
    else if (occurrences)
      counts = tb::count_csr<Index, true, false>(matrix, classes, options);
    else
      counts = tb::count_csr<Index, false, true>(matrix, classes, options);
  }
  nb::dict out;
  out["bad"] = nb::cast(entry_of(counts.bad));
  if (counts.bad.found()) return out;
  out["columns"] = to_numpy(std::move(counts.columns));
  out["indptr"] = to_numpy(std::move(counts.indptr));
  out["class_index"] = to_numpy(std::move(counts.class_index));
  size_t next = 0;
  const auto put = [&](const char* name) {
    if (counts.exact)
      out[name] = to_numpy(std::move(counts.whole[next++]));
    else
      out[name] = to_numpy(std::move(counts.fractional[next++]));
  };
  if (occurrences) put("occurrences");
  if (documents) put("documents");
  return out;
}

template <class Index>
Refused score(In<int64_t> indptr, In<Index> indices, AnyArray data, const ScoreTable& score_table, Out2<double> out,
              const std::string& value, double threshold, bool negative, Maybe<In<int64_t>> unknown, int n_jobs) {
  const Table& table = score_table.table();
  const auto matrix = view_of(indptr, indices, data, static_cast<int64_t>(table.features));
  if (out.shape(0) != matrix.rows || out.shape(1) != static_cast<size_t>(table.classes))
    throw std::invalid_argument("out must have the shape (rows, classes)");
  if (unknown) check_size(unknown->size(), matrix.rows, "unknown");
  const CsrScoreOptions options{.value = value_named(value),
                                .threshold = threshold,
                                .least = least_allowed(negative),
                                .unknown = data_or_null(unknown),
                                .threads = checked_threads(n_jobs)};
  BadEntry bad;
  {
    nb::gil_scoped_release release;
    bad = score_csr(matrix, table, options, out.data());
  }
  return entry_of(bad);
}

template <class Index>
void bind_for(nb::module_& m) {
  m.def("count_csr", &count_csr<Index>, nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("data").noconvert(), nb::arg("n_columns"), nb::arg("class_index").noconvert(), nb::arg("n_classes"),
        nb::arg("weights").noconvert().none(), nb::arg("whole_weights"), nb::arg("occurrences"), nb::arg("documents"),
        nb::arg("threshold"), nb::arg("negative"), nb::arg("spare").none(), nb::arg("n_jobs"),
        "Class sums of CSR rows, feature-major: a dict of columns, indptr, class_index, and per channel int64 where all is\n"
        "whole, else float64. 'bad' is None, or (row, column, value) of the first value refused and then the only entry. `spare`:\n"
        "places for cells that may be laid out whatever the number of stored values, None for the usual number; it changes\n"
        "the speed, not the sums.");
  m.def("score_csr", &score<Index>, nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("data").noconvert(), nb::arg("table"), nb::arg("out").noconvert(), nb::arg("value"), nb::arg("threshold"),
        nb::arg("negative"), nb::arg("unknown").noconvert().none(), nb::arg("n_jobs"),
        "Scores of CSR rows into out [rows, classes]; None, or (row, column, value) of the first value refused.");
}
}  // namespace

void bind_csr(nb::module_& m) {
  nb::class_<ScoreTable>(m, "ScoreTable",
                         "score_c(x) = base_c + scale_c * (sum x_i f_i + |x| unit_c + sum x_i delta_ic), x_i times gain_i first;\n"
                         "feature and gain may be empty. dense: lay out as dense rows what is read faster that way.")
      .def(nb::init<In<double>, In<double>, In<double>, In<double>, In<double>, In<int64_t>, In<int32_t>, In<double>, bool>(),
           nb::arg("base").noconvert(), nb::arg("scale").noconvert(), nb::arg("unit").noconvert(),
           nb::arg("feature").noconvert(), nb::arg("gain").noconvert(), nb::arg("indptr").noconvert(),
           nb::arg("class_index").noconvert(), nb::arg("delta").noconvert(), nb::arg("dense"))
      .def_prop_ro("n_classes", [](const ScoreTable& table) { return table.table().classes; })
      .def_prop_ro("n_features", [](const ScoreTable& table) { return table.table().features; })
      .def_prop_ro("dense_rows", &ScoreTable::dense_rows_held);
  bind_for<int32_t>(m);
  bind_for<int64_t>(m);
}
}  // namespace tb::bind
