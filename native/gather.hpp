// From what the threads counted (feature id, class, sums) to one feature-major list, features ascending. Nothing here is
// serial but sums over parts: every thread turns its own cells feature-major, and then the features are split.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "memory.hpp"
#include "merge.hpp"
#include "parallel.hpp"
#include "vocabulary.hpp"

namespace tb {

/// Cells as one thread emitted them: runs of one class, classes not falling; a class may come twice in a row.
template <class Sum, size_t N>
struct Emitted {
  using Sums = std::array<Sum, N>;
  struct Run {
    int32_t class_index;
    size_t begin;
  };
  Buffer<uint32_t> ids;
  Buffer<Sums> sums;
  std::vector<Run> runs;

  void start(int32_t class_index) { runs.push_back({class_index, ids.size()}); }
  void add(uint32_t id, const Sums& cell) {
    ids.push_back(id);
    sums.push_back(cell);
  }
};

/// The same cells by feature id.
template <class Sum, size_t N>
struct ById {
  using Sums = std::array<Sum, N>;
  Buffer<size_t> start;
  Buffer<int32_t> classes;
  Buffer<Sums> sums;

  ById() = default;
  ById(Emitted<Sum, N>&& emitted, size_t ids)
      : start(ids + 2, size_t{0}), classes(emitted.ids.size()), sums(emitted.ids.size()) {
    size_t* const next = start.data() + 1;  // ends up as the end of each id, so start stays right
    for (const uint32_t id : emitted.ids) ++next[id + 1];
    for (size_t id = 0; id < ids; ++id) next[id + 1] += next[id];
    emitted.runs.push_back({0, emitted.ids.size()});
    for (size_t run = 0; run + 1 < emitted.runs.size(); ++run)
      for (size_t k = emitted.runs[run].begin; k < emitted.runs[run + 1].begin; ++k) {
        const size_t at = next[emitted.ids[k]]++;
        classes[at] = emitted.runs[run].class_index;
        sums[at] = emitted.sums[k];
      }
    emitted = {};
  }
};

template <class Sum, size_t N>
struct Gathered {
  Buffer<uint8_t> bytes;                    // features that are text
  Buffer<int64_t> offsets, columns;         // ... or columns
  Buffer<int64_t> indptr;
  Buffer<int32_t> class_index;
  std::array<Buffer<Sum>, N> channels;      // Sum: int64_t or double
};

/// One feature of the result: a feature id of one thread. The same feature of other threads follows.
struct Member {
  uint64_t prefix;
  uint32_t thread, id;
};

/// Brings together the cells of the members of one feature, classes ascending, zeros left out.
template <class Total, class Sum, size_t N>
class Joiner {
  using Totals = std::array<Total, N>;

 public:
  explicit Joiner(const std::vector<ById<Sum, N>>& lists) : lists_(lists) {}

  /// Ask for what join() will read of a member some way ahead: first where its cells are, closer by the cells.
  void prefetch_start(const Member& member) const { prefetch(&lists_[member.thread].start[member.id]); }
  void prefetch_cells(const Member& member) const {
    const auto& list = lists_[member.thread];
    const size_t at = list.start[member.id];
    prefetch(&list.classes[at]);
    prefetch(&list.sums[at]);
  }

  template <class Use>
  void join(const Member* begin, const Member* end, Use&& use) {
    const auto& first = lists_[begin->thread];
    if (begin + 1 == end) {
      run(first.start[begin->id], first.start[begin->id + 1], [&](size_t k) { return first.classes[k]; },
          [&](size_t k) -> const auto& { return first.sums[k]; }, use);
      return;
    }
    cells_.clear();
    for (const Member* member = begin; member != end; ++member) {
      const auto& list = lists_[member->thread];
      for (size_t k = list.start[member->id]; k < list.start[member->id + 1]; ++k) cells_.push_back({list.classes[k], &list.sums[k]});
    }
    std::stable_sort(cells_.begin(), cells_.end(), [](const Cell& a, const Cell& b) { return a.class_index < b.class_index; });
    run(0, cells_.size(), [&](size_t k) { return cells_[k].class_index; }, [&](size_t k) -> const auto& { return *cells_[k].sums; }, use);
  }

