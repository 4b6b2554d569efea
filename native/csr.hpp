// Rows of a CSR matrix as the loops want them: values as double, whatever the matrix holds, checked while they are read.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "memory.hpp"
#include "simd.hpp"

namespace tb {

/// The data array of a CSR matrix. double is read in place; anything else goes row by row through a small scratch.
class CsrValues {
 public:
  template <class T>
  static CsrValues of(const T* data) {
    CsrValues values;
    values.data_ = data;
    values.width_ = sizeof(T);
    if constexpr (!std::is_same_v<T, double>)
      values.convert_ = [](const void* from, int64_t begin, size_t n, double* to) {
        const T* source = static_cast<const T*>(from) + begin;
        for (size_t j = 0; j < n; ++j) to[j] = static_cast<double>(source[j]);
      };
    return values;
  }
  void prefetch_row(int64_t begin, int64_t end) const {
    const char* const data = static_cast<const char*>(data_);
    for (int64_t at = begin * width_; at < end * width_; at += 64) prefetch(data + at);
  }
  const double* row(int64_t begin, size_t n, std::vector<double>& scratch) const {
    if (convert_ == nullptr) return static_cast<const double*>(data_) + begin;
    if (scratch.size() < n) scratch.resize(n);
    convert_(data_, begin, n, scratch.data());
    return scratch.data();
  }

 private:
  const void* data_ = nullptr;
  int64_t width_ = 0;
  void (*convert_)(const void*, int64_t, size_t, double*) = nullptr;
};

template <class Index>
struct CsrView {
  const int64_t* indptr;
  const Index* indices;
  CsrValues values;
  size_t rows;
  int64_t columns;
};

/// What a pass over a row saw.
struct RowFacts {
  bool bad = false;         // an index out of range, a value not finite, or negative where that is refused
  bool fractional = false;  // a value that is no whole number below 2^52
  bool unsorted = false;    // indices not strictly ascending: duplicates are possible

  void add(const RowFacts& other) {
    bad |= other.bad;
    fractional |= other.fractional;
  }
};

template <class Index>
[[gnu::always_inline]] inline RowFacts row_facts(const Index* indices, const double* values, size_t n, int64_t columns,
                                                 double least) {
  using Unsigned = std::make_unsigned_t<Index>;
  const auto bound = static_cast<Unsigned>(
      std::min<uint64_t>(static_cast<uint64_t>(columns), static_cast<uint64_t>(std::numeric_limits<Unsigned>::max())));
  constexpr double whole = 4503599627370496.0;  // 2^52: adding it rounds a smaller double to a whole number
  constexpr double largest = std::numeric_limits<double>::max();
  // Counted, not or-ed: the compiler turns these sums into vector code.
  uint64_t bad_values = 0, fractions = 0;
  Unsigned bad_indices = 0, unsorted = 0;
  for (size_t j = 0; j < n; ++j) {
    const double x = values[j];
    bad_values += static_cast<uint64_t>(!(x >= least)) + static_cast<uint64_t>(!(x <= largest));
    fractions += static_cast<uint64_t>((x + whole) - whole != x);
  }
  for (size_t j = 0; j < n; ++j) bad_indices |= static_cast<Unsigned>(static_cast<Unsigned>(indices[j]) >= bound);
  for (size_t j = 1; j < n; ++j) unsorted |= static_cast<Unsigned>(indices[j] <= indices[j - 1]);
  return {bad_values + bad_indices > 0, fractions > 0, unsorted > 0};
}

template <class Index>
[[gnu::noinline]] RowFacts row_facts_baseline(const Index* indices, const double* values, size_t n, int64_t columns,
                                              double least) {
  return row_facts(indices, values, n, columns, least);
}
#if TB_HAS_AVX2_PATH
template <class Index>
[[gnu::noinline, gnu::target("avx2")]] RowFacts row_facts_avx2(const Index* indices, const double* values, size_t n,
                                                               int64_t columns, double least) {
  return row_facts(indices, values, n, columns, least);
}
#endif

/// The first entry, in row order, that a check refuses.
struct BadEntry {
  bool found = false;
  int64_t row = 0, column = 0;
  double value = 0;
  bool index = false;  // the column number is wrong, not the value
};

/// Reads rows one after another, checked; one per thread.
template <class Index>
class CsrReader {
 public:
  /// Values below `least` are bad: 0 where counts are wanted, -DBL_MAX where any finite value will do.
  CsrReader(const CsrView<Index>& matrix, double least) : matrix_(matrix), least_(least) {
#if TB_HAS_AVX2_PATH
    if (has_avx2()) facts_of_ = row_facts_avx2<Index>;
#endif
  }

  struct Row {
    const Index* columns;
    const double* values;
    size_t size;
  };

  /// Row i; facts() tells about it. `summed`: duplicates are added up first (columns then ascend).
  Row read(int64_t i, bool summed) {
    const int64_t begin = matrix_.indptr[i];
    const size_t n = static_cast<size_t>(matrix_.indptr[i + 1] - begin);
    Row row{matrix_.indices + begin, matrix_.values.row(begin, n, scratch_), n};
    facts_ = facts_of_(row.columns, row.values, n, matrix_.columns, least_);
    if (facts_.unsorted && summed && !facts_.bad) row = sum_duplicates(row);
    return row;
  }
  const RowFacts& facts() const { return facts_; }
  /// Ask for a row that is read next, out of line with the one before.
  void prefetch_row(int64_t i) const {
    const int64_t begin = matrix_.indptr[i], end = std::min(matrix_.indptr[i + 1], begin + 512);
    for (int64_t j = begin; j < end; j += 64 / sizeof(Index)) prefetch(matrix_.indices + j);
    matrix_.values.prefetch_row(begin, end);
  }

 private:
  Row sum_duplicates(const Row& row) {
    order_.resize(row.size);
    std::iota(order_.begin(), order_.end(), uint32_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](uint32_t a, uint32_t b) { return row.columns[a] < row.columns[b]; });
    columns_.clear();
    sums_.clear();
    for (const uint32_t j : order_) {
      if (columns_.empty() || columns_.back() != row.columns[j]) {
        columns_.push_back(row.columns[j]);
        sums_.push_back(row.values[j]);
      } else {
        sums_.back() += row.values[j];
      }
    }
    return {columns_.data(), sums_.data(), columns_.size()};
  }

  const CsrView<Index>& matrix_;
  double least_;
  RowFacts facts_;
  RowFacts (*facts_of_)(const Index*, const double*, size_t, int64_t, double) = row_facts_baseline<Index>;
  std::vector<double> scratch_, sums_;
  std::vector<Index> columns_;
  std::vector<uint32_t> order_;
};

template <class Index>
BadEntry first_bad(const CsrView<Index>& matrix, double least) {
  std::vector<double> scratch;
  for (size_t i = 0; i < matrix.rows; ++i) {
    const int64_t begin = matrix.indptr[i];
    const size_t n = static_cast<size_t>(matrix.indptr[i + 1] - begin);
    const double* values = matrix.values.row(begin, n, scratch);
    for (size_t j = 0; j < n; ++j) {
      const int64_t column = static_cast<int64_t>(matrix.indices[begin + static_cast<int64_t>(j)]);
      const bool index = column < 0 || column >= matrix.columns;
      if (index || !(values[j] >= least) || !(values[j] <= std::numeric_limits<double>::max()))
        return {true, static_cast<int64_t>(i), column, values[j], index};
    }
  }
  return {};
}
}  // namespace tb
