// Rows of a CSR matrix as the loops want them: values as double, whatever the matrix holds, checked while they are read.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "bad_cell.hpp"
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
  bool fractional = false;  // a value that is not a whole number below 2^52
  bool unsorted = false;    // indices not strictly ascending: duplicates are possible

  void add(const RowFacts& other) {
    bad |= other.bad;
    fractional |= other.fractional;
  }
};

// The loops below add or OR, and never exit early: the compiler turns them into vector code.

/// Whether an index is out of range and, where `ordered` is asked for, not above the one before.
template <class Index>
TB_INLINE RowFacts column_facts(const Index* indices, size_t n, int64_t columns, bool ordered) {
  using Unsigned = std::make_unsigned_t<Index>;
  const auto bound = static_cast<Unsigned>(
      std::min<uint64_t>(static_cast<uint64_t>(columns), static_cast<uint64_t>(std::numeric_limits<Unsigned>::max())));
  Unsigned bad = 0, unsorted = 0;
  for (size_t j = 0; j < n; ++j) bad |= static_cast<Unsigned>(static_cast<Unsigned>(indices[j]) >= bound);
  if (ordered)
    for (size_t j = 1; j < n; ++j) unsorted |= static_cast<Unsigned>(indices[j] <= indices[j - 1]);
  return {bad > 0, false, unsorted > 0};
}

constexpr double kWhole = 4503599627370496.0;  // 2^52: adding it rounds a smaller double to a whole number

template <class Index>
TB_INLINE RowFacts row_facts(const Index* indices, const double* values, size_t n, int64_t columns, double least,
                             bool ordered) {
  constexpr double largest = std::numeric_limits<double>::max();
  uint64_t bad = 0, fractions = 0;
  for (size_t j = 0; j < n; ++j) {
    const double x = values[j];
    bad += static_cast<uint64_t>(!(x >= least)) + static_cast<uint64_t>(!(x <= largest));
    fractions += static_cast<uint64_t>((x + kWhole) - kWhole != x);
  }
  RowFacts facts = column_facts(indices, n, columns, ordered);
  facts.bad |= bad > 0;
  facts.fractional = fractions > 0;
  return facts;
}

/// Write the values as whole numbers below 2^32; `bad` where one is not, or an index is out of range. `seen` becomes the
/// OR of all of them, so at least the largest.
template <class Index>
TB_INLINE RowFacts whole_facts(const Index* indices, const double* values, size_t n, int64_t columns, uint32_t* whole,
                               uint32_t& seen) {
  // A double in [2^52, 2^52 + 2^32) has what it exceeds 2^52 by in its lower half, and this in its upper half.
  constexpr uint64_t upper = std::bit_cast<uint64_t>(kWhole) >> 32;
  uint64_t wrong = 0;
  uint32_t all = 0;
  for (size_t j = 0; j < n; ++j) {
    const double raised = values[j] + kWhole;
    const uint64_t bits = std::bit_cast<uint64_t>(raised);
    wrong |= (bits >> 32) ^ upper;
    wrong |= static_cast<uint64_t>(raised - kWhole != values[j]);
    whole[j] = static_cast<uint32_t>(bits);
    all |= whole[j];
  }
  seen = all;
  RowFacts facts = column_facts(indices, n, columns, true);
  facts.bad |= wrong > 0;
  return facts;
}

template <class Index>
RowFacts row_facts_baseline(const Index* indices, const double* values, size_t n, int64_t columns, double least,
                            bool ordered) {
  return row_facts(indices, values, n, columns, least, ordered);
}
template <class Index>
TB_AVX2 RowFacts row_facts_avx2(const Index* indices, const double* values, size_t n, int64_t columns, double least,
                                bool ordered) {
  return row_facts(indices, values, n, columns, least, ordered);
}
template <class Index>
TB_AVX512 RowFacts row_facts_avx512(const Index* indices, const double* values, size_t n, int64_t columns, double least,
                                    bool ordered) {
  return row_facts(indices, values, n, columns, least, ordered);
}
template <class Index>
RowFacts whole_facts_baseline(const Index* indices, const double* values, size_t n, int64_t columns, uint32_t* whole,
                              uint32_t& seen) {
  return whole_facts(indices, values, n, columns, whole, seen);
}
template <class Index>
TB_AVX2 RowFacts whole_facts_avx2(const Index* indices, const double* values, size_t n, int64_t columns, uint32_t* whole,
                                  uint32_t& seen) {
  return whole_facts(indices, values, n, columns, whole, seen);
}
template <class Index>
TB_AVX512 RowFacts whole_facts_avx512(const Index* indices, const double* values, size_t n, int64_t columns, uint32_t* whole,
                                      uint32_t& seen) {
  return whole_facts(indices, values, n, columns, whole, seen);
}