 private:
  struct Cell {
    int32_t class_index;
    const std::array<Sum, N>* sums;
  };
  template <class ClassOf, class SumsOf, class Use>
  static void run(size_t k, size_t end, ClassOf class_of, SumsOf sums_of, Use&& use) {
    while (k < end) {
      const int32_t c = class_of(k);
      Totals total{};
      for (; k < end && class_of(k) == c; ++k)
        for (size_t n = 0; n < N; ++n) total[n] += static_cast<Total>(sums_of(k)[n]);
      if (std::any_of(total.begin(), total.end(), [](Total t) { return t != 0; })) use(c, total);
    }
  }
  const std::vector<ById<Sum, N>>& lists_;
  std::vector<Cell> cells_;
};

/// All features of all threads, ordered by their bytes. Split by the first two bytes, then each part sorted by itself.
class SortedMembers {
  static constexpr size_t buckets = size_t{1} << 16;

 public:
  SortedMembers(const std::vector<const Vocabulary*>& vocabularies, int threads) : vocabularies_(vocabularies) {
    const size_t n = vocabularies.size();
    std::vector<std::vector<size_t>> next(n, std::vector<size_t>(buckets, 0));
    run_threads(static_cast<int>(n), [&](int t) {
      const Vocabulary& vocabulary = *vocabularies[t];
      for (uint32_t id = 0; id < vocabulary.size(); ++id) ++next[t][bucket_of(vocabulary[id])];
    });
    size_t total = 0;
    starts_.resize(buckets + 1);
    for (size_t b = 0; b < buckets; ++b) {
      starts_[b] = total;
      for (size_t t = 0; t < n; ++t) total += std::exchange(next[t][b], total);
    }
    starts_[buckets] = total;
    members_ = Buffer<Member>(total);
    run_threads(static_cast<int>(n), [&](int t) {
      const Vocabulary& vocabulary = *vocabularies[t];
      for (uint32_t id = 0; id < vocabulary.size(); ++id) {
        const std::string_view bytes = vocabulary[id];
        members_[next[t][bucket_of(bytes)]++] = {prefix_of(bytes), static_cast<uint32_t>(t), id};
      }
    });
    cuts_ = balanced_cuts(buckets, threads > 1 ? static_cast<size_t>(threads) * 8 : 1, [&](size_t b) { return starts_[b]; });
    run_chunks(threads, cuts_.size() - 1, [&](size_t part, int) {
      for (size_t b = cuts_[part]; b < cuts_[part + 1]; ++b)
        std::sort(members_.data() + starts_[b], members_.data() + starts_[b + 1],
                  [&](const Member& x, const Member& y) { return before(x, y); });
    });
  }

  size_t parts() const { return cuts_.size() - 1; }
  std::string_view bytes(const Member& member) const { return (*vocabularies_[member.thread])[member.id]; }

  /// use(begin, end) for every feature of a part, ascending; `joiner` reads ahead, since ids are in no order here.
  template <class Joiner, class Use>
  void each(size_t part, const Joiner& joiner, Use&& use) const {
    const Member* at = members_.data() + starts_[cuts_[part]];
    const Member* const end = members_.data() + starts_[cuts_[part + 1]];
    while (at != end) {
      const Member* stop = at + 1;
      if (end - at > 24) joiner.prefetch_start(at[24]);
      if (end - at > 12) {
        joiner.prefetch_cells(at[12]);
        prefetch(bytes(at[12]).data());
      }
      while (stop != end && stop->prefix == at->prefix && bytes(*stop) == bytes(*at)) ++stop;
      use(at, stop);
      at = stop;
    }
  }

