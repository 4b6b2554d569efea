// Counting text: tokenise, look up and add in one go, documents ordered by class.
//
// Within a class the running count lives in the slot of the feature itself, so a token costs one cache miss whatever the
// number of classes; at the end of the class the slots it touched are emitted and cleared. Where a document's counts do not
// simply add (weights, logarithms), each document is summed up like a small class first.
#pragma once
#include <cmath>
#include <limits>
#include <optional>

#include "class_order.hpp"
#include "gather.hpp"
#include "text.hpp"
#include "value.hpp"

namespace tb {

struct CountOptions {
  int32_t classes;
  bool occurrences, documents;
  Value value;
  const int64_t* whole_weights;  // per document; or
  const double* weights;
  size_t columns;  // hash columns, a power of two; 0: exact vocabulary
  bool murmur;
  uint64_t seed;
  int threads;
};

/// Occurrences of value "log" are in units of 2^-32, so that their sums stay exact.
inline int64_t log_units(uint32_t occurrences) {
  return std::llround(4294967296.0 * (1.0 + std::log(static_cast<double>(occurrences))));
}

/// Where counts live when the vocabulary is exact.
class WordStore {
 public:
  using Pending = Feature;
  explicit WordStore(const CountOptions& options) : vocabulary_(options.seed) {}

  [[gnu::always_inline]] Feature prepare(const char* data, size_t length) {
    const Feature feature = vocabulary_.hash().padded(data, length);
    prefetch(&vocabulary_.table()[vocabulary_.table().start(feature.hash)]);
    return feature;
  }
  /// By the time its turn comes, what prepare() fetched has left the first-level cache again.
  [[gnu::always_inline]] void prefetch_again(const Feature& feature) {
    prefetch(&vocabulary_.table()[vocabulary_.table().start(feature.hash)]);
  }
  /// The slot of a feature, new or known. `touched` names slots and is kept right when they move.
  [[gnu::always_inline]] Slot& at(const Feature& feature, Buffer<uint32_t>& touched, uint32_t& index) {
    SlotTable& table = vocabulary_.table();
    size_t at = table.find(feature, vocabulary_.arena());
    if (table[at].length == 0) [[unlikely]] {
      if (vocabulary_.insert(at, feature)) {
        for (uint32_t& each : touched) each = vocabulary_.moved(each);
        at = vocabulary_.moved(static_cast<uint32_t>(at));
        vocabulary_.forget_moves();
      }
    }
    index = static_cast<uint32_t>(at);
    return vocabulary_.table()[at];
  }
  Slot& operator[](uint32_t index) { return vocabulary_.table()[index]; }
  uint32_t id(uint32_t index) { return vocabulary_.table()[index].id; }
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  Vocabulary vocabulary_;
};

/// Where counts live when features are hashed to columns.
class ColumnStore {
  struct Cell {
    uint32_t count, last;
  };

 public:
  struct Pending {
    uint32_t column, document;
  };
  explicit ColumnStore(const CountOptions& options)
      : hash_{options.columns - 1, options.murmur}, cells_(options.columns) {}

  [[gnu::always_inline]] Pending prepare(const char* data, size_t length) {
    const uint32_t column = hash_(data, length);
    prefetch(&cells_[column]);
    return {column, 0};
  }
  [[gnu::always_inline]] void prefetch_again(const Pending& feature) { prefetch(&cells_[feature.column]); }
  [[gnu::always_inline]] Cell& at(const Pending& feature, Buffer<uint32_t>&, uint32_t& index) {
    index = feature.column;
    return cells_[index];
  }
  Cell& operator[](uint32_t index) { return cells_[index]; }
  uint32_t id(uint32_t index) const { return index; }

 private:
  ColumnHash hash_;
  Zeros<Cell> cells_;
};

/// What is summed per cell: nothing but counts, or (each) documents summed up first and then added as Sum.
template <bool occurrences_, bool documents_, bool each_, class Sum_>
struct CountMode {
  static constexpr bool occurrences = occurrences_, documents = documents_, each = each_;
  using Sum = Sum_;
  static constexpr size_t channels = size_t{occurrences} + size_t{documents};
};

/// A sink of the lexer: one per thread.
template <class Store, class Mode>
class TextCounter {
  using Sum = typename Mode::Sum;
  using Sums = std::array<Sum, Mode::channels>;
  static constexpr size_t batch = 256, near = 12;

 public:
  explicit TextCounter(const CountOptions& options) : options_(options), store_(options) {}

  [[gnu::always_inline]] void feature(const char* data, size_t length) {
    pending_[size_] = store_.prepare(data, length);
    if constexpr (stamps) pending_[size_].document = stamp_;
    if (++size_ == batch) flush();
  }

