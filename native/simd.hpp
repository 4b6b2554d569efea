// Four doubles at a time, with the choice between the baseline, AVX2 and AVX-512 made when the program runs.
//
// A loop is written once as an always-inlined template and called from two or three functions, which are compiled for AVX2
// (the macro TB_AVX2) and AVX-512 (TB_AVX512). The lanes do the same operations in the same order either way, so all give
// the same bits; on other processors the compiler lowers the vectors to what there is.
#pragma once
#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define TB_AVX2 __attribute__((target("avx2")))
// Vectors of eight, and twice the registers.
#define TB_AVX512 __attribute__((target("avx2,avx512f,avx512vl,avx512dq,prefer-vector-width=512")))
#define TB_HAS_AVX2_PATH 1
#else
#define TB_AVX2
#define TB_AVX512
#define TB_HAS_AVX2_PATH 0
#endif
#define TB_INLINE inline __attribute__((always_inline))

namespace tb {

inline bool has_avx2() {
#if TB_HAS_AVX2_PATH
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

/// Multiplication and addition in one step, rounded once.
inline bool has_fused() {
#if TB_HAS_AVX2_PATH
  return __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

inline bool has_avx512() {
#if TB_HAS_AVX2_PATH
  return has_avx2() && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}

typedef double Pack __attribute__((vector_size(32)));
typedef int64_t PackMask __attribute__((vector_size(32)));
constexpr int64_t kLanes = 4;

TB_INLINE Pack spread(double x) { return Pack{x, x, x, x}; }

TB_INLINE Pack load(const double* p) {
  Pack v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

TB_INLINE Pack load(const float* p) {
  typedef float Narrow __attribute__((vector_size(16)));
  Narrow v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_convertvector(v, Pack);
}

TB_INLINE void store(double* p, Pack v) { std::memcpy(p, &v, sizeof v); }

/// Turn four rows of four into four columns.
TB_INLINE void transpose(Pack& a, Pack& b, Pack& c, Pack& d) {
  const Pack ab_even = __builtin_shuffle(a, b, PackMask{0, 4, 2, 6}), ab_odd = __builtin_shuffle(a, b, PackMask{1, 5, 3, 7});
  const Pack cd_even = __builtin_shuffle(c, d, PackMask{0, 4, 2, 6}), cd_odd = __builtin_shuffle(c, d, PackMask{1, 5, 3, 7});
  a = __builtin_shuffle(ab_even, cd_even, PackMask{0, 1, 4, 5});
  b = __builtin_shuffle(ab_odd, cd_odd, PackMask{0, 1, 4, 5});
  c = __builtin_shuffle(ab_even, cd_even, PackMask{2, 3, 6, 7});
  d = __builtin_shuffle(ab_odd, cd_odd, PackMask{2, 3, 6, 7});
}

/// The lanes of `v` where `mask` is set, zero elsewhere.
TB_INLINE Pack keep(PackMask mask, Pack v) { return (Pack)(mask & (PackMask)v); }

TB_INLINE bool any(PackMask m) { return (m[0] | m[1] | m[2] | m[3]) != 0; }

}  // namespace tb
