// What a code point is and becomes: look-ups in the generated tables, and canonical composition (NFC) of a short run.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "unicode.hpp"

namespace tb {

/// A code point with its record (flags << 8 | combining class) and the bytes of the document that it came from.
struct Character {
  char32_t c;
  uint32_t record;
  size_t begin, end;
  bool joined = false;  // a zero-width joiner stood before it

  bool is(uint32_t flags) const { return record >> 8 & flags; }
  unsigned combining_class() const { return record & 0xFF; }
  /// Whether NFC may join it to the characters before, or put it in another order among them.
  bool composes() const { return combining_class() != 0 || is(unicode::joins); }
};

namespace unicode {

inline uint32_t record_of(char32_t c) {
  return records[record_blocks[record_index[c >> record_shift] << record_shift | (c & ((1u << record_shift) - 1))]];
}

/// A replacement in the pool: the number of code points, then the code points; or none.
struct Replacement {
  const uint32_t* place = nullptr;
  explicit operator bool() const { return place != nullptr; }
  const uint32_t* begin() const { return place + 1; }
  const uint32_t* end() const { return place + 1 + *place; }
};

inline Replacement nfkc_of(char32_t c) {
  const unsigned at = nfkc_blocks[nfkc_index[c >> nfkc_shift] << nfkc_shift | (c & ((1u << nfkc_shift) - 1))];
  return {at ? pool + at : nullptr};
}
inline Replacement casefold_of(char32_t c) {
  const unsigned at =
      casefold_blocks[casefold_index[c >> casefold_shift] << casefold_shift | (c & ((1u << casefold_shift) - 1))];
  return {at ? pool + at : nullptr};
}
inline Replacement lower_of(char32_t c) {
  const unsigned at = lower_blocks[lower_index[c >> lower_shift] << lower_shift | (c & ((1u << lower_shift) - 1))];
  return {at ? pool + at : nullptr};
}

// Hangul syllables are computed: section 3.12 of the Unicode standard.
constexpr char32_t hangul = 0xAC00, hangul_l = 0x1100, hangul_v = 0x1161, hangul_t = 0x11A7;
constexpr unsigned hangul_ls = 19, hangul_vs = 21, hangul_ts = 28;

/// The composed form of two code points, or 0.
inline char32_t compose_pair(char32_t first, char32_t second) {
  if (first - hangul_l < hangul_ls && second - hangul_v < hangul_vs)
    return hangul + ((first - hangul_l) * hangul_vs + (second - hangul_v)) * hangul_ts;
  if (first - hangul < hangul_ls * hangul_vs * hangul_ts && (first - hangul) % hangul_ts == 0 &&
      second - hangul_t - 1 < hangul_ts - 1)
    return first + (second - hangul_t);
  const auto* row = std::lower_bound(std::begin(compositions), std::end(compositions), first,
                                     [second](const uint32_t(&pair)[3], char32_t value) {
                                       return pair[0] != value ? pair[0] < value : pair[1] < second;
                                     });
  return row != std::end(compositions) && (*row)[0] == first && (*row)[1] == second ? (*row)[2] : 0;
}

/// Append the canonical decomposition of a character that is itself in NFC.
inline void decompose(const Character& character, std::vector<Character>& to) {
  const char32_t c = character.c;
  const auto part = [&](char32_t d) {
    Character copy = character;
    copy.c = d;
    copy.record = record_of(d);
    return copy;
  };
  if (c - hangul < hangul_ls * hangul_vs * hangul_ts) {
    const char32_t s = c - hangul;
    to.push_back(part(hangul_l + s / (hangul_vs * hangul_ts)));
    to.push_back(part(hangul_v + s % (hangul_vs * hangul_ts) / hangul_ts));
    if (s % hangul_ts) to.push_back(part(hangul_t + s % hangul_ts));
    return;
  }
  if (c >= 0xC0) {
    const auto* row = std::lower_bound(std::begin(decompositions), std::end(decompositions), c,
                                       [](uint16_t r, char32_t value) { return compositions[r][2] < value; });
    if (row != std::end(decompositions) && compositions[*row][2] == c) {
      decompose(part(compositions[*row][0]), to);
      to.push_back(part(compositions[*row][1]));
      return;
    }
  }
  to.push_back(character);
}

/// Bring a run of characters, each in NFC by itself, into NFC. `work` is scratch.
inline void compose(std::vector<Character>& run, std::vector<Character>& work) {
  bool done = true;  // the quick check of UAX #15: in canonical order and nothing that joins
  for (size_t i = 0; i < run.size() && done; ++i)
    done = !run[i].is(joins) && !(i && run[i].combining_class() && run[i].combining_class() < run[i - 1].combining_class());
  if (done) return;
  work.clear();
  for (const Character& character : run) decompose(character, work);
  const auto by_class = [](const Character& a, const Character& b) { return a.combining_class() < b.combining_class(); };
  for (auto from = work.begin(); from != work.end();) {
    if (!from->combining_class()) {
      ++from;
      continue;
    }
    const auto to = std::find_if(from, work.end(), [](const Character& ch) { return !ch.combining_class(); });
    if (!std::is_sorted(from, to, by_class)) std::stable_sort(from, to, by_class);
    from = to;
  }
  run.clear();
  constexpr size_t none = SIZE_MAX;
  size_t starter = none;
  for (const Character& character : work) {
    if (starter != none) {
      const bool blocked = starter + 1 != run.size() && run.back().combining_class() >= character.combining_class();
      if (!blocked && character.is(joins)) {
        Character& first = run[starter];
        if (const char32_t composed = compose_pair(first.c, character.c)) {
          first.c = composed;
          first.record = record_of(composed);
          first.begin = std::min(first.begin, character.begin);
          first.end = std::max(first.end, character.end);
          continue;
        }
      }
    }
    if (!character.combining_class()) starter = run.size();
    run.push_back(character);
  }
}

}  // namespace unicode
}  // namespace tb
