// Rows of separated values out of a str, the wanted cells as str.
#include "separated.hpp"

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace tb::bind {
namespace {

struct Wanted {
  size_t width;
  int64_t text, label, id;  // columns; -1: not wanted
};

template <class Char>
nb::object cell_text(nb::handle text, int kind, const RowScanner<Char>& scanner, const Cell& cell,
                     std::vector<Char>& scratch) {
  PyObject* made;
  if (cell.doubled == 0) {
    made = PyUnicode_Substring(text.ptr(), static_cast<Py_ssize_t>(cell.begin), static_cast<Py_ssize_t>(cell.end));
  } else {
    scanner.unquote(cell, scratch);
    made = PyUnicode_FromKindAndData(kind, scratch.data(), static_cast<Py_ssize_t>(scratch.size()));
  }
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

template <class Char>
nb::tuple rows_of(nb::str text, int kind, size_t line, uint32_t separator, const Wanted& wanted, bool final) {
  const auto length = static_cast<size_t>(PyUnicode_GET_LENGTH(text.ptr()));
  const RowScanner<Char> scanner(static_cast<const Char*>(PyUnicode_DATA(text.ptr())), length, separator);
  nb::list documents, labels, ids, lines;
  std::vector<Cell> cells;
  std::vector<Char> scratch;
  size_t position = 0;
  bool sound = true;
  while (position < length) {
    const size_t begin = position;
    size_t line_ends = 0;
    const RowEnd end = scanner.next(position, cells, line_ends, final);
    if (end == RowEnd::open && !final) break;
    const bool blank = end == RowEnd::row && cells.size() == 1 && cells[0].end == begin;
    if (!blank) {
      const bool good = end == RowEnd::row && cells.size() == wanted.width &&
                        (wanted.label < 0 || cells[wanted.label].begin < cells[wanted.label].end);
      if (!good) {
        position = begin;
        sound = false;
        break;
      }
      documents.append(cell_text(text, kind, scanner, cells[wanted.text], scratch));
      if (wanted.label >= 0) labels.append(cell_text(text, kind, scanner, cells[wanted.label], scratch));
      if (wanted.id >= 0) ids.append(cell_text(text, kind, scanner, cells[wanted.id], scratch));
      lines.append(nb::int_(line));
    }
    line += line_ends;
  }
  return nb::make_tuple(documents, labels, ids, lines, position, line, sound);
}

nb::tuple separated_rows(nb::str text, size_t line, nb::str separator, size_t width, int64_t text_column,
                         int64_t label_column, int64_t id_column, bool final) {
#if PY_VERSION_HEX < 0x030C0000
  if (PyUnicode_READY(text.ptr()) < 0 || PyUnicode_READY(separator.ptr()) < 0) throw nb::python_error();
#endif
  if (PyUnicode_GET_LENGTH(separator.ptr()) != 1) throw nb::value_error("a separator is one character");
  const auto columns = static_cast<int64_t>(width);
  if (text_column < 0 || text_column >= columns || label_column >= columns || id_column >= columns)
    throw nb::value_error("a wanted column lies outside the row");
  const Wanted wanted{width, text_column, label_column, id_column};
  const uint32_t mark = PyUnicode_READ_CHAR(separator.ptr(), 0);
  const int kind = PyUnicode_KIND(text.ptr());
  switch (kind) {
    case PyUnicode_1BYTE_KIND: return rows_of<Py_UCS1>(text, kind, line, mark, wanted, final);
    case PyUnicode_2BYTE_KIND: return rows_of<Py_UCS2>(text, kind, line, mark, wanted, final);
    default: return rows_of<Py_UCS4>(text, kind, line, mark, wanted, final);
  }
}

}  // namespace

void bind_separated(nb::module_& m) {
  m.def("separated_rows", &separated_rows, nb::arg("text"), nb::arg("line"), nb::arg("separator"), nb::arg("width"),
        nb::arg("text_column"), nb::arg("label_column"), nb::arg("id_column"), nb::arg("final"),
        "The wanted cells of the rows in a text that begins with a row: (documents, labels, ids, line of each, where it\n"
        "stopped, the line there, sound). Stops before a row that the text does not end, and, not sound, before one that\n"
        "is not as it should be: a quote out of place, another width, an empty label.");
}

}  // namespace tb::bind
