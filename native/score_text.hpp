// Scoring text, and turning it into CSR rows: tokenise, look up and add in one go.
//
// Order of the additions: where x is the count, features one after another as they occur; where it is not ("binary",
// "log"), a document's features by ascending row. Either way a document alone equals the document in a batch, bit for bit.
#pragma once
#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "parallel.hpp"
#include "score.hpp"
#include "text.hpp"
#include "vocabulary.hpp"

namespace tb {

/// Hash columns of a model: column -> row of its table.
class ColumnIndex {
 public:
  ColumnIndex(const int64_t* columns, size_t n, size_t size, bool murmur) : hash_{size - 1, murmur}, rows_(size, -1) {
    for (size_t i = 0; i < n; ++i) rows_[static_cast<size_t>(columns[i])] = static_cast<int32_t>(i);
    count_ = n;
  }
  size_t size() const { return count_; }
  [[gnu::always_inline]] Feature prepare(const char* data, size_t length) const {
    const uint32_t column = hash_(data, length);
    prefetch(&rows_[column]);
    return {column, 0, column, 1, 0};
  }
  [[gnu::always_inline]] void prefetch_again(const Feature& feature) const { prefetch(&rows_[feature.hash]); }
  int64_t find(const Feature& feature) const { return rows_[feature.hash]; }

 private:
  ColumnHash hash_;
  Buffer<int32_t> rows_;
  size_t count_ = 0;
};

/// A sink of the lexer that looks features up in a model that does not change. done(document, rows, unknown, unknown_keys,
/// last) gets each document's rows in order of occurrence, a long document in parts, the last of them with `last` set.
template <class Index, class Done>
class LookUp {
  static constexpr size_t batch = 256, part = 4096, near = 12;

 public:
  LookUp(const Index& index, bool keep_unknown, Done done)
      : index_(index), keep_unknown_(keep_unknown), done_(std::move(done)) {
    rows_.reserve(part + batch);
  }

  [[gnu::always_inline]] void feature(const char* data, size_t length) {
    pending_[size_] = index_.prepare(data, length);
    if (++size_ == batch) flush();
  }
  void end_document(size_t document) {
    ends_.push_back({size_, document});
    if (ends_.size() >= batch) flush();
  }
  void flush() {
    size_t k = 0;
    for (const auto& [end, document] : ends_) {
      look_up(k, end);
      k = end;
      done_(document, rows_, unknown_, unknown_keys_, true);
      clear();
    }
    ends_.clear();
    look_up(k, size_);
    size_ = 0;
    if (done_.takes_parts && rows_.size() >= part) {
      done_(0, rows_, 0, unknown_keys_, false);
      rows_.clear();
    }
  }

  using Key = std::tuple<uint64_t, uint64_t, uint32_t>;

 private:
  void look_up(size_t k, size_t end) {
    for (; k < end; ++k) {
      if (k + near < size_) index_.prefetch_again(pending_[k + near]);
      const int64_t row = index_.find(pending_[k]);
      if (row >= 0) {
        rows_.push_back(static_cast<int32_t>(row));
        done_.prefetch_row(static_cast<size_t>(row));
        continue;
      }
      ++unknown_;
      // Two long features of one document are taken for the same if hash and length are: only presence is at stake.
      if (keep_unknown_)
        unknown_keys_.push_back({pending_[k].low, pending_[k].is_short() ? pending_[k].high : 0, pending_[k].length});
    }
  }
  void clear() {
    rows_.clear();
    unknown_keys_.clear();
    unknown_ = 0;
  }

  const Index& index_;
  bool keep_unknown_;
  Done done_;
  Feature pending_[batch];
  size_t size_ = 0;
  struct End {
    size_t at, document;
  };
  std::vector<End> ends_;
  std::vector<int32_t> rows_;
  size_t unknown_ = 0;
  std::vector<Key> unknown_keys_;
};

/// Sort and call use(value, times) for each run of equal values.
template <class T, class Use>
void each_run(std::vector<T>& values, Use&& use) {
  std::sort(values.begin(), values.end());
  for (size_t k = 0; k < values.size();) {
    size_t end = k + 1;
    while (end < values.size() && values[end] == values[k]) ++end;
    use(values[k], end - k);
    k = end;
  }
}

/// Run the documents through the sinks that `make` makes for ranges of them: a few ranges of nearly equal bytes per thread.
template <class MakeSink>
void look_up_all(const Documents& documents, const Rules& rules, int threads, MakeSink&& make) {
  std::vector<size_t> before(documents.size() + 1, 0);
  for (size_t i = 0; i < documents.size(); ++i) before[i + 1] = before[i] + documents.bytes(i) + 32;
  const size_t parts = threads > 1 ? std::min<size_t>(static_cast<size_t>(threads) * 8, documents.size()) : 1;
  const auto cuts = balanced_cuts(documents.size(), std::max<size_t>(parts, 1), [&](size_t i) { return before[i]; });
  run_chunks(threads, cuts.size() - 1, [&](size_t chunk, int) {
    auto sink = make(chunk, cuts[chunk], cuts[chunk + 1]);
    Lexer lexer(rules);
    std::string scratch;
    for (size_t i = cuts[chunk], end = cuts[chunk + 1]; i < end; ++i) {
      if (i + 2 < end) documents.prefetch_text(i + 2);
      lexer.document(documents.utf8(i, scratch), sink);
      sink.end_document(i);
    }
    sink.flush();
  });
}

/// Scores a document as its rows come.
struct ScoreDone {
  static constexpr bool takes_parts = true;
  using Counts = RowKernels<int32_t, Ones>;
  using Values = RowKernels<int32_t, const double*>;

