// Counting and scoring of integer codes: n rows, d columns, each column with its own small alphabet 0 … size - 1.
//
// The largest code is not known before the rows are read, so the table of counts grows while counting: every row is assumed
// to fit, and looked at more closely where it turns out not to.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "bad_cell.hpp"
#include "dense_rows.hpp"
#include "parallel.hpp"
#include "simd.hpp"

namespace tb {

/// Counts of K classes: cell (c, j, v) is at c · width + offset[j] + v.
template <class C>
struct CodeCounts {
  std::vector<int64_t> room, offset;  // [d]: codes that fit, where the column begins
  int64_t n_classes, width = 0;
  std::vector<C> cells;

  CodeCounts(int64_t K, int64_t d) : room(d), offset(d), n_classes(K) {}

  /// Make room for codes below `wanted`; false where the table would need more than `limit` cells.
  bool grow(const std::vector<int64_t>& wanted, int64_t limit) {
    bool fits = true;
    for (size_t j = 0; j < room.size(); ++j) fits &= wanted[j] <= room[j];
    if (fits) return true;
    std::vector<int64_t> new_room(room), new_offset(room.size());
    int64_t new_width = 0;
    for (size_t j = 0; j < room.size(); ++j) {
      // An eighth more than is known to be needed: rare growth, and no table of twice the size.
      if (wanted[j] > room[j]) new_room[j] = wanted[j] > limit ? wanted[j] : wanted[j] + wanted[j] / 8;
      new_offset[j] = new_width;
      new_width += new_room[j];
      if (new_width > limit / n_classes) return false;
    }
    std::vector<C> grown(static_cast<size_t>(n_classes * new_width));
    for (int64_t c = 0; c < n_classes; ++c)
      for (size_t j = 0; j < room.size(); ++j)
        std::copy_n(cells.begin() + c * width + offset[j], room[j], grown.begin() + c * new_width + new_offset[j]);
    room = std::move(new_room);
    offset = std::move(new_offset);
    cells = std::move(grown);
    width = new_width;
    return true;
  }

