// The kernel's only door: Python is known in this folder and nowhere else under native/.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace tb::bind {
}  // namespace tb::bind

NB_MODULE(_kernel, m) {
  m.doc() = "Loops of tallybayes on contiguous arrays. Private: use the package's Python names.";
}
