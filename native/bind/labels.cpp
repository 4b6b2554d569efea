// Labels: codes for the rows of a matrix, and for a list of Python objects of one type.
#include "labels.hpp"

#include "arrays.hpp"
#include "checks.hpp"

namespace tb::bind {
namespace {

nb::tuple encode_rows_of(In2<uint8_t> rows, uint64_t seed) {
  RowCodes codes;
  {
    nb::gil_scoped_release released;
    codes = encode_rows(rows.data(), rows.shape(0), rows.shape(1), seed);
  }
  return nb::make_tuple(to_numpy(std::move(codes.first)), to_numpy(std::move(codes.code)));
}

nb::object encode_range_of(In<int64_t> values, uint64_t limit) {
  std::optional<RangeCodes> codes;
  if (values.size() > 0) {
    nb::gil_scoped_release released;
    codes = encode_range(values.data(), values.size(), limit);
  }
  if (!codes) return nb::none();
  return nb::make_tuple(to_numpy(std::move(codes->distinct)), to_numpy(std::move(codes->code)));
}

nb::ndarray<nb::numpy, int64_t, nb::ndim<1>> count_classes_of(In<int32_t> codes, int32_t n_classes) {
  check_below(codes.data(), codes.size(), n_classes, "codes");
  return to_numpy(count_classes(codes.data(), codes.size(), static_cast<size_t>(std::max(n_classes, 0))));
}

/// Distinct elements of a list or tuple in order of appearance, and the code of each element. Stops at the first element whose
/// type is not exactly that of element 0, since 1 == 1.0 == True would be one key of a dict: the answer is then None.
nb::object encode_objects(nb::object values) {
  PyObject* sequence = values.ptr();
  if (!PyList_CheckExact(sequence) && !PyTuple_CheckExact(sequence)) throw nb::type_error("a list or a tuple is needed");
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(sequence);
  nb::dict known;
  nb::list distinct;
  std::vector<int32_t> codes(static_cast<size_t>(n));
  // Most lists repeat the same few objects: a small table by address saves asking the dict.
  struct Seen {
    PyObject* object = nullptr;
    int32_t code = 0;
  };
  std::vector<Seen> cache(1 << 12);
  PyTypeObject* type = nullptr;
  for (Py_ssize_t row = 0; row < n; ++row) {
    if (row >= PySequence_Fast_GET_SIZE(sequence)) throw nb::value_error("the labels changed while they were read");
    PyObject* value = PySequence_Fast_GET_ITEM(sequence, row);
    if (type == nullptr) type = Py_TYPE(value);
    if (Py_TYPE(value) != type) return nb::none();
    const auto address = reinterpret_cast<uintptr_t>(value);
    Seen& seen = cache[((address >> 4) * 0x9e3779b97f4a7c15ULL) >> 52];
    if (seen.object != value) {
      // Only built-in types come here, whose hash and == run no foreign code: `value` stays alive in its list.
      PyObject* code = PyDict_GetItemWithError(known.ptr(), value);
      if (code == nullptr) {
        if (PyErr_Occurred()) throw nb::python_error();
        const nb::int_ next(distinct.size());
        if (PyDict_SetItem(known.ptr(), value, next.ptr()) < 0) throw nb::python_error();
        distinct.append(nb::borrow(value));
        seen = {value, static_cast<int32_t>(distinct.size() - 1)};
      } else {
        seen = {value, static_cast<int32_t>(PyLong_AsLong(code))};
      }
    }
    codes[static_cast<size_t>(row)] = seen.code;
  }
  return nb::make_tuple(distinct, to_numpy(std::move(codes)));
}

}  // namespace

void bind_labels(nb::module_& m) {
  m.def("encode_rows", &encode_rows_of, nb::arg("rows").noconvert(), nb::arg("seed"),
        nb::sig("def encode_rows(rows: NDArray[numpy.uint8], seed: int) -> tuple[NDArray[numpy.int64], "
                "NDArray[numpy.int32]]"),
        "Distinct rows of a matrix of bytes: (row of the first appearance of each, code of each row).");
  m.def("encode_range", &encode_range_of, nb::arg("values").noconvert(), nb::arg("limit"),
        nb::sig("def encode_range(values: NDArray[numpy.int64], limit: int) -> tuple[NDArray[numpy.int64], "
                "NDArray[numpy.int32]] | None"),
        "Distinct whole numbers, ascending, and the code of each value; None if there are none or they span `limit` or more.");
  m.def("count_classes", &count_classes_of, nb::arg("codes").noconvert(), nb::arg("n_classes"),
        "How often each class comes, int64.");
  m.def("encode_objects", &encode_objects, nb::arg("values"),
        nb::sig("def encode_objects(values: list[typing.Any] | tuple[typing.Any, ...]) -> tuple[list[typing.Any], "
                "NDArray[numpy.int32]] | None"),
        "Distinct objects of a list and the code of each element, or None if they are of several types.");
}

}  // namespace tb::bind
