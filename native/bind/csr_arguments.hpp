// The three arrays of a CSR matrix as the kernel's view of it. Data of any integer or float type is read in place.
#pragma once
#include <stdexcept>

#include "arrays.hpp"
#include "checks.hpp"
#include "csr.hpp"

namespace tb::bind {

using AnyArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline CsrValues values_of(const AnyArray& data) {
  const auto type = data.dtype();
  const auto is = [&](auto zero) { return type == nb::dtype<decltype(zero)>(); };
  const auto as = [&](auto zero) { return CsrValues::of(static_cast<const decltype(zero)*>(data.data())); };
  if (is(double{})) return as(double{});
  if (is(float{})) return as(float{});
  if (is(int64_t{})) return as(int64_t{});
  if (is(int32_t{})) return as(int32_t{});
  if (is(int16_t{})) return as(int16_t{});
  if (is(int8_t{})) return as(int8_t{});
  if (is(uint64_t{})) return as(uint64_t{});
  if (is(uint32_t{})) return as(uint32_t{});
  if (is(uint16_t{})) return as(uint16_t{});
  if (is(uint8_t{}) || is(bool{})) return as(uint8_t{});
  throw nb::type_error("data must be bool, (u)int8 to (u)int64, float32 or float64");
}

template <class Index>
CsrView<Index> view_of(const In<int64_t>& indptr, const In<Index>& indices, const AnyArray& data, int64_t columns) {
  check_offsets(indptr.data(), indptr.size(), indices.size(), "indptr");
  check_size(data.size(), indices.size(), "data");
  if (columns < 0) throw std::invalid_argument("the number of columns must not be negative");
  return {indptr.data(), indices.data(), values_of(data), indptr.size() - 1, columns};
}
}  // namespace tb::bind
