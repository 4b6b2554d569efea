// The features of several vocabularies in the order of their bytes.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "parallel.hpp"
#include "vocabulary.hpp"

namespace tb {

/// One feature of the result: a feature id of one thread. The same feature of other threads follows.
struct Member {
  uint32_t thread, id;
};

/// All features of all threads, ordered by their bytes. Split by the first two bytes, then by one byte after the other until
/// few are left to compare.
class SortedMembers {
  static constexpr size_t buckets = size_t{1} << 16;
  struct Place {
    uint64_t prefix;  // bytes 2 to 9
    uint32_t slot;
    uint16_t thread, length;  // length: at most `longer`, which stands for all that is longer than bucket and prefix

    bool is_whole() const { return length < longer; }
  };
  static constexpr uint16_t longer = 11;

 public:
  SortedMembers(const std::vector<const Vocabulary*>& vocabularies, int threads) : vocabularies_(vocabularies) {
    const size_t n = vocabularies.size();
    std::vector<std::vector<size_t>> next(n, std::vector<size_t>(buckets, 0));
    std::vector<size_t> bytes(n, 0);
    run_threads(static_cast<int>(n), [&](int t) {
      each_feature(t, [&](size_t, std::string_view feature) {
        ++next[t][bucket_of(feature)];
        bytes[t] += feature.size();
      });
    });
    bytes_ = std::accumulate(bytes.begin(), bytes.end(), size_t{0});
    size_t total = 0;
    starts_.resize(buckets + 1);
    for (size_t b = 0; b < buckets; ++b) {
      starts_[b] = total;
      for (size_t t = 0; t < n; ++t) total += std::exchange(next[t][b], total);
    }
    starts_[buckets] = total;
    places_ = Buffer<Place>(total);
    run_threads(static_cast<int>(n), [&](int t) {
      each_feature(t, [&](size_t slot, std::string_view feature) {
        places_[next[t][bucket_of(feature)]++] = {prefix_of(feature), static_cast<uint32_t>(slot), static_cast<uint16_t>(t),
                                                  static_cast<uint16_t>(std::min<size_t>(feature.size(), longer))};
      });
    });
    cuts_ = balanced_cuts(buckets, threads > 1 ? static_cast<size_t>(threads) * 8 : 1, [&](size_t b) { return starts_[b]; });
    run_chunks(threads, parts(), [&](size_t part, int) {
      std::vector<Place> scratch;
      for (size_t b = cuts_[part]; b < cuts_[part + 1]; ++b)
        sort(places_.data() + starts_[b], places_.data() + starts_[b + 1], 8, scratch);
    });
  }

  size_t parts() const { return cuts_.size() - 1; }
  size_t ids(size_t thread) const { return vocabularies_[thread]->size(); }
  /// Upper bounds: of the number of features, and of their bytes.
  size_t features() const { return places_.size(); }
  size_t bytes() const { return bytes_; }

  /// use(bytes, begin, end) for every feature of a part, ascending. Slots are in no order here: they are prefetched, and
  /// ahead(member) may prefetch what use() will read.
  template <class Ahead, class Use>
  void each(size_t part, Ahead&& ahead, Use&& use) const {
    std::vector<Member> members;
    const Place* const all = places_.data();
    const Place* const end = all + starts_[cuts_[part + 1]];
    for (size_t bucket = cuts_[part]; bucket < cuts_[part + 1]; ++bucket) {
      const Place* at = all + starts_[bucket];
      const Place* const stop = all + starts_[bucket + 1];
      while (at != stop) {
        if (end - at > 24) prefetch(&slot(at[24]));
        if (end - at > 12) ahead(Member{at[12].thread, slot(at[12]).id});
        const std::string_view feature = bytes_of(*at);
        members.clear();
        do members.push_back({at->thread, slot(*at).id});
        while (++at != stop && same(at[-1], *at));
        use(feature, members.data(), members.data() + members.size());
      }
    }
  }

 private:
  template <class Use>
  void each_feature(int thread, Use&& use) const {
    const Vocabulary& vocabulary = *vocabularies_[static_cast<size_t>(thread)];
    for (size_t slot = 0; slot < vocabulary.table().capacity(); ++slot)
      if (vocabulary.table()[slot].length != 0) use(slot, vocabulary.table()[slot].bytes(vocabulary.arena()));
  }
  const Slot& slot(const Place& place) const { return vocabularies_[place.thread]->table()[place.slot]; }
  std::string_view bytes_of(const Place& place) const { return slot(place).bytes(vocabularies_[place.thread]->arena()); }
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
  /// Sort by the last `left` bytes of the prefix and, where it is used up, by what follows it.
  void sort(Place* const begin, Place* const end, int left, std::vector<Place>& scratch) const {
    constexpr ptrdiff_t few = 48;
    if (end - begin <= few || left == 0)
      return std::sort(begin, end, [this](const Place& x, const Place& y) { return before(x, y); });
    const auto byte_of = [shift = 8 * (left - 1)](const Place& place) { return place.prefix >> shift & 0xFF; };
    std::array<Place*, 256> next{};
    std::array<size_t, 256> sizes{};
    for (const Place* place = begin; place != end; ++place) ++sizes[byte_of(*place)];
    Place* at = begin;
    for (size_t byte = 0; byte < 256; ++byte) {
      next[byte] = at;
      at += sizes[byte];
    }
    if (sizes[byte_of(*begin)] < static_cast<size_t>(end - begin)) {
      scratch.assign(begin, end);
      for (const Place& place : scratch) *next[byte_of(place)]++ = place;
    } else {
      next[byte_of(*begin)] = end;
    }
    for (size_t byte = 0; byte < 256; ++byte)
      if (sizes[byte] > 1) sort(next[byte] - sizes[byte], next[byte], left - 1, scratch);
  }
  // Within a bucket; features are looked up only where the prefix is not enough.
  bool same(const Place& x, const Place& y) const {
    return x.prefix == y.prefix && x.length == y.length && (x.is_whole() || bytes_of(x) == bytes_of(y));
  }
  bool before(const Place& x, const Place& y) const {
    if (x.prefix != y.prefix) return x.prefix < y.prefix;
    if (x.length != y.length) return x.length < y.length;
    if (!x.is_whole())
      if (const int order = bytes_of(x).compare(bytes_of(y)); order != 0) return order < 0;
    return x.thread < y.thread;
  }

  const std::vector<const Vocabulary*>& vocabularies_;
  std::vector<size_t> starts_, cuts_;
  Buffer<Place> places_;
  size_t bytes_ = 0;
};

}  // namespace tb