  void flush() {
    for (size_t k = 0, n = size_; k < n; ++k) {
      if (k + near < n) store_.prefetch_again(pending_[k + near]);
      uint32_t index;
      auto& slot = store_.at(pending_[k], touched_, index);
      if constexpr (stamps) {
        const bool again = slot.last == pending_[k].document;
        slot.last = pending_[k].document;
        if (slot.count == 0) touched_.push_back(index);
        slot.count += !again;
        if constexpr (both) {  // without a branch on `again`, which no processor could predict
          slot.count |= static_cast<uint32_t>(again) << 31;
          repeats_[n_repeats_] = store_.id(index);
          n_repeats_ += again;
        }
      } else {
        if (slot.count++ == 0) touched_.push_back(index);
      }
    }
    if constexpr (both)
      if (n_repeats_ + batch > std::size(repeats_)) add_repeats();
    counted_ += size_;
    size_ = 0;
    if (counted_ > UINT32_MAX / 2) [[unlikely]] {  // before a count of 32 bits could overflow
      if (Mode::each) throw std::length_error("a document with more than 2^31 features");
      emit();
    }
  }

  void begin_document(size_t index) {
    if (stamp_ == UINT32_MAX) throw std::length_error("more than 2^32 - 2 documents in one call");
    ++stamp_;
    index_ = index;
  }
  void end_document() {
    if constexpr (Mode::each) {
      flush();
      const Sum weight = options_.weights != nullptr         ? static_cast<Sum>(options_.weights[index_])
                         : options_.whole_weights != nullptr ? static_cast<Sum>(options_.whole_weights[index_])
                                                             : Sum{1};
      for (const uint32_t slot : touched_) {
        add_weighted(store_.id(slot), store_[slot].count, weight);
        store_[slot].count = 0;
      }
      touched_.clear();
      counted_ = 0;
    }
  }
  void begin_class(int32_t class_index) {
    if (class_index == class_) return;
    end_class();
    class_ = class_index;
  }
  void end_class() {
    flush();
    emit();
  }

  Store& store() { return store_; }
  Emitted<Sum, Mode::channels>& emitted() { return emitted_; }

 private:
  // Where documents are counted, the slot counts them. What a feature comes a second time and more often in a document is
  // counted elsewhere, since that is rare; the highest bit of the count tells that there is such a number.
  static constexpr bool both = Mode::documents && Mode::occurrences && !Mode::each;
  static constexpr bool stamps = Mode::documents && !Mode::each;
  static constexpr uint32_t repeated = uint32_t{1} << 31;

  void add_repeats() {
    for (size_t k = 0; k < n_repeats_; ++k) {
      if (k + 16 < n_repeats_ && repeats_[k + 16] < own_.size()) prefetch(&own_[repeats_[k + 16]]);
      const uint32_t id = repeats_[k];
      if (id >= own_.size()) grow(id);
      ++own_[id][0];
    }
    n_repeats_ = 0;
  }
  void add_weighted(uint32_t id, uint32_t count, Sum weight) {
    if (id >= own_.size()) grow(id);
    if (!held_[id]) {
      held_[id] = 1;
      held_ids_.push_back(id);
    }
    if constexpr (Mode::occurrences) {
      const Sum value = options_.value == Value::log      ? static_cast<Sum>(log_of(count))
                        : options_.value == Value::binary ? Sum{1}
                                                          : static_cast<Sum>(count);
      add_product(own_[id][0], value, weight);
    }
    if constexpr (Mode::documents) add_product(own_[id][Mode::channels - 1], Sum{1}, weight);
  }
  static void add_product(double& sum, double value, double weight) { sum += value * weight; }
  static void add_product(int64_t& sum, int64_t value, int64_t weight) {
    int64_t product;
    if (__builtin_mul_overflow(value, weight, &product) || __builtin_add_overflow(sum, product, &sum))
      throw std::overflow_error("a weighted count is larger than 2^63 - 1");
  }
  static void add_product(uint32_t&, uint32_t, uint32_t) {}

  int64_t log_of(uint32_t count) {
    while (log_.size() < std::min<size_t>(count + 1, 4096))
      log_.push_back(log_.empty() ? 0 : log_units(static_cast<uint32_t>(log_.size())));
    return count < log_.size() ? log_[count] : log_units(count);
  }
  void grow(uint32_t id) {
    const size_t size = std::max<size_t>(2 * own_.size(), std::max<size_t>(id + 1, 1024));
    Buffer<Sums> own(size, Sums{});
    std::copy(own_.begin(), own_.end(), own.begin());
    own_ = std::move(own);
    held_.resize(size, 0);
  }

