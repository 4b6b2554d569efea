// 64 bytes at a time: which of them belong to a token, and which the fast path must leave to the slow one.
#pragma once
#include <cstddef>
#include <cstdint>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "rules.hpp"

namespace tb {

struct Masks {
  uint64_t token;     // bit i: byte i belongs to a token (meaningless from the first stop on)
  uint64_t stop;      // bit i: byte i is not plain, or is an apostrophe where the rules look at it
  uint64_t inner;     // bit i: byte i is not the first of its character
  unsigned size = 64;  // the bytes of whole characters
};

constexpr bool is_ascii_token(Tokens tokens, unsigned char c) {
  if (tokens == Tokens::space) return !(c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31));
  if (tokens == Tokens::separated) return c != separator;
  return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/// U+4E00 .. U+9FFF: three bytes that nothing changes and that change nothing before them.
inline bool is_han(const char* at) {
  const auto first = static_cast<unsigned char>(at[0]);
  return first >= 0xE4 && first <= 0xE9 && (first != 0xE4 || static_cast<unsigned char>(at[1]) >= 0xB8);
}

/// Make Chinese characters plain in the masks of a block: `lead` has the first bytes E4 .. E9, `early` those E4 whose
/// character is below U+4E00.
inline void take_han(Masks& masks, uint64_t lead, uint64_t early) {
  lead &= ~early;
  const uint64_t inner = lead << 1 | lead << 2, han = lead | inner;
  masks.token |= han;
  masks.stop &= ~han;
  masks.inner = inner;
  if (lead >> 62) masks.size = lead >> 62 & 1 ? 62 : 63;  // the last one continues in the next block
}

#if defined(__SSE2__)

/// low <= byte < low + count, unsigned, as one signed comparison: the range is moved to the bottom of the signed bytes.
inline __m128i within(__m128i bytes, int low, int count) {
  return _mm_cmplt_epi8(_mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(-128 - low))),
                        _mm_set1_epi8(static_cast<char>(-128 + count)));
}

template <Tokens tokens>
inline Masks scan(const char* block) {
  const auto part_of = [block](int part) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + part); };
  const auto bits = [](__m128i mask, int part) {
    return static_cast<uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(mask))) << (16 * part);
  };
  Masks masks{0, 0, 0};
  uint64_t quotes = 0;
  for (int part = 0; part < 4; ++part) {
    const __m128i v = part_of(part);
    if constexpr (tokens == Tokens::space) {
      const __m128i space = _mm_cmpeq_epi8(v, _mm_set1_epi8(' '));
      masks.token |= bits(_mm_or_si128(_mm_or_si128(within(v, 9, 5), within(v, 28, 4)), space), part);
    } else if constexpr (tokens == Tokens::separated) {
      masks.token |= bits(_mm_cmpeq_epi8(v, _mm_set1_epi8(separator)), part);
    } else {
      const __m128i letter = within(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 26);
      const __m128i line = _mm_cmpeq_epi8(v, _mm_set1_epi8('_'));
      masks.token |= bits(_mm_or_si128(_mm_or_si128(letter, within(v, '0', 10)), line), part);
    }
    if constexpr (tokens == Tokens::words) quotes |= bits(_mm_cmpeq_epi8(v, _mm_set1_epi8('\'')), part);
    masks.stop |= bits(v, part);
  }
  if constexpr (tokens == Tokens::space || tokens == Tokens::separated) masks.token = ~masks.token;
  if constexpr (tokens == Tokens::words) {
    masks.stop |= quotes;
  } else if (masks.stop) {
    uint64_t lead = 0, e4 = 0, below = 0;
    for (int part = 0; part < 4; ++part) {
      const __m128i v = part_of(part);
      lead |= bits(within(v, 0xE4, 6), part);
      e4 |= bits(_mm_cmpeq_epi8(v, _mm_set1_epi8(static_cast<char>(0xE4))), part);
      below |= bits(_mm_cmplt_epi8(v, _mm_set1_epi8(static_cast<char>(0xB8))), part);
    }
    take_han(masks, lead, e4 & below >> 1);
  }
  return masks;
}

/// Copy 16 bytes, capital ASCII letters made lower case where `lower` is 0x20 (nothing changed where it is 0).
inline void copy16(char* to, const char* from, char lower) {
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  const __m128i capital = _mm_cmplt_epi8(_mm_add_epi8(v, _mm_set1_epi8(static_cast<char>(-128 - 'A'))),
                                         _mm_set1_epi8(static_cast<char>(-128 + 26)));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_or_si128(v, _mm_and_si128(capital, _mm_set1_epi8(lower))));
}

#else

template <Tokens tokens>
inline Masks scan(const char* block) {
  Masks masks{0, 0, 0};
  uint64_t lead = 0, early = 0;
  for (int i = 0; i < 64; ++i) {
    const auto c = static_cast<unsigned char>(block[i]);
    const uint64_t bit = uint64_t{1} << i;
    if (is_ascii_token(tokens, c)) masks.token |= bit;
    if (c >= 0x80 || (tokens == Tokens::words && c == '\'')) masks.stop |= bit;
    if (c >= 0xE4 && c <= 0xE9) (i == 63 || is_han(block + i) ? lead : early) |= bit;
  }
  if (tokens != Tokens::words) take_han(masks, lead, early);
  return masks;
}

inline void copy16(char* to, const char* from, char lower) {
  for (int i = 0; i < 16; ++i) {
    const char c = from[i];
    to[i] = static_cast<char>(c >= 'A' && c <= 'Z' ? c | lower : c);
  }
}

#endif

}  // namespace tb
