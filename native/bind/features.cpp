#include "features.hpp"

#include "arrays.hpp"

namespace tb::bind {

void bind_features(nb::module_& m) {
  m.def(
      "check_text_features",
      [](In<uint8_t> bytes, In<int64_t> offsets) {
        nb::gil_scoped_release released;
        check_text_features(bytes.data(), bytes.size(), offsets.data(), offsets.size());
      },
      nb::arg("bytes").noconvert(), nb::arg("offsets").noconvert(),
      "Raise ValueError unless offsets rise over all bytes, and features are UTF-8 and strictly ascending.");
  m.def(
      "check_cells",
      [](In<int64_t> indptr, In<int32_t> class_index, int64_t n_classes) {
        nb::gil_scoped_release released;
        check_cells(indptr.data(), indptr.size(), class_index.data(), class_index.size(), n_classes);
      },
      nb::arg("indptr").noconvert(), nb::arg("class_index").noconvert(), nb::arg("n_classes"),
      "Raise ValueError unless each feature has cells, whose classes ascend and are below n_classes.");
}

}  // namespace tb::bind
