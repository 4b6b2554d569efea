// Class sums of CSR rows. Work is one addition per stored value, whatever the number of classes; memory follows the cells
// that are not zero. Sums are double and become int64 where every value was whole and every sum stays below 2^53.
//
// Nearly always all values are whole and the sums small: they are first counted in uint32, and once more in double where
// that turns out to be too narrow (a fraction is met in the first rows).
#pragma once
#include "dense_sums.hpp"
#include "list_sums.hpp"

namespace tb {

/// Cells feature-major; a channel is int64 (exact) or double.
struct CsrCounts {
  Buffer<int64_t> columns, indptr;
  Buffer<int32_t> class_index;
  bool exact = true;
  std::vector<Buffer<int64_t>> whole;       // channels when exact
  std::vector<Buffer<double>> fractional;   // channels when not
  BadEntry bad;
};

/// Write the cells feature-major; `out.exact` says so far what is known of values and weights.
template <class Channels, class Source>
void collect(const Source& source, int64_t n_columns, int threads, CsrCounts& out) {
  constexpr double limit = 9007199254740992.0;  // 2^53
  using Sums = typename Channels::Sums;
  struct Part {
    int64_t columns = 0, cells = 0;
    double largest = 0;
  };
  const ColumnParts parts(n_columns);
  Buffer<int64_t> cells_of(static_cast<size_t>(n_columns), 0);
  std::vector<Part> found(parts.size()), start(parts.size() + 1);
  run_chunks(threads, parts.size(), [&](size_t part, int) {
    const int64_t begin = parts.begin(part), end = parts.end(part);
    const size_t width = static_cast<size_t>(end - begin);
    Part seen;
    std::vector<int32_t> last(width, -1);
    std::vector<Sums> open(Channels::whole ? 0 : width);
    source.cells(parts, part, [&](int64_t column, int32_t c, const Sums& sums) {
      const size_t at = static_cast<size_t>(column - begin);
      cells_of[static_cast<size_t>(column)] += last[at] != c;
      if constexpr (!Channels::whole) {
        if (last[at] != c) open[at] = Sums{};
        for (size_t k = 0; k < Channels::N; ++k) seen.largest = std::max(seen.largest, std::fabs(open[at][k] += sums[k]));
      }
      last[at] = c;
    });
    for (int64_t column = begin; column < end; ++column) {
      seen.columns += cells_of[static_cast<size_t>(column)] > 0;
      seen.cells += cells_of[static_cast<size_t>(column)];
    }
    found[part] = seen;
  });
  for (size_t part = 0; part < parts.size(); ++part) {
    start[part + 1].columns = start[part].columns + found[part].columns;
    start[part + 1].cells = start[part].cells + found[part].cells;
    out.exact &= found[part].largest < limit;
  }
  const size_t columns = static_cast<size_t>(start.back().columns), cells = static_cast<size_t>(start.back().cells);
  out.columns = Buffer<int64_t>(columns);
  out.indptr = Buffer<int64_t>(columns + 1);
  out.indptr[0] = 0;
  out.class_index = Buffer<int32_t>(cells);
  const auto write = [&](auto& channels) {
    for (size_t k = 0; k < Channels::N; ++k) channels.emplace_back(cells);
    using Out = std::remove_pointer_t<decltype(channels[0].data())>;
    run_chunks(threads, parts.size(), [&](size_t part, int) {
      const int64_t begin = parts.begin(part), end = parts.end(part);
      std::vector<int64_t> first(static_cast<size_t>(end - begin)), next;
      int64_t row = start[part].columns, at = start[part].cells;
      for (int64_t column = begin; column < end; ++column) {
        first[static_cast<size_t>(column - begin)] = at;
        if (cells_of[static_cast<size_t>(column)] == 0) continue;
        at += cells_of[static_cast<size_t>(column)];
        out.columns[row] = column;
        out.indptr[++row] = at;
      }
      next = first;
      source.cells(parts, part, [&](int64_t column, int32_t c, const Sums& sums) {
        const size_t own = static_cast<size_t>(column - begin);
        const bool shared = next[own] > first[own] && out.class_index[next[own] - 1] == c;
        const size_t to = static_cast<size_t>(shared ? next[own] - 1 : next[own]++);
        out.class_index[to] = c;
        for (size_t k = 0; k < Channels::N; ++k)
          channels[k][to] = static_cast<Out>(sums[k]) + (shared ? channels[k][to] : Out{0});
      });
    });
  };
  if (out.exact)
    write(out.whole);
  else
    write(out.fractional);
}

template <class Index, bool has_occurrences, bool has_documents>
CsrCounts count_csr(const CsrView<Index>& matrix, const int32_t* class_index, CsrCountOptions options) {
  options.threads = std::max(1, std::min<int>(options.threads, static_cast<int>(std::min<size_t>(matrix.rows, 1 << 16))));
  CsrCounts out;
  const auto count = [&]<class Channels, class Source>() {
    Source source(matrix, class_index, options);
    const RowFacts facts = source.count();
    if (facts.bad) return false;
    // Documents of whole weights are whole even where the values are not, but one tally is of one kind.
    out.exact = options.whole_weights && !(has_occurrences && facts.fractional);
    collect<Channels>(source, matrix.columns, options.threads, out);
    return true;
  };
  const auto count_in = [&]<class Number>() {
    using Wanted = Channels<Number, has_occurrences, has_documents>;
    return DenseSums<Index, Wanted>::fits(matrix, options)
               ? count.template operator()<Wanted, DenseSums<Index, Wanted>>()
               : count.template operator()<Wanted, ListSums<Index, Wanted>>();
  };
  if (options.whole_weights && count_in.template operator()<uint32_t>()) return out;
  if (!count_in.template operator()<double>()) out.bad = first_bad(matrix, options.least);
  return out;
}
}  // namespace tb
