// From what the threads counted (feature id, class, sums) to one feature-major list, features ascending. Features are
// numbered first, so that every cell is written to where its feature's cells are: into one list for all threads, since a
// thread's share of a feature is known. Nothing here is serial but sums over parts.
#pragma once
#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "parallel.hpp"
#include "sorted_members.hpp"

namespace tb {

/// Cells as one thread emitted them: a run for each class, classes never descending; a class may come twice in a row.
/// No cell is zero in every channel.
template <class Sum, size_t N>
struct Emitted {
  using Sums = std::array<Sum, N>;
  struct Run {
    int32_t class_index;
    Buffer<uint32_t> ids;
    Buffer<Sums> sums;

    void add(uint32_t id, const Sums& cell) {
      ids.push_back(id);
      sums.push_back(cell);
    }
  };
  std::vector<Run> runs;

  /// A new run with room for `cells`.
  Run& start(int32_t class_index, size_t cells) {
    Run& run = runs.emplace_back(Run{class_index, {}, {}});
    run.ids.reserve(cells);
    run.sums.reserve(cells);
    return run;
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

/// Hash columns: column i of every thread is one feature.
class ColumnMembers {
 public:
  ColumnMembers(size_t columns, size_t lists, int threads)
      : columns_(columns), lists_(lists), parts_(threads > 1 ? static_cast<size_t>(threads) * 8 : 1) {}

  size_t parts() const { return parts_; }
  size_t ids(size_t) const { return columns_; }
  size_t features() const { return columns_; }
  size_t bytes() const { return 0; }
  template <class Ahead, class Use>
  void each(size_t part, Ahead&&, Use&& use) const {
    std::vector<Member> members(lists_);
    for (size_t column = columns_ * part / parts_; column < columns_ * (part + 1) / parts_; ++column) {
      for (size_t t = 0; t < lists_; ++t) members[t] = {static_cast<uint32_t>(t), static_cast<uint32_t>(column)};
      use(std::string_view(), members.data(), members.data() + lists_);
    }
  }

 private:
  size_t columns_, lists_, parts_;
};

/// The cells of all threads by feature. A feature's cells of one thread follow each other, classes never descending.
template <class Sum, size_t N>
class CellLists {
  using Sums = std::array<Sum, N>;
  struct Cell {
    int32_t class_index;
    Sums sums;
  };

 public:
  explicit CellLists(std::vector<Emitted<Sum, N>>& emitted) : emitted_(emitted), places_(emitted.size()) {
    for (const auto& each : emitted)
      for (const auto& run : each.runs) total_ += run.ids.size();
  }
  size_t size() const { return total_; }

  /// First count the cells of each feature id ...
  template <class Members>
  void count(const Members& members) {
    run_threads(threads(), [&](int t) {
      Buffer<size_t>& cells = places_[t] = Buffer<size_t>(members.ids(static_cast<size_t>(t)), size_t{0});
      for (const auto& run : emitted_[t].runs)
        for (const uint32_t id : run.ids) ++cells[id];
    });
  }
  void prefetch_cells(const Member& member) const { prefetch(&places_[member.thread][member.id]); }
  size_t cells(const Member* begin, const Member* end) const {
    size_t sum = 0;
    for (const Member* member = begin; member != end; ++member) sum += places_[member->thread][member->id];
    return sum;
  }
  void reserve(size_t features) { start_ = Buffer<int64_t>(features + 1); }
  /// ... then say where each feature's begin ...
  void place(size_t feature, const Member* begin, const Member* end, size_t at) {
    start_[feature] = static_cast<int64_t>(at);
    for (const Member* member = begin; member != end; ++member) {
      size_t& place = places_[member->thread][member->id];
      at += std::exchange(place, at);
    }
  }
  /// ... then move them there. What was emitted is gone afterwards.
  void fill(size_t features) {
    end(features);
    cells_ = Buffer<Cell>(total_);
    move([this](size_t at) { prefetch(&cells_[at]); },
         [this](size_t at, int32_t c, const Sums& sums) { cells_[at] = {c, sums}; });
  }
  /// Whether each class has one run, so that the cells are in order once they are moved, and no two of them are one.
  bool is_final() const {
    if (emitted_.size() > 1) return false;
    const auto& runs = emitted_[0].runs;
    const auto falls = [](const auto& a, const auto& b) { return a.class_index >= b.class_index; };
    return std::adjacent_find(runs.begin(), runs.end(), falls) == runs.end();
  }
  /// Then they go straight into the result.
  template <class Total>
  void fill(size_t features, Gathered<Total, N>& out) {
    end(features);
    out.indptr = std::move(start_);
    out.class_index = Buffer<int32_t>(total_);
    for (auto& channel : out.channels) channel = Buffer<Total>(total_);
    move(
        [&](size_t at) {
          prefetch(&out.class_index[at]);
          for (const auto& channel : out.channels) prefetch(&channel[at]);
        },
        [&](size_t at, int32_t c, const Sums& sums) {
          out.class_index[at] = c;
          for (size_t n = 0; n < N; ++n) out.channels[n][at] = static_cast<Total>(sums[n]);
        });
  }

  const int64_t* start() const { return start_.data(); }
  /// use(class, sums) for every class of a feature, ascending.
  template <class Total, class Use>
  void each(size_t feature, Use&& use) {
    Cell* const begin = cells_.data() + start_[feature];
    Cell* const end = cells_.data() + start_[feature + 1];
    sort(begin, end);
    for (const Cell* cell = begin; cell != end;) {
      const int32_t c = cell->class_index;
      std::array<Total, N> total{};
      for (; cell != end && cell->class_index == c; ++cell)
        for (size_t n = 0; n < N; ++n) total[n] += static_cast<Total>(cell->sums[n]);
      use(c, total);
    }
  }

 private:
  int threads() const { return static_cast<int>(emitted_.size()); }
  void end(size_t features) {
    start_.truncate(features + 1);
    start_[features] = static_cast<int64_t>(total_);
  }
  template <class Ahead, class Put>
  void move(Ahead&& ahead, Put&& put) {
    constexpr size_t near = 8, far = 24;
    run_threads(threads(), [&](int t) {
      Buffer<size_t>& places = places_[t];
      for (auto& run : emitted_[t].runs) {
        const size_t n = run.ids.size();
        for (size_t k = 0; k < n; ++k) {
          if (k + far < n) prefetch(&places[run.ids[k + far]]);
          if (k + near < n) ahead(places[run.ids[k + near]]);
          put(places[run.ids[k]]++, run.class_index, run.sums[k]);
        }
        run = {};
      }
    });
  }
  /// By class. The share of each thread is sorted already.
  static void sort(Cell* begin, Cell* end) {
    constexpr ptrdiff_t few = 64;
    const auto before = [](const Cell& a, const Cell& b) { return a.class_index < b.class_index; };
    if (end - begin > few && !std::is_sorted(begin, end, before)) return std::stable_sort(begin, end, before);
    for (Cell* next = begin + (begin != end); next < end; ++next) {
      const Cell cell = *next;
      Cell* to = next;
      for (; to != begin && before(cell, to[-1]); --to) *to = to[-1];
      *to = cell;
    }
  }

  std::vector<Emitted<Sum, N>>& emitted_;
  std::vector<Buffer<size_t>> places_;  // by thread and id: how many cells, then where the next one goes
  Buffer<int64_t> start_;               // by feature
  Buffer<Cell> cells_;
  size_t total_ = 0;
};

/// The cells in order, a class that several threads counted as one cell.
template <class Total, class Sum, size_t N>
void write_cells(CellLists<Sum, N>& lists, size_t features, int threads, Gathered<Total, N>& out) {
  const int64_t* const start = lists.start();
  const auto cuts = balanced_cuts(features, threads > 1 ? static_cast<size_t>(threads) * 8 : 1, [&](size_t f) { return start[f]; });
  const size_t parts = cuts.size() - 1;
  std::vector<size_t> first(parts + 1, 0);
  if (parts == 1) {
    first[1] = static_cast<size_t>(start[features]);  // at most
  } else {
    run_chunks(threads, parts, [&](size_t part, int) {
      for (size_t f = cuts[part]; f < cuts[part + 1]; ++f)
        lists.template each<Total>(f, [&](int32_t, const auto&) { ++first[part + 1]; });
    });
    std::partial_sum(first.begin(), first.end(), first.begin());
  }
  out.indptr = Buffer<int64_t>(features + 1);
  out.indptr[0] = 0;
  out.class_index = Buffer<int32_t>(first[parts]);
  for (auto& channel : out.channels) channel = Buffer<Total>(first[parts]);
  run_chunks(threads, parts, [&](size_t part, int) {
    size_t at = first[part];
    for (size_t f = cuts[part]; f < cuts[part + 1]; ++f) {
      lists.template each<Total>(f, [&](int32_t c, const auto& totals) {
        out.class_index[at] = c;
        for (size_t n = 0; n < N; ++n) out.channels[n][at] = totals[n];
        ++at;
      });
      out.indptr[f + 1] = static_cast<int64_t>(at);
    }
  });
  out.class_index.truncate(static_cast<size_t>(out.indptr[features]));
  for (auto& channel : out.channels) channel.truncate(static_cast<size_t>(out.indptr[features]));
}

template <class Total, class Sum, size_t N, class Members>
Gathered<Total, N> gather(std::vector<Emitted<Sum, N>>& emitted, const Members& members, int threads) {
  constexpr bool text = std::is_same_v<Members, SortedMembers>;
  struct Size {
    size_t features = 0, bytes = 0, cells = 0;
  };
  CellLists<Sum, N> lists(emitted);
  lists.count(members);
  const auto ahead = [&](const Member& member) { lists.prefetch_cells(member); };
  const size_t parts = members.parts();
  std::vector<Size> start(parts + 1);
  if (parts == 1) {
    start[1] = {members.features(), members.bytes(), lists.size()};  // at most
  } else {
    run_chunks(threads, parts, [&](size_t part, int) {
      Size size;
      members.each(part, ahead, [&](std::string_view bytes, const Member* begin, const Member* end) {
        const size_t cells = lists.cells(begin, end);
        if (cells == 0) return;
        ++size.features;
        size.bytes += bytes.size();
        size.cells += cells;
      });
      start[part + 1] = size;
    });
    for (size_t part = 0; part < parts; ++part) {
      start[part + 1].features += start[part].features;
      start[part + 1].bytes += start[part].bytes;
      start[part + 1].cells += start[part].cells;
    }
  }
  lists.reserve(start[parts].features);
  Gathered<Total, N> out;
  out.bytes = Buffer<uint8_t>(start[parts].bytes);
  out.offsets = Buffer<int64_t>(text ? start[parts].features + 1 : 0, 0);
  out.columns = Buffer<int64_t>(text ? 0 : start[parts].features);
  Size last;
  run_chunks(threads, parts, [&](size_t part, int) {
    Size at = start[part];
    members.each(part, ahead, [&](std::string_view bytes, const Member* begin, const Member* end) {
      const size_t cells = lists.cells(begin, end);
      if (cells == 0) return;
      lists.place(at.features, begin, end, at.cells);
      at.cells += cells;
      if constexpr (text) {
        std::memcpy(out.bytes.data() + at.bytes, bytes.data(), bytes.size());
        at.bytes += bytes.size();
        out.offsets[at.features + 1] = static_cast<int64_t>(at.bytes);
      } else {
        out.columns[at.features] = static_cast<int64_t>(begin->id);
      }
      ++at.features;
    });
    if (part + 1 == parts) last = at;
  });
  out.bytes.truncate(last.bytes);
  out.offsets.truncate(text ? last.features + 1 : 0);
  out.columns.truncate(text ? 0 : last.features);
  if (lists.is_final()) {
    lists.fill(last.features, out);
  } else {
    lists.fill(last.features);
    write_cells(lists, last.features, threads, out);
  }
  return out;
}
}  // namespace tb
