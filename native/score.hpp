// Scores of rows under a table of the linear form
//
//     score_c(x) = base_c + scale_c * ((F + |x| * unit_c) + D_c),   F = sum x_i f_i,  |x| = sum x_i,  D_c = sum x_i delta_ic
//
// The sums F, |x| and D_c run over the row's entries one after another, each from +0.0, whatever the layout of the table,
// the batch or the threads: equal rows get equal bits. (A layout may add x * 0.0 where a list has no entry: that changes
// nothing.)
#pragma once
#include <algorithm>
#include <cstdint>

#include "memory.hpp"
#include "simd.hpp"
#include "value.hpp"

namespace tb {

struct Table {
  int32_t classes = 0;
  size_t features = 0;
  const double* base = nullptr;
  const double* scale = nullptr;
  const double* unit = nullptr;
  const double* feature = nullptr;  // or null: all 0
  const double* gain = nullptr;     // or null: all 1; x_i is multiplied by gain_i first
  const int64_t* indptr = nullptr;
  const int32_t* class_index = nullptr;
  const double* delta = nullptr;
  const int32_t* row = nullptr;  // dense row of a feature, -1: none, read its list; null: feature i has row i
  const double* dense = nullptr;
  size_t stride = 0;  // doubles from one dense row to the next; 0: no dense rows at all
};

/// Doubles per dense row: vectors of four never straddle two rows.
inline size_t dense_stride(int32_t classes) {
  const size_t k = static_cast<size_t>(classes);
  return k <= 2 ? 2 : (k + 3) / 4 * 4;
}

/// The features' rows of a table that are laid out dense.
struct DenseTable {
  Buffer<int32_t> row;  // empty: every feature has its row
  Buffer<double> dense;
  size_t stride = 0;
};

/// Lay out as dense rows what is read faster that way: everything while the block stays small or nearly full, otherwise
/// the features that at least a quarter of the classes have. (Measured: lists cost about 1 ns a pair, dense rows a
/// quarter of that.)
inline DenseTable dense_table(const int64_t* indptr, const int32_t* class_index, const double* delta, size_t features,
                              int32_t classes) {
  constexpr size_t small = size_t{1} << 23;  // doubles, 64 MB
  DenseTable out;
  out.stride = dense_stride(classes);
  const size_t pairs = static_cast<size_t>(indptr[features]);
  const bool all = features * out.stride <= std::max(4 * pairs, classes <= 64 ? small : size_t{0});
  size_t rows = features;
  if (!all) {
    const int64_t least = (classes + 3) / 4;
    out.row = Buffer<int32_t>(features);
    rows = 0;
    for (size_t i = 0; i < features; ++i) {
      const bool full = indptr[i + 1] - indptr[i] >= least && rows < INT32_MAX;
      out.row[i] = full ? static_cast<int32_t>(rows++) : -1;
    }
  }
  out.dense = Buffer<double>(rows * out.stride, 0.0);
  for (size_t i = 0; i < features; ++i) {
    const int64_t r = all ? static_cast<int64_t>(i) : out.row[i];
    if (r < 0) continue;
    double* to = out.dense.data() + static_cast<size_t>(r) * out.stride;
    for (int64_t p = indptr[i]; p < indptr[i + 1]; ++p) to[class_index[p]] = delta[p];
  }
  return out;
}

/// Running sums of one row: F, |x| and D_c.
struct RowSums {
  double feature = 0, size = 0;
};

typedef double Two __attribute__((vector_size(16), aligned(8)));
typedef double Four __attribute__((vector_size(32), aligned(8)));

inline void prefetch_feature(const Table& table, size_t i) {
  if (table.stride > 0 && table.row == nullptr) {
    const double* dense = table.dense + i * table.stride;
    const size_t lines = std::min<size_t>((table.stride + 7) / 8, 4);
    for (size_t line = 0; line < lines; ++line) prefetch(dense + 8 * line);
  } else {
    prefetch(table.indptr + i);
    if (table.row != nullptr) prefetch(table.row + i);
  }
  if (table.feature != nullptr) prefetch(table.feature + i);
}
/// Second step of a look-ahead where a feature's entries are found through its row number or list bounds.
inline void prefetch_entries(const Table& table, size_t i) {
  if (table.stride > 0 && table.row == nullptr) return;
  const int32_t row = table.row != nullptr ? table.row[i] : -1;
  if (row >= 0) {
    const double* dense = table.dense + static_cast<size_t>(row) * table.stride;
    for (size_t line = 0; line < 4; ++line) prefetch(dense + 8 * line);
  } else {
    prefetch(table.class_index + table.indptr[i]);
    prefetch(table.delta + table.indptr[i]);
  }
}

/// D_c += x * delta_ic for one feature; `sums` has room for dense_stride(classes).
[[gnu::always_inline]] inline void add_feature(const Table& table, size_t i, double x, double* sums) {
  const int64_t row = table.row != nullptr ? table.row[i] : static_cast<int64_t>(i);
  if (table.stride > 0 && row >= 0) {
    const double* dense = table.dense + static_cast<size_t>(row) * table.stride;
    for (size_t c = 0; c < table.stride; ++c) sums[c] += x * dense[c];
  } else {
    for (int64_t p = table.indptr[i]; p < table.indptr[i + 1]; ++p) sums[table.class_index[p]] += x * table.delta[p];
  }
}

[[gnu::always_inline]] inline double entry(const Table& table, size_t i, double x, RowSums& sums) {
  if (table.gain != nullptr) x *= table.gain[i];
  sums.size += x;
  if (table.feature != nullptr) sums.feature += x * table.feature[i];
  return x;
}

inline void finish(const Table& table, const RowSums& sums, const double* classes, double* out) {
  for (int32_t c = 0; c < table.classes; ++c)
    out[c] = table.base[c] + table.scale[c] * ((sums.feature + sums.size * table.unit[c]) + classes[c]);
}

/// x_j = 1 for every entry: features of a text, one after another.
struct Ones {
  double operator[](size_t) const { return 1.0; }
};

/// Add the entries of (a part of) a row to its sums, any layout. X: const double* or Ones. `index` has `known` >= n
/// entries: those beyond the row are of the next one, and what they need is prefetched already.
template <class Index, class X>
[[gnu::always_inline]] inline void add_row(const Table& table, const Index* index, X x, size_t n, size_t known,
                                           RowSums& sums, double* classes) {
  constexpr size_t near = 8, far = 24;
  for (size_t j = 0; j < n; ++j) {
    if (j + far < known) prefetch_feature(table, static_cast<size_t>(index[j + far]));
    if (j + near < known) prefetch_entries(table, static_cast<size_t>(index[j + near]));
    const size_t i = static_cast<size_t>(index[j]);
    add_feature(table, i, entry(table, i, x[j], sums), classes);
  }
}

/// The same where every feature has a dense row of `blocks` vectors: the sums stay in registers.
template <class Vector, int blocks, class Index, class X>
[[gnu::always_inline]] inline void add_dense_row(const Table& table, const Index* index, X x, size_t n, size_t known,
                                                 RowSums& sums, double* classes) {
  constexpr size_t ahead = 64, width = sizeof(Vector) / sizeof(double), stride = width * blocks;
  Vector total[blocks];
  __builtin_memcpy(total, classes, sizeof total);
  RowSums own = sums;
  for (size_t j = 0; j < n; ++j) {
    if (j + ahead < known) {
      const double* next = table.dense + static_cast<size_t>(index[j + ahead]) * stride;
      for (size_t line = 0; line < (stride + 7) / 8; ++line) prefetch(next + 8 * line);
    }
    const size_t i = static_cast<size_t>(index[j]);
    const double value = entry(table, i, x[j], own);
    const double* dense = table.dense + i * stride;
    for (int b = 0; b < blocks; ++b) {
      Vector each;
      __builtin_memcpy(&each, dense + static_cast<size_t>(b) * width, sizeof each);
      total[b] += each * value;
    }
  }
  sums = own;
  __builtin_memcpy(classes, total, sizeof total);
}

/// The version of the loop above for a table's layout and this processor. Every one gives the same bits.
template <class Index, class X>
struct RowKernels {
  class Add {
   public:
    using Loop = void (*)(const Table&, const Index*, X, size_t, size_t, RowSums&, double*);
    Add(Loop loop) : loop_(loop) {}

