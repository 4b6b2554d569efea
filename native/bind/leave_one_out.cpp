#include "leave_one_out.hpp"

#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "checks.hpp"
#include "csr_arguments.hpp"

namespace tb::bind {
namespace {

EventModel event_model_named(const std::string& name) {
  if (name == "multinomial") return EventModel::multinomial;
  if (name == "complement") return EventModel::complement;
  if (name == "bernoulli") return EventModel::bernoulli;
  throw std::invalid_argument("event_model must be 'multinomial', 'complement' or 'bernoulli', got '" + name + "'");
}

template <class Index>
void leave_one_out(In<int64_t> indptr, In<Index> indices, AnyArray data, In<int32_t> row_class,
                   Maybe<In<double>> row_weight, In<int64_t> tally_indptr, In<int32_t> class_index, In<double> counts,
                   In<double> class_count, Out2<double> out, const std::string& event_model, double alpha, bool norm,
                   bool vanish, int n_jobs) {
  check_offsets(tally_indptr.data(), tally_indptr.size(), class_index.size(), "tally_indptr");
  check_size(counts.size(), class_index.size(), "counts");
  const auto classes = static_cast<int32_t>(class_count.size());
  check_below(class_index.data(), class_index.size(), classes, "class_index");
  const CountTable tally{classes, tally_indptr.size() - 1, tally_indptr.data(), class_index.data(), counts.data(), class_count.data()};
  const auto rows = view_of(indptr, indices, data, static_cast<int64_t>(tally.features));
  check_size(row_class.size(), rows.rows, "row_class");
  check_below(row_class.data(), row_class.size(), classes, "row_class");
  if (row_weight) check_size(row_weight->size(), rows.rows, "row_weight");
  if (out.shape(0) != rows.rows || out.shape(1) != class_count.size())
    throw std::invalid_argument("out must have the shape (rows, classes)");
  if (!(alpha >= 0)) throw std::invalid_argument("alpha must be at least 0");
  const LeaveOneOutOptions options{event_model_named(event_model), alpha, norm, vanish, checked_threads(n_jobs)};
  nb::gil_scoped_release release;
  LeaveOneOut<Index>(tally, options).score(rows, row_class.data(), data_or_null(row_weight), out.data());
}

template <class Index>
void bind_for(nb::module_& m) {
  m.def("leave_one_out", &leave_one_out<Index>, nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("data").noconvert(), nb::arg("row_class").noconvert(), nb::arg("row_weight").noconvert().none(),
        nb::arg("tally_indptr").noconvert(), nb::arg("class_index").noconvert(), nb::arg("counts").noconvert(),
        nb::arg("class_count").noconvert(), nb::arg("out").noconvert(), nb::arg("event_model"), nb::arg("alpha"),
        nb::arg("norm"), nb::arg("vanish"), nb::arg("n_jobs"),
        "Log likelihoods [rows, classes] of counted rows, each with its own counts taken out of the tally first.\n"
        "Columns are the tally's features; vanish: a feature that nothing else has leaves the vocabulary.");
}
}  // namespace

void bind_leave_one_out(nb::module_& m) {
  bind_for<int32_t>(m);
  bind_for<int64_t>(m);
}
}  // namespace tb::bind
