// Array arguments of the kernel. Bind every one of them with .noconvert(): nanobind otherwise copies an array of
// another dtype in silence, and an output array handed over that way comes back unfilled.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "memory.hpp"

namespace tb::bind {
namespace nb = nanobind;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;  // read-only vector
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // read-only matrix, C order
template <class T>
using In3 = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out3 = nb::ndarray<T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

/// Hand a vector over to NumPy without a copy; the array owns it from then on.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  const size_t size = owned->size();
  nb::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  owned.release();
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner);
}

/// The same for a Buffer.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(Buffer<T>&& values) {
  const size_t size = values.size();
  if (size == 0) return to_numpy(std::vector<T>());
  T* data = values.release();
  nb::capsule owner(data, [](void* p) noexcept { std::free(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner);
}

/// An array argument that may be None.
template <class Array>
using Maybe = std::optional<Array>;

template <class Array>
auto data_or_null(const Maybe<Array>& array) {
  return array ? array->data() : nullptr;
}

/// How many threads a call may use; the caller has resolved None and -1.
inline int checked_threads(int n_jobs) {
  if (n_jobs < 1 || n_jobs > 1024) throw std::invalid_argument("n_jobs must be 1 to 1024, got " + std::to_string(n_jobs));
  return n_jobs;
}
}  // namespace tb::bind
