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
  uint64_t token;  // bit i: byte i belongs to a token (meaningless from the first stop on)
  uint64_t wide;   // bit i: byte i is not ASCII
  uint64_t stop;   // wide, or an apostrophe where the rules look at it
};

constexpr bool is_ascii_token(Tokens tokens, unsigned char c) {
  if (tokens == Tokens::space) return !(c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31));
  if (tokens == Tokens::separated) return c != separator;
  return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

#if defined(__SSE2__)

template <Tokens tokens>
inline Masks scan(const char* block) {
  Masks masks{0, 0, 0};
  uint64_t quotes = 0;
  for (int part = 0; part < 4; ++part) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + part);
    // c - low < count, unsigned, as one signed comparison: move the range to the bottom of the signed bytes.
    const auto within = [](__m128i bytes, int low, int count) {
      return _mm_cmplt_epi8(_mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(-128 - low))),
                            _mm_set1_epi8(static_cast<char>(-128 + count)));
    };
    const auto bits = [part](__m128i mask) {
      return static_cast<uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(mask))) << (16 * part);
    };
    if constexpr (tokens == Tokens::space) {
      const __m128i gap = _mm_or_si128(_mm_or_si128(within(v, 9, 5), within(v, 28, 4)),
                                       _mm_cmpeq_epi8(v, _mm_set1_epi8(' ')));
      masks.token |= bits(gap);
    } else if constexpr (tokens == Tokens::separated) {
      masks.token |= bits(_mm_cmpeq_epi8(v, _mm_set1_epi8(separator)));
    } else {
      const __m128i letter = within(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 26);
      const __m128i digit = within(v, '0', 10);
      masks.token |= bits(_mm_or_si128(_mm_or_si128(letter, digit), _mm_cmpeq_epi8(v, _mm_set1_epi8('_'))));
    }
    if constexpr (tokens == Tokens::words) quotes |= bits(_mm_cmpeq_epi8(v, _mm_set1_epi8('\'')));
    masks.wide |= bits(v);
  }
  if constexpr (tokens == Tokens::space || tokens == Tokens::separated) masks.token = ~masks.token;
  masks.stop = masks.wide | quotes;
  return masks;
}

/// Copy 16 bytes, capital ASCII letters made small where `lower` is 0x20 (nothing changed where it is 0).
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
  for (int i = 0; i < 64; ++i) {
    const auto c = static_cast<unsigned char>(block[i]);
    masks.token |= static_cast<uint64_t>(is_ascii_token(tokens, c)) << i;
    masks.wide |= static_cast<uint64_t>(c >> 7) << i;
    if (tokens == Tokens::words) masks.stop |= static_cast<uint64_t>(c == '\'') << i;
  }
  masks.stop |= masks.wide;
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
