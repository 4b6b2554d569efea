// Hash tables of features: open addressing, at most three quarters full, one slot of 32 bytes per look-up, exact.
#pragma once
#include <stdexcept>
#include <string_view>
#include <vector>

#include "feature_list.hpp"
#include "hash.hpp"
#include "memory.hpp"

namespace tb {

/// Half a cache line: a look-up that hits costs one miss, whatever is counted. length 0: empty (no feature is).
struct alignas(32) Slot {
  uint64_t low, high;  // up to 16 bytes: the feature; longer: a hash of it, and where it starts in the arena
  uint32_t length, id;
  uint32_t count;  // running count of the class, or of the document
  uint32_t last;   // stamp of the last document that had the feature

  [[gnu::always_inline]] bool is(const Feature& feature, const char* arena) const {
    if (((low ^ feature.low) | (length ^ feature.length)) != 0) return false;
    if (feature.is_short()) [[likely]] return high == feature.high;
    return std::memcmp(arena + high, feature.data(), feature.length) == 0;
  }
  std::string_view bytes(const char* arena) const {
    return {length <= Feature::inline_bytes ? reinterpret_cast<const char*>(this) : arena + high, length};
  }
};
static_assert(sizeof(Slot) == 32);

/// Power-of-two table of slots; the hash's upper bits choose the slot, so that a table twice as large keeps the order.
class SlotTable {
 public:
  explicit SlotTable(size_t features) {
    size_t capacity = 1024;
    while (capacity < 2 * features) capacity *= 2;
    slots_ = Zeros<Slot>(capacity);
    shift_ = 64 - std::countr_zero(capacity);
  }
  size_t start(uint64_t hash) const { return hash >> shift_; }
  size_t next(size_t at) const { return (at + 1) & (slots_.size() - 1); }
  size_t capacity() const { return slots_.size(); }
  Slot& operator[](size_t at) { return slots_[at]; }
  const Slot& operator[](size_t at) const { return slots_[at]; }

  /// The slot of the feature, or the empty one where it belongs.
  [[gnu::always_inline]] size_t find(const Feature& feature, const char* arena) const {
    size_t at = start(feature.hash);
    while (!slots_[at].is(feature, arena) && slots_[at].length != 0) at = next(at);
    return at;
  }

 private:
  Zeros<Slot> slots_;
  int shift_ = 0;
};

/// A vocabulary that grows: feature -> id by first appearance.
class Vocabulary {
 public:
  explicit Vocabulary(uint64_t seed, size_t features = 1 << 13) : hash_(seed), table_(features) {}

  const Hash& hash() const { return hash_; }
  size_t size() const { return size_; }
  const char* arena() const { return arena_.data(); }
  SlotTable& table() { return table_; }
  const SlotTable& table() const { return table_; }

  /// Put a feature that find() missed into its empty slot. True: the table has moved, see moved().
  bool insert(size_t at, const Feature& feature) {
    if (size_ == INT32_MAX) throw std::length_error("more than 2^31 - 1 different features");
    Slot& slot = table_[at];
    slot.low = feature.low;
    slot.length = feature.length;
    slot.id = static_cast<uint32_t>(size_++);
    slot.high = feature.is_short() ? feature.high : static_cast<uint64_t>(arena_.size());
    if (!feature.is_short()) arena_.append(feature.data(), feature.length);
    if (4 * size_ <= 3 * table_.capacity()) return false;
    grow();
    return true;
  }
  /// Where the slot that was `at` before the table moved is now.
  uint32_t moved(uint32_t at) const { return moved_[at]; }
  void forget_moves() { moved_ = {}; }

 private:
  uint64_t hash_of(const Slot& slot) const {
    const std::string_view bytes = slot.bytes(arena());
    return hash_.exact(bytes.data(), bytes.size()).hash;
  }
  void grow() {
    SlotTable larger(table_.capacity());
    moved_ = Buffer<uint32_t>(table_.capacity());
    for (size_t from = 0; from < table_.capacity(); ++from) {
      const Slot& slot = table_[from];
      if (slot.length == 0) continue;
      size_t at = larger.start(hash_of(slot));
      while (larger[at].length != 0) at = larger.next(at);
      larger[at] = slot;
      moved_[from] = static_cast<uint32_t>(at);
    }
    table_ = std::move(larger);
  }

  Hash hash_;
  SlotTable table_;
  size_t size_ = 0;
  Buffer<char> arena_;  // the features that are too long for their slot
  Buffer<uint32_t> moved_;
};

/// A sorted vocabulary that does not change: feature -> its row. Without an index every look-up is a binary search: right
/// for a handful of documents, where building the index would cost more than all look-ups.
class FeatureIndex {
 public:
  static constexpr int64_t absent = -1;

  FeatureIndex(const TextFeatures& features, uint64_t seed, bool indexed)
      : features_(features), hash_(seed), table_(indexed ? features.count : 0), indexed_(indexed) {
    if (!indexed) return;
    if (features.count > INT32_MAX) throw std::length_error("more than 2^31 - 1 different features");
    for (size_t i = 0; i < features.count; ++i) {
      const std::string_view bytes = features[i];
      if (bytes.empty()) continue;
      const Feature feature = hash_.exact(bytes.data(), bytes.size());
      const size_t at = table_.find(feature, arena());
      const uint64_t high = feature.is_short() ? feature.high : static_cast<uint64_t>(features.offsets[i]);
      table_[at] = {feature.low, high, feature.length, static_cast<uint32_t>(i), 0, 0};
    }
  }

  size_t size() const { return features_.count; }
  /// `data` may be read up to 16 bytes beyond its end.
  [[gnu::always_inline]] Feature prepare(const char* data, size_t length) const {
    const Feature feature = hash_.padded(data, length);
    prefetch(&table_[table_.start(feature.hash)]);
    return feature;
  }
  [[gnu::always_inline]] void prefetch_again(const Feature& feature) const {
    prefetch(&table_[table_.start(feature.hash)]);
  }
  [[gnu::always_inline]] int64_t find(const Feature& feature) const {
    if (!indexed_) return search(feature);
    const Slot& slot = table_[table_.find(feature, arena())];
    return slot.length != 0 ? static_cast<int64_t>(slot.id) : absent;
  }
  int64_t search(std::string_view wanted) const {
    size_t low = 0, high = features_.count;
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (features_[middle] < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    return low < features_.count && features_[low] == wanted ? static_cast<int64_t>(low) : absent;
  }

 private:
  const char* arena() const { return reinterpret_cast<const char*>(features_.bytes); }
  int64_t search(const Feature& feature) const {
    const char* bytes = feature.is_short() ? reinterpret_cast<const char*>(&feature) : feature.data();
    return search(std::string_view(bytes, feature.length));
  }

  TextFeatures features_;
  Hash hash_;
  SlotTable table_;
  bool indexed_;
};
}  // namespace tb