  const Table& table;
  Value value;
  bool unknown_counts;
  double* out;
  typename Counts::Add add_counts = Counts::choose(table);
  typename Values::Add add_values = Values::choose(table);
  RowSums sums{};
  std::vector<double> classes = std::vector<double>(dense_stride(table.classes), 0.0);
  std::vector<int32_t> parts{}, distinct{};
  std::vector<double> x{};

  const size_t lines = table.row == nullptr ? (table.stride + 7) / 8 : 0;
  // The row is added up when those of a whole batch are known.
  [[gnu::always_inline]] void prefetch_row(size_t row) const {
    if (lines == 0) return;
    const double* const dense = table.dense + row * table.stride;
    prefetch<true>(dense);
    if (lines > 1) prefetch<true>(dense + 8);
    if (lines > 2) prefetch<true>(dense + 16);
    if (lines > 3) prefetch<true>(dense + 24);
  }
  template <class Keys>
  void operator()(size_t document, std::vector<int32_t>& rows, size_t unknown, Keys& unknown_keys, bool last) {
    if (value == Value::count)
      add_counts(table, rows.data(), Ones{}, rows.size(), sums, classes.data());
    else
      parts.insert(parts.end(), rows.begin(), rows.end());
    if (!last) return;
    if (value != Value::count) {
      distinct.clear();
      x.clear();
      each_run(parts, [&](int32_t row, size_t times) {
        distinct.push_back(row);
        x.push_back(value_of(static_cast<double>(times), value, 0.0));
      });
      add_values(table, distinct.data(), x.data(), distinct.size(), sums, classes.data());
      parts.clear();
      if (unknown_counts) {  // the keys' order is the seed's; the sum must not be
        x.clear();
        each_run(unknown_keys, [&](const auto&, size_t times) {
          x.push_back(value_of(static_cast<double>(times), value, 0.0));
        });
        std::sort(x.begin(), x.end());
        sums.size += std::accumulate(x.begin(), x.end(), 0.0);
      }
    } else if (unknown_counts) {
      sums.size += static_cast<double>(unknown);
    }
    finish(table, sums, classes.data(), out + document * static_cast<size_t>(table.classes));
    sums = {};
    std::fill(classes.begin(), classes.end(), 0.0);
  }
};

template <class Index>
void score_text(const Documents& documents, const Rules& rules, const Index& index, const Table& table, Value value,
                bool unknown_counts, int threads, double* out) {
  look_up_all(documents, rules, threads, [&](size_t, size_t, size_t) {
    return LookUp<Index, ScoreDone>(index, unknown_counts && value != Value::count,
                                    ScoreDone{table, value, unknown_counts, out});
  });
}

struct TextRows {
  Buffer<int64_t> indptr, indices, counts, unknown;
};

/// Sums a document's features up, columns ascending.
struct RowsDone {
  static constexpr bool takes_parts = false;
  void prefetch_row(size_t) const {}
  struct Part {
    size_t begin = 0;
    Buffer<int64_t> indices, counts;
  };
  Part& part;
  TextRows& out;

  template <class Keys>
  void operator()(size_t document, std::vector<int32_t>& rows, size_t unknown, Keys&, bool) {
    const size_t before = part.indices.size();
    each_run(rows, [&](int32_t row, size_t times) {
      part.indices.push_back(row);
      part.counts.push_back(static_cast<int64_t>(times));
    });
    out.indptr[document + 1] = static_cast<int64_t>(part.indices.size() - before);
    out.unknown[document] = static_cast<int64_t>(unknown);
  }
};

/// Documents as CSR rows of counts, columns ascending.
template <class Index>
TextRows text_to_csr(const Documents& documents, const Rules& rules, const Index& index, int threads) {
  TextRows out;
  out.indptr = Buffer<int64_t>(documents.size() + 1, 0);
  out.unknown = Buffer<int64_t>(documents.size());
  std::vector<RowsDone::Part> parts(static_cast<size_t>(threads) * 8 + 1);
  look_up_all(documents, rules, threads, [&](size_t chunk, size_t begin, size_t) {
    parts[chunk].begin = begin;
    return LookUp<Index, RowsDone>(index, false, RowsDone{parts[chunk], out});
  });
  for (size_t i = 0; i < documents.size(); ++i) out.indptr[i + 1] += out.indptr[i];
  const auto cells = static_cast<size_t>(out.indptr[documents.size()]);
  out.indices = Buffer<int64_t>(cells);
  out.counts = Buffer<int64_t>(cells);
  for (const auto& part : parts) {
    const auto at = static_cast<size_t>(out.indptr[part.begin]);
    std::copy(part.indices.begin(), part.indices.end(), out.indices.begin() + at);
    std::copy(part.counts.begin(), part.counts.end(), out.counts.begin() + at);
  }
  return out;
}
}  // namespace tb
