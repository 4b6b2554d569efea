// str in its 1-, 2- or 4-byte form -> UTF-8. The 2-byte form, which Chinese comes in, is converted eight units at a time
// where the processor can shuffle bytes.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simd.hpp"
#if TB_HAS_AVX2_PATH
#include <immintrin.h>
#endif

namespace tb {

constexpr char32_t replacement = 0xFFFD;  // what a lone surrogate becomes

/// Write one code point as UTF-8 and return the end; `to` has room for 4 bytes.
inline char* put_utf8(char* to, char32_t c) {
  if (c < 0x80) {
    *to++ = static_cast<char>(c);
  } else if (c < 0x800) {
    *to++ = static_cast<char>(0xC0 | (c >> 6));
    *to++ = static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    *to++ = static_cast<char>(0xE0 | (c >> 12));
    *to++ = static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    *to++ = static_cast<char>(0x80 | (c & 0x3F));
  } else {
    *to++ = static_cast<char>(0xF0 | (c >> 18));
    *to++ = static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    *to++ = static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    *to++ = static_cast<char>(0x80 | (c & 0x3F));
  }
  return to;
}

constexpr bool is_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

/// How many bytes behind the text to_utf8() may overwrite.
constexpr size_t transcode_slack = 16;

/// Write `n` units as UTF-8 and return the end; lone surrogates become U+FFFD.
template <class Unit>
TB_INLINE char* to_utf8_one_by_one(const Unit* from, size_t n, char* to) {
  for (size_t i = 0; i < n; ++i) to = put_utf8(to, is_surrogate(from[i]) ? replacement : char32_t{from[i]});
  return to;
}

#if TB_HAS_AVX2_PATH
/// For four characters of 1 to 3 bytes, each in four bytes of its own: which bytes to keep. Indexed by the bits "one byte"
/// of the four, then the bits "three bytes".
struct Squeeze {
  alignas(16) std::array<std::array<uint8_t, 16>, 256> order{};
  std::array<uint8_t, 256> length{};

  constexpr Squeeze() {
    for (unsigned which = 0; which < 256; ++which) {
      uint8_t n = 0;
      for (unsigned k = 0; k < 4; ++k) {
        const bool one = which >> k & 1, three = which >> (4 + k) & 1;
        for (unsigned byte = 0; byte < (one ? 1u : three ? 3u : 2u); ++byte)
          order[which][n++] = static_cast<uint8_t>(4 * k + byte);
      }
      length[which] = n;
      while (n < 16) order[which][n++] = 0x80;  // nothing
    }
  }
};
inline constexpr Squeeze squeeze;

TB_AVX2 inline char* to_utf8_avx2(const uint16_t* from, size_t n, char* to) {
  const auto all = [](int value) __attribute__((target("avx2"))) { return _mm256_set1_epi32(value); };
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i units = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    const __m128i surrogate = _mm_cmpeq_epi16(_mm_and_si128(units, _mm_set1_epi16(static_cast<short>(0xF800))),
                                              _mm_set1_epi16(static_cast<short>(0xD800)));
    if (!_mm_testz_si128(surrogate, surrogate)) [[unlikely]] {
      to = to_utf8_one_by_one(from + i, 8, to);
      continue;
    }
    const __m256i c = _mm256_cvtepu16_epi32(units);
    const __m256i last = _mm256_and_si256(c, all(0x3F));
    const __m256i middle = _mm256_and_si256(_mm256_slli_epi32(c, 2), all(0x3F00));
    const __m256i two = _mm256_or_si256(_mm256_or_si256(_mm256_srli_epi32(c, 6), _mm256_slli_epi32(last, 8)), all(0x80C0));
    const __m256i three = _mm256_or_si256(_mm256_or_si256(_mm256_srli_epi32(c, 12), middle),
                                          _mm256_or_si256(_mm256_slli_epi32(last, 16), all(0x8080E0)));
    const __m256i is_one = _mm256_cmpgt_epi32(all(0x80), c), is_three = _mm256_cmpgt_epi32(c, all(0x7FF));
    const __m256i bytes = _mm256_blendv_epi8(_mm256_blendv_epi8(two, three, is_three), c, is_one);
    const int ones = _mm256_movemask_ps(_mm256_castsi256_ps(is_one));
    const int threes = _mm256_movemask_ps(_mm256_castsi256_ps(is_three));
    const int low = (ones & 15) | (threes & 15) << 4, high = ones >> 4 | (threes & 0xF0);
    const auto order = [](int which) __attribute__((target("avx2"))) {
      return _mm_load_si128(reinterpret_cast<const __m128i*>(squeeze.order[static_cast<size_t>(which)].data()));
    };
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_shuffle_epi8(_mm256_castsi256_si128(bytes), order(low)));
    to += squeeze.length[static_cast<size_t>(low)];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_shuffle_epi8(_mm256_extracti128_si256(bytes, 1), order(high)));
    to += squeeze.length[static_cast<size_t>(high)];
  }
  return to_utf8_one_by_one(from + i, n - i, to);
}
#endif

template <class Unit>
inline char* to_utf8(const Unit* from, size_t n, char* to) {
#if TB_HAS_AVX2_PATH
  if constexpr (sizeof(Unit) == 2) {
    if (has_avx2()) return to_utf8_avx2(from, n, to);
  }
#endif
  if constexpr (sizeof(Unit) == 1) {  // mostly ASCII, eight at a time
    size_t i = 0;
    for (uint64_t eight; i + 8 <= n; i += 8) {
      std::memcpy(&eight, from + i, 8);
      if ((eight & 0x8080808080808080u) == 0) {
        std::memcpy(to, from + i, 8);
        to += 8;
      } else {
        to = to_utf8_one_by_one(from + i, 8, to);
      }
    }
    from += i;
    n -= i;
  }
  return to_utf8_one_by_one(from, n, to);
}

}  // namespace tb