/// Reads rows one after another, checked; one per thread.
template <class Index>
class CsrReader {
 public:
  /// Values below `least` are bad: 0 where counts are wanted, -DBL_MAX where any finite value will do.
  CsrReader(const CsrView<Index>& matrix, double least) : matrix_(matrix), least_(least) {}

  template <class Value>
  struct RowOf {
    const Index* columns;
    const Value* values;
    size_t size;
  };
  using Row = RowOf<double>;

  /// Row i; facts() describes it. `summed`: duplicates are added up first (columns then ascend).
  Row read(int64_t i, bool summed) {
    Row row = at(i);
    facts_ = facts_of_(row.columns, row.values, row.size, matrix_.columns, least_, summed);
    if (facts_.unsorted && summed && !facts_.bad) row = sum_duplicates(row);
    return row;
  }
  /// The same with values as whole numbers, of at most seen() in one column; facts().bad where one is not below 2^32.
  RowOf<uint32_t> read_whole(int64_t i, bool summed) {
    Row row = at(i);
    uint32_t largest = 0;
    const auto look = [&] {
      if (whole_.size() < row.size) whole_.resize(row.size);
      facts_ = whole_of_(row.columns, row.values, row.size, matrix_.columns, whole_.data(), largest);
    };
    look();
    if (facts_.unsorted && summed && !facts_.bad) {
      row = sum_duplicates(row);
      look();
    }
    seen_ = static_cast<double>(largest) * static_cast<double>(facts_.unsorted ? row.size : 1);
    return {row.columns, whole_.data(), row.size};
  }
  const RowFacts& facts() const { return facts_; }
  double seen() const { return seen_; }
  /// Prefetch a row that is read soon and does not follow the one before.
  void prefetch_row(int64_t i) const {
    const int64_t begin = matrix_.indptr[i], end = std::min(matrix_.indptr[i + 1], begin + 512);
    for (int64_t j = begin; j < end; j += 64 / sizeof(Index)) prefetch(matrix_.indices + j);
    matrix_.values.prefetch_row(begin, end);
  }

 private:
  Row at(int64_t i) {
    const int64_t begin = matrix_.indptr[i];
    const size_t n = static_cast<size_t>(matrix_.indptr[i + 1] - begin);
    return {matrix_.indices + begin, matrix_.values.row(begin, n, scratch_), n};
  }
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
  double seen_ = 0;
  decltype(&row_facts_baseline<Index>) facts_of_ = has_avx512() ? row_facts_avx512<Index>
                                                : has_avx2() ? row_facts_avx2<Index>
                                                             : row_facts_baseline<Index>;
  decltype(&whole_facts_baseline<Index>) whole_of_ = has_avx512() ? whole_facts_avx512<Index>
                                                   : has_avx2() ? whole_facts_avx2<Index>
                                                                : whole_facts_baseline<Index>;
  std::vector<double> scratch_, sums_;
  std::vector<uint32_t> whole_;
  std::vector<Index> columns_;
  std::vector<uint32_t> order_;
};

/// The first entry whose column is out of range or whose value is refused.
template <class Index, class Refuse>
BadEntry first_refused(const CsrView<Index>& matrix, Refuse&& refuse) {
  std::vector<double> scratch;
  for (size_t i = 0; i < matrix.rows; ++i) {
    const int64_t begin = matrix.indptr[i];
    const size_t n = static_cast<size_t>(matrix.indptr[i + 1] - begin);
    const double* values = matrix.values.row(begin, n, scratch);
    for (size_t j = 0; j < n; ++j) {
      const int64_t column = static_cast<int64_t>(matrix.indices[begin + static_cast<int64_t>(j)]);
      const bool outside = column < 0 || column >= matrix.columns;
      if (outside || refuse(values[j])) return {{static_cast<int64_t>(i), column}, values[j], outside};
    }
  }
  return {};
}

/// The first entry that a CsrReader with the same `least` calls bad.
template <class Index>
BadEntry first_bad(const CsrView<Index>& matrix, double least) {
  constexpr double most = std::numeric_limits<double>::max();
  return first_refused(matrix, [least](double x) { return !(x >= least && x <= most); });
}
}  // namespace tb
