// Hashes of features. `Hash` is ours: one or two 64 x 64 -> 128 bit multiplications, seeded; after Wang Yi's wyhash.
// With `column_seed` it is part of the feature space of hashed counts ("tallybayes-1") and must not change.
// MurmurHash3 (x86, 32 bits; Austin Appleby, public domain) gives the columns of scikit-learn's HashingVectorizer.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tb {
static_assert(std::endian::native == std::endian::little, "features are loaded as little-endian words");

inline uint64_t load64(const char* from) {
  uint64_t word;
  std::memcpy(&word, from, 8);
  return word;
}

inline uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

/// A feature as the loops pass it on. Up to 16 bytes: low and high are its bytes, padded with zeros. Longer: low is a hash
/// and high the address of its bytes.
struct Feature {
  uint64_t low, high, hash;
  uint32_t length;
  uint32_t document;

  static constexpr size_t inline_bytes = 16;
  bool is_short() const { return length <= inline_bytes; }
  const char* data() const { return reinterpret_cast<const char*>(high); }
};

/// first_bytes.of[n]: the mask that keeps n of 16 bytes.
struct FirstBytes {
  alignas(64) uint64_t of[Feature::inline_bytes + 1][2] = {};
  constexpr FirstBytes() {
    for (size_t n = 0; n <= Feature::inline_bytes; ++n)
      for (size_t byte = 0; byte < n; ++byte) of[n][byte / 8] |= uint64_t{0xFF} << (8 * (byte % 8));
  }
};
inline constexpr FirstBytes first_bytes;

class Hash {
 public:
  static constexpr uint64_t column_seed = 0;

  explicit Hash(uint64_t seed) {
    // splitmix64: neighbouring seeds give unrelated keys
    const auto next = [&seed] {
      uint64_t z = seed += 0x9E3779B97F4A7C15u;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
      return z ^ (z >> 31);
    };
    a_ = next();
    b_ = next() | 1;
  }

  /// `data` may be read up to 16 bytes beyond its end.
  [[gnu::always_inline]] Feature padded(const char* data, size_t length) const {
    if (length > Feature::inline_bytes) [[unlikely]] return longer(data, length);
    // A table, not shifts: no branch on the length, which nothing could predict.
    const uint64_t* const mask = first_bytes.of[length];
    return shorter(load64(data) & mask[0], load64(data + 8) & mask[1], length);
  }
  /// The same, reading no byte beyond the end.
  Feature exact(const char* data, size_t length) const {
    if (length > Feature::inline_bytes) return longer(data, length);
    char padded[16] = {};
    if (length > 0) std::memcpy(padded, data, length);
    return shorter(load64(padded), load64(padded + 8), length);
  }

 private:
  [[gnu::always_inline]] Feature shorter(uint64_t low, uint64_t high, size_t length) const {
    return {low, high, mix(low ^ a_, high ^ b_ ^ (uint64_t{length} << 56)), static_cast<uint32_t>(length), 0};
  }
  Feature longer(const char* data, size_t length) const {
    uint64_t hash = a_ ^ length;
    const char* const last = data + length - 16;
    for (const char* at = data; at < last; at += 16) hash = mix(load64(at) ^ b_, load64(at + 8) ^ hash);
    hash = mix(load64(last) ^ b_, load64(last + 8) ^ hash);
    return {hash, reinterpret_cast<uint64_t>(data), mix(hash ^ a_, b_), static_cast<uint32_t>(length), 0};
  }
  uint64_t a_, b_;
};

/// `data` may be read up to 4 bytes beyond its end.
inline uint32_t murmur3_32(const char* data, size_t length, uint32_t seed) {
  constexpr uint32_t c1 = 0xcc9e2d51u, c2 = 0x1b873593u;
  uint32_t h = seed;
  const char* const end = data + length / 4 * 4;
  for (const char* at = data; at != end; at += 4) {
    uint32_t k;
    std::memcpy(&k, at, 4);
    h ^= std::rotl(k * c1, 15) * c2;
    h = std::rotl(h, 13) * 5 + 0xe6546b64u;
  }
  uint32_t k;
  std::memcpy(&k, end, 4);
  k &= (uint32_t{1} << (8 * (length % 4))) - 1;
  h ^= std::rotl(k * c1, 15) * c2;
  h ^= static_cast<uint32_t>(length);
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  return h ^ (h >> 16);
}

/// Which of `size` (a power of two) columns a feature falls into.
struct ColumnHash {
  uint64_t mask = 0;
  bool murmur = false;
  Hash own{Hash::column_seed};

  [[gnu::always_inline]] uint32_t operator()(const char* data, size_t length) const {
    if (!murmur) return static_cast<uint32_t>(own.padded(data, length).hash & mask);
    const auto h = static_cast<int32_t>(murmur3_32(data, length, 0));
    return static_cast<uint32_t>((h < 0 ? 0u - static_cast<uint32_t>(h) : static_cast<uint32_t>(h)) & mask);
  }
};
}  // namespace tb