  /// The largest code counted in a column, plus one.
  int64_t size(int64_t j) const {
    int64_t codes = 0;
    for (int64_t c = 0; c < n_classes; ++c) {
      const C* const own = cells.data() + c * width + offset[j];
      for (int64_t v = room[j]; v > codes; --v)
        if (own[v - 1] != 0) codes = v;
    }
    return codes;
  }
};

/// The first negative code in row order.
template <class T>
BadCell first_negative(const DenseRows<T>& rows) {
  for (int64_t i = 0; i < rows.n; ++i)
    for (int64_t j = 0; j < rows.d; ++j)
      if (rows.row(i)[j] < 0) return {i, j};
  return {};
}

struct CodeFault {
  bool negative = false;   // a negative code where none is allowed
  bool too_wide = false;   // the table would be larger than the limit
};

/// Count the rows from `begin` on as long as all their codes fit; return the first row with one that does not.
template <class T, class C>
TB_INLINE int64_t count_fitting(const DenseRows<T>& rows, const int32_t* class_index, const C* weights, int64_t begin,
                                int64_t end, CodeCounts<C>& out) {
  const int64_t d = rows.d, *const offset = out.offset.data(), *const rooms = out.room.data();
  // Columns of one width need no table of where they begin.
  const int64_t room = d == 0 ? 0 : rooms[0];
  const bool even = std::all_of(out.room.begin(), out.room.end(), [&](int64_t each) { return each == room; });
  for (int64_t i = begin; i < end; ++i) {
    const T* const x = rows.row(i);
    int64_t wrong = 0;  // its sign bit is set by a code that is negative, or beyond the room of its column
    for (int64_t j = 0; j < d; ++j) {  // unsigned: the difference from a very negative code would overflow
      const auto code = static_cast<uint64_t>(x[j]);
      wrong |= static_cast<int64_t>(code | (static_cast<uint64_t>(rooms[j]) - 1 - code));
    }
    if (wrong < 0) return i;
    C* cells = out.cells.data() + class_index[i] * out.width;
    const C weight = weights ? weights[i] : C(1);
    if (even)
      for (int64_t j = 0; j < d; ++j, cells += room) cells[static_cast<int64_t>(x[j])] += weight;
    else
      for (int64_t j = 0; j < d; ++j) cells[offset[j] + static_cast<int64_t>(x[j])] += weight;
  }
  return end;
}

template <class T, class C>
int64_t count_fitting_baseline(const DenseRows<T>& rows, const int32_t* class_index, const C* weights, int64_t begin,
                               int64_t end, CodeCounts<C>& out) {
  return count_fitting(rows, class_index, weights, begin, end, out);
}

template <class T, class C>
TB_AVX2 int64_t count_fitting_avx2(const DenseRows<T>& rows, const int32_t* class_index, const C* weights, int64_t begin,
                                   int64_t end, CodeCounts<C>& out) {
  return count_fitting(rows, class_index, weights, begin, end, out);
}

template <class T, class C>
CodeFault count_range(const DenseRows<T>& rows, const int32_t* class_index, const C* weights, int64_t begin, int64_t end,
                      bool missing, int64_t limit, CodeCounts<C>& out) {
  auto* count = has_avx2() ? count_fitting_avx2<T, C> : count_fitting_baseline<T, C>;
  // How many rows to look through, and make room for, where a row does not fit: few, so that a row with a gap among many
  // does not slow the others down, and enough for the table to grow rarely.
  constexpr int64_t step = 64;
  std::vector<int64_t> wanted(static_cast<size_t>(rows.d));
  for (int64_t i = begin; (i = count(rows, class_index, weights, i, end, out)) < end;) {
    const int64_t stop = std::min(i + step, end);
    bool negative = false;
    std::fill(wanted.begin(), wanted.end(), 0);
    for (int64_t r = i; r < stop; ++r)
      for (int64_t j = 0; j < rows.d; ++j) {
        const int64_t code = static_cast<int64_t>(rows.row(r)[j]);
        negative |= code < 0;
        wanted[j] = std::max(wanted[j], std::min(code, std::numeric_limits<int64_t>::max() - 1) + 1);
      }
    if (negative && !missing) return {true, false};
    if (!out.grow(wanted, limit)) return {false, true};
    if (!negative) continue;
    for (; i < stop; ++i) {
      const T* const x = rows.row(i);
      C* const cells = out.cells.data() + class_index[i] * out.width;
      for (int64_t j = 0; j < rows.d; ++j)
        if (x[j] >= 0) cells[out.offset[j] + static_cast<int64_t>(x[j])] += weights ? weights[i] : C(1);
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
CodeTable<C> count_codes(const DenseRows<T>& rows, const int32_t* class_index, int64_t n_classes, const C* weights,
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
    for (int64_t j = 0; j < rows.d; ++j) out.size[j] = std::max(out.size[j], part.size(j));
  // A row of weight 0 leaves no count, but its codes exist.
  for (int64_t i = 0; weights != nullptr && i < rows.n; ++i)
    for (int64_t j = 0; weights[i] == C(0) && j < rows.d; ++j)
      out.size[j] = std::max(out.size[j], static_cast<int64_t>(rows.row(i)[j]) + 1);
  const int64_t width = std::accumulate(out.size.begin(), out.size.end(), int64_t{0});
  out.cells.assign(static_cast<size_t>(n_classes * width), C(0));
  for (const auto& part : parts)
    for (int64_t c = 0; c < n_classes; ++c) {
      C* to = out.cells.data() + c * width;
      for (int64_t j = 0; j < rows.d; to += out.size[j], ++j) {
        const C* from = part.cells.data() + c * part.width + part.offset[j];
        for (int64_t v = 0; v < std::min(out.size[j], part.room[j]); ++v) to[v] += from[v];
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
TB_INLINE void score_codes_range(const DenseRows<T>& rows, int64_t begin, int64_t end, const CodeScores& scores,
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
void score_codes_baseline(const DenseRows<T>& rows, int64_t begin, int64_t end, const CodeScores& scores, bool missing,
                          bool unseen, char* refused, double* scratch, double* out) {
  score_codes_range(rows, begin, end, scores, missing, unseen, refused, scratch, out);
}

template <class T>
TB_AVX2 void score_codes_avx2(const DenseRows<T>& rows, int64_t begin, int64_t end, const CodeScores& scores, bool missing,
                              bool unseen, char* refused, double* scratch, double* out) {
  score_codes_range(rows, begin, end, scores, missing, unseen, refused, scratch, out);
}

/// Scores [n][K]; a refusal names the first cell, in row order, that is negative or unseen where that is not allowed.
template <class T>
CodeRefusal score_codes(const DenseRows<T>& rows, const CodeScores& scores, bool missing, bool unseen, int n_threads,
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
  for (int64_t i = 0; i < rows.n && !unseen && !refusal.unseen.found(); ++i)
    for (int64_t j = 0; j < rows.d; ++j)
      if (static_cast<int64_t>(rows.row(i)[j]) >= scores.first[j + 1] - scores.first[j] - 1) {
        refusal.unseen = {i, j};
        break;
      }
  return refusal;
}

}  // namespace tb
