// Scores of the rows of a CSR matrix.
#pragma once
#include <vector>

#include "csr.hpp"
#include "parallel.hpp"
#include "score.hpp"

namespace tb {

struct CsrScoreOptions {
  Value value;
  double threshold;        // of Value::binary
  double least;            // smallest value allowed
  const int64_t* unknown;  // per row: entries that no feature stands for, counted in |x|; or null
  int threads;
};

/// out is [rows][classes]. Entries are added in the row's own order; where x is not the value itself, duplicates are
/// summed first and the row then runs by ascending column.
template <class Index>
BadEntry score_csr(const CsrView<Index>& matrix, const Table& table, const CsrScoreOptions& options, double* out) {
  const auto add = RowKernels<Index, const double*>::choose(table);
  const bool plain = options.value == Value::count;
  constexpr size_t rows_per_chunk = 256;
  std::atomic<bool> bad{false};
  struct Scratch {
    std::vector<double> classes, x;
  };
  std::vector<Scratch> scratch(static_cast<size_t>(options.threads));
  run_chunks(options.threads, (matrix.rows + rows_per_chunk - 1) / rows_per_chunk, [&](size_t chunk, int thread) {
    if (bad.load(std::memory_order_relaxed)) return;
    Scratch& own = scratch[static_cast<size_t>(thread)];
    own.classes.resize(dense_stride(table.classes));
    const size_t begin = chunk * rows_per_chunk, end = std::min(matrix.rows, begin + rows_per_chunk);
    // A row is read, and so checked, before the one ahead of it is scored: what its entries need can be prefetched then.
    CsrReader<Index> readers[2] = {{matrix, options.least}, {matrix, options.least}};
    auto next = readers[begin % 2].read(static_cast<int64_t>(begin), !plain);
    for (size_t i = begin; i < end; ++i) {
      const auto row = next;
      if (readers[i % 2].facts().bad) {
        bad.store(true, std::memory_order_relaxed);
        return;
      }
      size_t following = 0;
      if (i + 1 < matrix.rows) {
        CsrReader<Index>& reader = readers[(i + 1) % 2];
        reader.prefetch_row(static_cast<int64_t>(std::min(i + 4, matrix.rows - 1)));
        next = reader.read(static_cast<int64_t>(i + 1), !plain);
        if (!reader.facts().bad && next.columns == row.columns + row.size) following = next.size;
      }
      const double* x = row.values;
      if (!plain) {
        if (own.x.size() < row.size) own.x.resize(row.size);
        for (size_t j = 0; j < row.size; ++j) own.x[j] = value_of(row.values[j], options.value, options.threshold);
        x = own.x.data();
      }
      std::fill(own.classes.begin(), own.classes.end(), 0.0);
      RowSums sums;
      add(table, row.columns, x, row.size, sums, own.classes.data(), following);
      if (options.unknown != nullptr) sums.size += static_cast<double>(options.unknown[i]);
      finish(table, sums, own.classes.data(), out + i * static_cast<size_t>(table.classes));
    }
  });
  return bad ? first_bad(matrix, options.least) : BadEntry{};
}
}  // namespace tb
