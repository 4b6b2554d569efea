// The kernel's only door: Python is known in this folder and nowhere else under native/.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace tb::bind {
void bind_documents(nb::module_& m);
void bind_text(nb::module_& m);
void bind_labels(nb::module_& m);
void bind_features(nb::module_& m);
void bind_csr(nb::module_& m);
void bind_count(nb::module_& m);
void bind_leave_one_out(nb::module_& m);
void bind_merge(nb::module_& m);
void bind_categorical(nb::module_& m);
void bind_moments(nb::module_& m);
void bind_separated(nb::module_& m);
}  // namespace tb::bind

NB_MODULE(_kernel, m) {
  // A model at the top of a script lives until the interpreter has gone: no leak to tell the user about.
  nb::set_leak_warnings(false);
  m.doc() = "Loops of tallybayes on contiguous arrays. Private: use the package's Python names.";
  tb::bind::bind_documents(m);
  tb::bind::bind_text(m);
  tb::bind::bind_labels(m);
  tb::bind::bind_features(m);
  tb::bind::bind_csr(m);
  tb::bind::bind_count(m);
  tb::bind::bind_leave_one_out(m);
  tb::bind::bind_merge(m);
  tb::bind::bind_categorical(m);
  tb::bind::bind_moments(m);
  tb::bind::bind_separated(m);
}
