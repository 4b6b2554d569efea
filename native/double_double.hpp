// Numbers of about 106 bits: the unevaluated sum of two doubles, of which the second is what rounding took from the first.
// Sums of squares kept like this can lose a value of 1e9 again and still know the deviations of 1 that it stood beside.
// V is double or Pack. Every processor gives the same bits.
// Dekker (1971), A floating-point technique for extending the available precision; Ogita, Rump, Oishi (2005).
#pragma once
#include <cmath>
#include <cstdint>

#include "simd.hpp"

namespace tb {

template <class V>
struct DoubleDouble {
  V hi, lo;
};

TB_INLINE double magnitude(double a) { return std::abs(a); }
TB_INLINE Pack magnitude(Pack a) { return a < 0.0 ? -a : a; }

/// a + b where the exponent of a is not the smaller one.
template <class V>
TB_INLINE DoubleDouble<V> ordered_sum(V a, V b) {
  const V sum = a + b;
  return {sum, b - (sum - a)};
}

template <class V>
TB_INLINE DoubleDouble<V> two_sum(V a, V b) {
  const V sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

template <class V>
TB_INLINE DoubleDouble<V> two_product(V a, V b) {
  const V product = a * b, a_wide = a * 134217729.0, b_wide = b * 134217729.0;
  const V a_hi = a_wide - (a_wide - a), b_hi = b_wide - (b_wide - b), a_lo = a - a_hi, b_lo = b - b_hi;
  return {product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

/// a · b + c, rounded once. The intrinsic cannot be called from a template that serves processors without it too.
TB_INLINE Pack fused(Pack a, Pack b, Pack c) {
#if TB_HAS_AVX2_PATH
  asm("vfmadd213pd %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));
#endif
  return a;
}

/// product - part + (a² - product), rounded once, where product is a² rounded and its difference from part is exact; a fused
/// step only finds it sooner.
template <bool kFused>
TB_INLINE Pack square_beyond(Pack a, Pack product, Pack part) {
  if constexpr (kFused) return fused(a, a, -part);
  return (product - part) + two_product(a, a).lo;
}

template <class V>
TB_INLINE DoubleDouble<V> operator-(DoubleDouble<V> a) {
  return {-a.hi, -a.lo};
}

template <class V>
TB_INLINE DoubleDouble<V> operator+(DoubleDouble<V> a, DoubleDouble<V> b) {
  const DoubleDouble<V> sum = two_sum(a.hi, b.hi), rest = two_sum(a.lo, b.lo);
  const DoubleDouble<V> first = ordered_sum(sum.hi, sum.lo + rest.hi);
  return ordered_sum(first.hi, first.lo + rest.lo);
}

template <class V>
TB_INLINE DoubleDouble<V> operator-(DoubleDouble<V> a, DoubleDouble<V> b) {
  return a + -b;
}

template <class V>
TB_INLINE DoubleDouble<V> operator*(DoubleDouble<V> a, DoubleDouble<V> b) {
  const DoubleDouble<V> product = two_product(a.hi, b.hi);
  return ordered_sum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

template <class V>
TB_INLINE DoubleDouble<V> operator/(DoubleDouble<V> a, DoubleDouble<V> b) {
  const V first = a.hi / b.hi;
  const DoubleDouble<V> rest = a - b * DoubleDouble<V>{first, first - first};
  const V second = rest.hi / b.hi;
  const DoubleDouble<V> last = rest - b * DoubleDouble<V>{second, second - second};
  const DoubleDouble<V> quotient = ordered_sum(first, second);
  return ordered_sum(quotient.hi, quotient.lo + last.hi / b.hi);
}

TB_INLINE DoubleDouble<Pack> spread(DoubleDouble<double> a) { return {spread(a.hi), spread(a.lo)}; }
TB_INLINE DoubleDouble<double> wide(double a) { return {a, 0.0}; }
TB_INLINE DoubleDouble<Pack> wide(Pack a) { return {a, spread(0.0)}; }

/// a where the mask is set, b elsewhere.
TB_INLINE DoubleDouble<Pack> choose(PackMask mask, DoubleDouble<Pack> a, DoubleDouble<Pack> b) { return {mask ? a.hi : b.hi, mask ? a.lo : b.lo}; }
TB_INLINE DoubleDouble<double> choose(bool mask, DoubleDouble<double> a, DoubleDouble<double> b) { return mask ? a : b; }

}  // namespace tb