 private:
  static size_t bucket_of(std::string_view bytes) {
    const auto byte = [&](size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u; };
    return byte(0) << 8 | byte(1);
  }
  /// Bytes 2 to 9 as one number that orders like them.
  static uint64_t prefix_of(std::string_view bytes) {
    if (bytes.size() >= 10) return __builtin_bswap64(load64(bytes.data() + 2));
    char padded[8] = {};
    if (bytes.size() > 2) std::memcpy(padded, bytes.data() + 2, bytes.size() - 2);
    return __builtin_bswap64(load64(padded));
  }
  bool before(const Member& x, const Member& y) const {
    if (x.prefix != y.prefix) return x.prefix < y.prefix;
    if (const int order = bytes(x).compare(bytes(y)); order != 0) return order < 0;
    return x.thread < y.thread;
  }

  const std::vector<const Vocabulary*>& vocabularies_;
  std::vector<size_t> starts_, cuts_;
  Buffer<Member> members_;
};

/// Hash columns: column i of every thread is one feature.
class ColumnMembers {
 public:
  ColumnMembers(size_t columns, size_t lists, int threads)
      : columns_(columns), lists_(lists), parts_(static_cast<size_t>(threads) * 8) {}

  size_t parts() const { return parts_; }
  template <class Joiner, class Use>
  void each(size_t part, const Joiner&, Use&& use) const {
    std::vector<Member> members(lists_);
    for (size_t column = columns_ * part / parts_; column < columns_ * (part + 1) / parts_; ++column) {
      for (size_t t = 0; t < lists_; ++t) members[t] = {0, static_cast<uint32_t>(t), static_cast<uint32_t>(column)};
      use(members.data(), members.data() + lists_);
    }
  }

 private:
  size_t columns_, lists_, parts_;
};

/// Write the result: once over all cells to know the sizes, once to fill.
template <class Total, class Sum, size_t N, class Members>
Gathered<Total, N> gather(const std::vector<ById<Sum, N>>& lists, const Members& members, int threads) {
  constexpr bool text = requires(const Member& m) { members.bytes(m); };
  struct Size {
    size_t features = 0, bytes = 0, cells = 0;
  };
  const size_t parts = members.parts();
  std::vector<Size> start(parts + 1);
  run_chunks(threads, parts, [&](size_t part, int) {
    Joiner<Total, Sum, N> joiner(lists);
    Size size;
    members.each(part, joiner, [&](const Member* begin, const Member* end) {
      const size_t before = size.cells;
      joiner.join(begin, end, [&](int32_t, const auto&) { ++size.cells; });
      if (size.cells == before) return;
      ++size.features;
      if constexpr (text) size.bytes += members.bytes(*begin).size();
    });
    start[part + 1] = size;
  });
  for (size_t part = 0; part < parts; ++part) {
    start[part + 1].features += start[part].features;
    start[part + 1].bytes += start[part].bytes;
    start[part + 1].cells += start[part].cells;
  }
  const Size total = start[parts];
  Gathered<Total, N> out;
  out.bytes = Buffer<uint8_t>(text ? total.bytes : 0);
  out.offsets = Buffer<int64_t>(text ? total.features + 1 : 0, 0);
  out.columns = Buffer<int64_t>(text ? 0 : total.features);
  out.indptr = Buffer<int64_t>(total.features + 1);
  out.indptr[0] = 0;
  out.class_index = Buffer<int32_t>(total.cells);
  for (auto& channel : out.channels) channel = Buffer<Total>(total.cells);
  run_chunks(threads, parts, [&](size_t part, int) {
    Joiner<Total, Sum, N> joiner(lists);
    auto [feature, byte, cell] = start[part];
    members.each(part, joiner, [&](const Member* begin, const Member* end) {
      const size_t before = cell;
      joiner.join(begin, end, [&](int32_t c, const auto& totals) {
        out.class_index[cell] = c;
        for (size_t n = 0; n < N; ++n) out.channels[n][cell] = totals[n];
        ++cell;
      });
      if (cell == before) return;
      if constexpr (text) {
        const std::string_view bytes = members.bytes(*begin);
        std::memcpy(out.bytes.data() + byte, bytes.data(), bytes.size());
        byte += bytes.size();
        out.offsets[feature + 1] = static_cast<int64_t>(byte);
      } else {
        out.columns[feature] = static_cast<int64_t>(begin->id);
      }
      out.indptr[++feature] = static_cast<int64_t>(cell);
    });
  });
  return out;
}
}  // namespace tb
