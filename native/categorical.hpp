// Counting and scoring of integer codes: n rows, d columns, each column with its own small alphabet 0 … size - 1.
//
// The largest code is not known before the rows are read, so the table of counts grows while counting; a block of rows is
// looked through for its largest codes and counted while it is in cache.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "moments.hpp"
#include "parallel.hpp"
#include "simd.hpp"

namespace tb {

/// What stands in a cell that has no value. Any negative code does where missing values are allowed.
template <class T>
struct CodeRows {
  const T* data;  // row-major, n × d
  int64_t n, d;
  const T* row(int64_t i) const { return data + i * d; }
};

/// Counts of K classes: cell (c, j, v) is at c · width + offset[j] + v.
template <class C>
struct CodeCounts {
  std::vector<int64_t> size, room, offset;  // [d]: codes seen so far, codes that fit, where the column begins
  int64_t n_classes, width = 0;
  std::vector<C> cells;

  CodeCounts(int64_t K, int64_t d) : size(d), room(d), offset(d), n_classes(K) {}

  /// Make room for codes below `wanted`; false where the table would need more than `limit` cells.
  bool grow(const std::vector<int64_t>& wanted, int64_t limit) {
    bool fits = true;
    for (size_t j = 0; j < size.size(); ++j) {
      size[j] = std::max(size[j], wanted[j]);
      fits &= size[j] <= room[j];
    }
    if (fits) return true;
    std::vector<int64_t> new_room(room), new_offset(room.size());
    int64_t new_width = 0;
    for (size_t j = 0; j < size.size(); ++j) {
      if (size[j] > room[j]) new_room[j] = size[j] > limit ? size[j] : std::max(size[j], 2 * room[j]);
      new_offset[j] = new_width;
      new_width += new_room[j];
      if (new_width > limit / n_classes) return false;
    }
    std::vector<C> grown(static_cast<size_t>(n_classes * new_width));
    for (int64_t c = 0; c < n_classes; ++c)
      for (size_t j = 0; j < size.size(); ++j)
        std::copy_n(cells.begin() + c * width + offset[j], room[j], grown.begin() + c * new_width + new_offset[j]);
    room = std::move(new_room);
    offset = std::move(new_offset);
    cells = std::move(grown);
    width = new_width;
    return true;
  }
};

/// The first negative code in row order.
template <class T>
BadCell first_negative(const CodeRows<T>& rows) {
  for (int64_t i = 0; i < rows.n; ++i)
    for (int64_t j = 0; j < rows.d; ++j)
      if (rows.row(i)[j] < 0) return {i, j};
  return {};
}

struct CodeFault {
  bool negative = false;   // a negative code where none is allowed
  bool too_wide = false;   // the table would be larger than the limit
};

template <class T>
TB_INLINE void widest(const CodeRows<T>& rows, int64_t begin, int64_t end, T* largest, T* smallest) {
  for (int64_t i = begin; i < end; ++i) {
    const T* x = rows.row(i);
    for (int64_t j = 0; j < rows.d; ++j) {
      largest[j] = std::max(largest[j], x[j]);
      smallest[j] = std::min(smallest[j], x[j]);
    }
  }
}

template <class T>
void widest_baseline(const CodeRows<T>& rows, int64_t begin, int64_t end, T* largest, T* smallest) {
  widest(rows, begin, end, largest, smallest);
}

template <class T>
TB_AVX2 void widest_avx2(const CodeRows<T>& rows, int64_t begin, int64_t end, T* largest, T* smallest) {
  widest(rows, begin, end, largest, smallest);
}

template <class T, class C>
CodeFault count_range(const CodeRows<T>& rows, const int32_t* class_index, const C* weights, int64_t begin, int64_t end,
                      bool missing, int64_t limit, CodeCounts<C>& out) {
  auto* look = has_avx2() ? widest_avx2<T> : widest_baseline<T>;
  const int64_t step = std::max<int64_t>(1, 8192 / std::max<int64_t>(rows.d, 1));
  std::vector<T> largest(static_cast<size_t>(rows.d)), smallest(static_cast<size_t>(rows.d));
  std::vector<int64_t> wanted(static_cast<size_t>(rows.d));
  for (int64_t i = begin; i < end; i += step) {
    const int64_t stop = std::min(i + step, end);
    std::fill(largest.begin(), largest.end(), T(0));
    std::fill(smallest.begin(), smallest.end(), T(0));
    look(rows, i, stop, largest.data(), smallest.data());
    const bool negative = *std::min_element(smallest.begin(), smallest.end()) < 0;
    if (negative && !missing) return {true, false};
    if (negative) std::fill(largest.begin(), largest.end(), T(-1));
    if (negative) look(rows, i, stop, largest.data(), smallest.data());
    for (int64_t j = 0; j < rows.d; ++j) wanted[j] = static_cast<int64_t>(largest[j]) + 1;
    if (!out.grow(wanted, limit)) return {false, true};
    const int64_t* offset = out.offset.data();
    // Columns of one width need no table of where they begin.
    const int64_t room = out.room.empty() ? 0 : out.room[0];
    const bool even = std::all_of(out.room.begin(), out.room.end(), [&](int64_t each) { return each == room; });
    for (int64_t r = i; r < stop; ++r) {
      const T* x = rows.row(r);
      C* cells = out.cells.data() + class_index[r] * out.width;
      const C weight = weights ? weights[r] : C(1);
      if (negative) {
        for (int64_t j = 0; j < rows.d; ++j)
          if (x[j] >= 0) cells[offset[j] + static_cast<int64_t>(x[j])] += weight;
      } else if (even) {
        for (int64_t j = 0; j < rows.d; ++j, cells += room) cells[static_cast<int64_t>(x[j])] += weight;
      } else {
        for (int64_t j = 0; j < rows.d; ++j) cells[offset[j] + static_cast<int64_t>(x[j])] += weight;
      }
    }
  }
  return {};
}

/// Class counts of every code, [K][Σ size] in the order of the columns.
template <class C>
struct CodeTable {
  std::vector<int64_t> size;
  std::vector<C> cells;
  BadCell negative;
  bool too_wide = false;
};

template <class T, class C>
CodeTable<C> count_codes(const CodeRows<T>& rows, const int32_t* class_index, int64_t n_classes, const C* weights,
                         bool missing, int64_t limit, int n_threads) {
  n_threads = static_cast<int>(std::clamp<int64_t>(n_threads, 1, std::max<int64_t>(rows.n / 1024, 1)));
  std::vector<CodeCounts<C>> parts(static_cast<size_t>(n_threads), CodeCounts<C>(n_classes, rows.d));
  std::vector<CodeFault> faults(static_cast<size_t>(n_threads));
  run_threads(n_threads, [&](int t) {
    faults[t] = count_range(rows, class_index, weights, rows.n * t / n_threads, rows.n * (t + 1) / n_threads, missing,
                            limit, parts[t]);
  });
  CodeTable<C> out;
  for (const CodeFault& fault : faults) {
    out.too_wide |= fault.too_wide;
    if (fault.negative) {
      out.negative = first_negative(rows);
      return out;
    }
  }
  if (out.too_wide) return out;
  out.size.assign(static_cast<size_t>(rows.d), 0);
  for (const auto& part : parts)
    for (int64_t j = 0; j < rows.d; ++j) out.size[j] = std::max(out.size[j], part.size[j]);
  const int64_t width = std::accumulate(out.size.begin(), out.size.end(), int64_t{0});
  out.cells.assign(static_cast<size_t>(n_classes * width), C(0));
  for (const auto& part : parts)
    for (int64_t c = 0; c < n_classes; ++c) {
      C* to = out.cells.data() + c * width;
      for (int64_t j = 0; j < rows.d; to += out.size[j], ++j) {
        const C* from = part.cells.data() + c * part.width + part.offset[j];
        for (int64_t v = 0; v < part.size[j]; ++v) to[v] += from[v];
      }
    }
  return out;
}

/// Log scores of codes. Column j owns the rows first[j] … first[j + 1] - 1 of `table`, [rows][stride]: one per code, and a
/// last one for codes that were never seen.
struct CodeScores {
  int64_t n_classes, stride;
  const int64_t* first;  // [d + 1]
  const double *table, *base;
};

/// Which cells could not be scored.
struct CodeRefusal {
  BadCell negative, unseen;
};

template <int width, class T>
TB_INLINE void score_code_classes(const T* x, int64_t d, const CodeScores& scores, int64_t c, bool missing, double* out) {
  Pack sums[width];
  for (int u = 0; u < width; ++u) sums[u] = load(scores.base + c + u * kLanes);
  for (int64_t j = 0; j < d; ++j) {
    const int64_t code = static_cast<int64_t>(x[j]);
    if (missing && code < 0) continue;
    const int64_t last = scores.first[j + 1] - 1;
    const int64_t row = std::min<int64_t>(scores.first[j] + code, last);
    const double* entry = scores.table + row * scores.stride + c;
    for (int u = 0; u < width; ++u) sums[u] += load(entry + u * kLanes);
  }
  for (int u = 0; u < width; ++u) store(out + u * kLanes, sums[u]);
}

template <class T>
TB_INLINE void score_codes_range(const CodeRows<T>& rows, int64_t begin, int64_t end, const CodeScores& scores,
                                 bool missing, bool unseen, char* refused, double* scratch, double* out) {
  const int64_t K = scores.n_classes;
  for (int64_t i = begin; i < end; ++i) {
    const T* x = rows.row(i);
    bool bad = false;
    if (!missing) {
      T signs = 0;
      for (int64_t j = 0; j < rows.d; ++j) signs |= x[j];
      bad = signs < 0;
    }
    if (!unseen)
      for (int64_t j = 0; j < rows.d; ++j)
        bad |= static_cast<int64_t>(x[j]) >= scores.first[j + 1] - scores.first[j] - 1;
    if (bad) {
      *refused = 1;
      return;
    }
    int64_t c = 0;
    for (; c + 4 * kLanes <= scores.stride; c += 4 * kLanes)
      score_code_classes<4>(x, rows.d, scores, c, missing, scratch + c);
    switch ((scores.stride - c) / kLanes) {
      case 3: score_code_classes<3>(x, rows.d, scores, c, missing, scratch + c); break;
      case 2: score_code_classes<2>(x, rows.d, scores, c, missing, scratch + c); break;
      case 1: score_code_classes<1>(x, rows.d, scores, c, missing, scratch + c); break;
      default: break;
    }
    std::copy_n(scratch, K, out + i * K);
  }
}

template <class T>
void score_codes_baseline(const CodeRows<T>& rows, int64_t begin, int64_t end, const CodeScores& scores, bool missing,
                          bool unseen, char* refused, double* scratch, double* out) {
  score_codes_range(rows, begin, end, scores, missing, unseen, refused, scratch, out);
}

template <class T>
TB_AVX2 void score_codes_avx2(const CodeRows<T>& rows, int64_t begin, int64_t end, const CodeScores& scores, bool missing,
                              bool unseen, char* refused, double* scratch, double* out) {
  score_codes_range(rows, begin, end, scores, missing, unseen, refused, scratch, out);
}

/// Scores [n][K]; a refusal names the first cell, in row order, that is negative or unseen where that is not allowed.
template <class T>
CodeRefusal score_codes(const CodeRows<T>& rows, const CodeScores& scores, bool missing, bool unseen, int n_threads,
                        double* out) {
  auto* score = has_avx2() ? score_codes_avx2<T> : score_codes_baseline<T>;
  n_threads = static_cast<int>(std::clamp<int64_t>(n_threads, 1, std::max<int64_t>(rows.n / 1024, 1)));
  std::vector<char> refused(static_cast<size_t>(n_threads), 0);
  run_threads(n_threads, [&](int t) {
    std::vector<double> scratch(static_cast<size_t>(scores.stride));
    score(rows, rows.n * t / n_threads, rows.n * (t + 1) / n_threads, scores, missing, unseen, &refused[t], scratch.data(),
          out);
  });
  CodeRefusal refusal;
  if (std::find(refused.begin(), refused.end(), 1) == refused.end()) return refusal;
  if (!missing) refusal.negative = first_negative(rows);
  for (int64_t i = 0; i < rows.n && !unseen && refusal.unseen.row < 0; ++i)
    for (int64_t j = 0; j < rows.d; ++j)
      if (static_cast<int64_t>(rows.row(i)[j]) >= scores.first[j + 1] - scores.first[j] - 1) {
        refusal.unseen = {i, j};
        break;
      }
  return refusal;
}

}  // namespace tb
