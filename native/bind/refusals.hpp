// What a check of a matrix found, as Python hears of it.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "bad_cell.hpp"

namespace tb::bind {

/// A column that the matrix does not have is an error at once: no value is to blame.
inline void refuse_outside(const BadEntry& bad) {
  if (bad.outside)
    throw std::invalid_argument("column " + std::to_string(bad.column) + " in row " + std::to_string(bad.row) +
                                " is out of range");
}

/// (row, column), or None.
inline nanobind::object place_of(const BadCell& bad) {
  if (!bad.found()) return nanobind::none();
  return nanobind::make_tuple(bad.row, bad.column);
}

using Refused = std::optional<std::tuple<int64_t, int64_t, double>>;

/// (row, column, value), or None.
inline Refused entry_of(const BadEntry& bad) {
  refuse_outside(bad);
  if (!bad.found()) return std::nullopt;
  return std::tuple(bad.row, bad.column, bad.value);
}
}  // namespace tb::bind