    /// `following`: entries of the next row that stand behind those of this one, checked.
    void operator()(const Table& t, const Index* i, X x, size_t n, RowSums& s, double* c, size_t following = 0) const {
      loop_(t, i, x, n, n + following, s, c);
    }

   private:
    Loop loop_;
  };

  static void any(const Table& t, const Index* i, X x, size_t n, size_t known, RowSums& s, double* c) {
    add_row(t, i, x, n, known, s, c);
  }
  template <class Vector, int blocks>
  static void dense(const Table& t, const Index* i, X x, size_t n, size_t known, RowSums& s, double* c) {
    add_dense_row<Vector, blocks>(t, i, x, n, known, s, c);
  }
  TB_AVX2 static void any_avx2(const Table& t, const Index* i, X x, size_t n, size_t known, RowSums& s, double* c) {
    add_row(t, i, x, n, known, s, c);
  }
  template <class Vector, int blocks>
  TB_AVX2 static void dense_avx2(const Table& t, const Index* i, X x, size_t n, size_t known, RowSums& s, double* c) {
    add_dense_row<Vector, blocks>(t, i, x, n, known, s, c);
  }

  static Add choose(const Table& table) {
    const bool all_dense = table.row == nullptr && table.stride > 0;
    if (has_avx2()) {
      switch (all_dense ? table.stride : 0) {
        case 2: return dense_avx2<Two, 1>;
        case 4: return dense_avx2<Four, 1>;
        case 8: return dense_avx2<Four, 2>;
        case 12: return dense_avx2<Four, 3>;
        case 16: return dense_avx2<Four, 4>;
        case 20: return dense_avx2<Four, 5>;
        case 24: return dense_avx2<Four, 6>;
        case 28: return dense_avx2<Four, 7>;
        case 32: return dense_avx2<Four, 8>;
        default: return any_avx2;
      }
    }
    switch (all_dense ? table.stride : 0) {
      case 2: return dense<Two, 1>;
      case 4: return dense<Two, 2>;
      case 8: return dense<Two, 4>;
      case 12: return dense<Two, 6>;
      case 16: return dense<Two, 8>;
      default: return any;
    }
  }
};
}  // namespace tb