  void emit() {
    counted_ = 0;
    if constexpr (Mode::each) {
      if (held_ids_.size() == 0) return;
      auto& run = emitted_.start(class_, held_ids_.size());
      for (const uint32_t id : held_ids_) {
        if (own_[id] != Sums{}) run.add(id, own_[id]);
        own_[id] = {};
        held_[id] = 0;
      }
      held_ids_.clear();
    } else {
      if (touched_.size() == 0) return;
      if constexpr (both) add_repeats();
      auto& run = emitted_.start(class_, touched_.size());
      for (size_t k = 0; k < touched_.size(); ++k) {
        if (k + 16 < touched_.size()) prefetch(&store_[touched_[k + 16]]);
        auto& slot = store_[touched_[k]];
        const uint32_t id = store_.id(touched_[k]);
        Sums sums{};
        sums[0] = slot.count;
        if constexpr (both) {
          sums[0] = sums[1] = slot.count & ~repeated;
          if (slot.count & repeated) sums[0] += std::exchange(own_[id][0], 0);
        }
        slot.count = 0;
        run.add(id, sums);
      }
      touched_.clear();
    }
  }

  const CountOptions& options_;
  Store store_;
  typename Store::Pending pending_[batch];
  size_t size_ = 0;
  uint64_t counted_ = 0;
  uint32_t stamp_ = 0;
  size_t index_ = 0;
  int32_t class_ = -1;
  Buffer<uint32_t> touched_;
  Buffer<Sums> own_;                // by id: repeats inside documents, or a class's weighted sums
  std::vector<uint8_t> held_;       // by id: in held_ids_
  Buffer<uint32_t> held_ids_;
  std::vector<int64_t> log_;
  uint32_t repeats_[4096];          // ids of what came again in its document, to be added up together
  size_t n_repeats_ = 0;
  Emitted<Sum, Mode::channels> emitted_;
};

/// Documents in class order, cut into chunks of nearly equal bytes.
struct DocumentOrder {
  std::vector<int64_t> order;
  std::vector<size_t> cuts;

  DocumentOrder(const Documents& documents, const int32_t* class_index, int32_t classes, int threads)
      : order(rows_by_class(class_index, documents.size(), static_cast<size_t>(classes))) {
    constexpr size_t overhead = 32;  // what a document costs besides its bytes
    std::vector<size_t> before(documents.size() + 1, 0);
    for (size_t i = 0; i < documents.size(); ++i)
      before[i + 1] = before[i] + documents.bytes(static_cast<size_t>(order[i])) + overhead;
    // Several chunks per thread even out a core that is busy elsewhere; each thread's classes still ascend.
    const size_t parts = threads > 1 ? static_cast<size_t>(threads) * 4 : 1;
    cuts = balanced_cuts(documents.size(), parts, [&](size_t i) { return before[i]; });
  }
};

template <class Total, class Store, class Mode>
Gathered<Total, Mode::channels> count_text(const Documents& documents, const int32_t* class_index, const Rules& rules,
                                           const CountOptions& options) {
  using Counter = TextCounter<Store, Mode>;
  constexpr size_t near = 2, far = 8;
  const int threads = std::max(1, std::min<int>(options.threads, static_cast<int>(std::min<size_t>(documents.size(), 4096))));
  const DocumentOrder work(documents, class_index, options.classes, threads);
  std::vector<std::unique_ptr<Counter>> counters(static_cast<size_t>(threads));
  std::vector<Emitted<typename Mode::Sum, Mode::channels>> emitted(static_cast<size_t>(threads));
  std::atomic<size_t> next{0};
  run_threads(threads, [&](int thread) {
    auto& counter = *(counters[thread] = std::make_unique<Counter>(options));
    Lexer lexer(rules);
    std::string scratch;
    for (size_t chunk; (chunk = next.fetch_add(1)) < work.cuts.size() - 1;) {
      const size_t end = work.cuts[chunk + 1];
      for (size_t k = work.cuts[chunk]; k < end; ++k) {
        const auto i = static_cast<size_t>(work.order[k]);
        if (k + far < end) {
          documents.prefetch_place(static_cast<size_t>(work.order[k + far]));
          prefetch(class_index + work.order[k + far]);
        }
        if (k + near < end) documents.prefetch_text(static_cast<size_t>(work.order[k + near]));
        counter.begin_class(class_index[i]);
        counter.begin_document(i);
        lexer.document(documents.utf8(i, scratch), counter);
        counter.end_document();
      }
    }
    counter.end_class();
    emitted[thread] = std::move(counter.emitted());
  });
  if constexpr (std::is_same_v<Store, WordStore>) {
    std::vector<const Vocabulary*> vocabularies;
    for (const auto& counter : counters) vocabularies.push_back(&counter->store().vocabulary());
    return gather<Total>(emitted, SortedMembers(vocabularies, threads), threads);
  } else {
    return gather<Total>(emitted, ColumnMembers(options.columns, emitted.size(), threads), threads);
  }
}
}  // namespace tb
