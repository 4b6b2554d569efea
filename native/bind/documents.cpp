// _kernel.Documents: str read in place. PyUnicode_AsUTF8AndSize is not used, as it would leave a UTF-8 copy in every str.
#include "arrays.hpp"
#include "objects.hpp"

#include <string>
#include <utility>

namespace tb::bind {
namespace {

std::string place(size_t i) { return "document " + std::to_string(i); }

Document document_of(PyObject* item, size_t i) {
  if (PyUnicode_Check(item)) {
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(item) < 0) throw nb::python_error();
#endif
    const auto length = static_cast<size_t>(PyUnicode_GET_LENGTH(item));
    const void* data = PyUnicode_DATA(item);
    if (PyUnicode_IS_ASCII(item)) return {data, length, Encoding::utf8};
    switch (PyUnicode_KIND(item)) {
      case PyUnicode_1BYTE_KIND: return {data, length, Encoding::latin1};
      case PyUnicode_2BYTE_KIND: return {data, length, Encoding::ucs2};
      default: return {data, length, Encoding::ucs4};
    }
  }
  if (PyBytes_Check(item)) {
    const char* data = PyBytes_AS_STRING(item);
    const auto length = static_cast<size_t>(PyBytes_GET_SIZE(item));
    const size_t bad = utf8_error(data, length);
    if (bad != length)
      throw nb::value_error((place(i) + " is not UTF-8: the byte at offset " + std::to_string(bad)).c_str());
    return {data, length, Encoding::utf8};
  }
  throw nb::type_error((place(i) + " is " + Py_TYPE(item)->tp_name + ", not str").c_str());
}

PyDocuments from_sequence(nb::handle sequence) {
  // A tuple of its own: a list could change, and free its str, while the kernel reads without the GIL.
  nb::object owner;
  if (PyList_Check(sequence.ptr())) {
    owner = nb::steal(PyList_AsTuple(sequence.ptr()));
  } else if (PyTuple_Check(sequence.ptr())) {
    owner = nb::borrow(sequence);
  } else {
    throw nb::type_error((std::string("documents are a list or tuple, not ") + Py_TYPE(sequence.ptr())->tp_name).c_str());
  }
  if (!owner.is_valid()) throw nb::python_error();
  const auto n = static_cast<size_t>(PyTuple_GET_SIZE(owner.ptr()));
  std::vector<Document> documents;
  documents.reserve(n);
  for (size_t i = 0; i < n; ++i)
    documents.push_back(document_of(PyTuple_GET_ITEM(owner.ptr(), static_cast<Py_ssize_t>(i)), i));
  return {Documents(std::move(documents)), std::move(owner)};
}

PyDocuments from_utf8(In<uint8_t> data, In<int64_t> offsets) {
  const size_t n = offsets.size();
  if (n == 0) throw nb::value_error("offsets hold one number more than there are documents; there is none at all");
  const int64_t* at = offsets.data();
  const auto size = static_cast<int64_t>(data.size());
  const auto* bytes = reinterpret_cast<const char*>(data.data());
  if (at[0] < 0 || at[n - 1] > size) throw nb::value_error("offsets reach outside the bytes");
  for (size_t i = 0; i + 1 < n; ++i)
    if (at[i] > at[i + 1]) throw nb::value_error(("offsets fall at " + place(i)).c_str());
  for (size_t i = 0; i + 1 < n; ++i) {  // each by itself: a character must not straddle two documents
    const auto length = static_cast<size_t>(at[i + 1] - at[i]);
    const size_t bad = utf8_error(bytes + at[i], length);
    if (bad != length)
      throw nb::value_error((place(i) + " is not UTF-8: the byte at offset " + std::to_string(bad)).c_str());
  }
  using Arrays = std::pair<In<uint8_t>, In<int64_t>>;
  nb::capsule owner(new Arrays(data, offsets), [](void* p) noexcept { delete static_cast<Arrays*>(p); });
  return {Documents(bytes, at, n - 1), std::move(owner)};
}

PyDocuments slice(const PyDocuments& documents, int64_t begin, int64_t end) {
  const auto n = static_cast<int64_t>(documents.size());
  if (begin < 0 || end < begin || end > n)
    throw nb::value_error(("a slice lies within 0 and " + std::to_string(n) + ", and " + std::to_string(begin) + " to " +
                           std::to_string(end) + " does not").c_str());
  return {documents.slice(static_cast<size_t>(begin), static_cast<size_t>(end)), documents.owner};
}

PyDocuments take(const PyDocuments& documents, In<int64_t> positions) {
  const auto n = static_cast<int64_t>(documents.size());
  for (size_t i = 0; i < positions.size(); ++i)
    if (positions.data()[i] < 0 || positions.data()[i] >= n)
      throw nb::value_error(("there are " + std::to_string(n) + " documents, none at position " +
                             std::to_string(positions.data()[i])).c_str());
  return {documents.take(positions.data(), positions.size()), documents.owner};
}

}  // namespace

void bind_documents(nb::module_& m) {
  nb::class_<PyDocuments>(m, "Documents", "Documents where the caller holds them; read in place, kept alive.")
      .def("__init__", [](PyDocuments* self, nb::object documents) { new (self) PyDocuments(from_sequence(documents)); },
           nb::arg("documents"), "From a list or tuple of str or UTF-8 bytes.")
      .def_static("from_utf8", &from_utf8, nb::arg("data").noconvert(), nb::arg("offsets").noconvert(),
                  "From one buffer of UTF-8; document i is data[offsets[i]:offsets[i + 1]].")
      .def("__len__", &PyDocuments::size)
      .def("slice", &slice, nb::arg("begin"), nb::arg("end"), "Documents begin to end - 1; no text is copied.")
      .def("take", &take, nb::arg("positions").noconvert(),
           "The documents at these positions, in this order, some perhaps more than once; no text is copied.")
      .def_prop_ro("nbytes", [](const PyDocuments& self) { return self.bytes(); },
                   "Bytes the documents take where they lie.");
}

}  // namespace tb::bind
