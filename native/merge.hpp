// Adding and subtracting count tallies: one pass over two ascending lists of features, and inside a feature over two
// ascending lists of classes.
#pragma once
#include <cmath>
#include <vector>

#include "feature_list.hpp"
#include "memory.hpp"

namespace tb {

/// A tally's arrays, feature-major; class_map says which class of the result each of its classes is (ascending).
template <class Features, class Value>
struct TallyView {
  Features features;
  const int64_t* indptr;
  const int32_t* class_index;
  const int32_t* class_map;
  std::vector<const Value*> channels;
};

/// The first impossible cell: `had` combined with `other` is negative (or, for int64, too large).
template <class Value>
struct Refusal {
  bool found = false;
  bool overflow = false;
  size_t channel = 0;
  int32_t class_index = 0;
  Value had{}, other{};
};

inline bool combine(int64_t a, int64_t b, int sign, double, int64_t& sum) {
  return sign > 0 ? __builtin_add_overflow(a, b, &sum) : __builtin_sub_overflow(a, b, &sum);
}
/// A difference within `tolerance` of its terms is zero: what rounding leaves of equal sums is no count.
inline bool combine(double a, double b, int sign, double tolerance, double& sum) {
  sum = sign > 0 ? a + b : a - b;
  if (sign < 0 && std::fabs(sum) <= tolerance * std::max(std::fabs(a), std::fabs(b))) sum = 0.0;
  return false;
}

template <class FeatureList, class Value>
struct Merged {
  FeatureList features;
  Buffer<int64_t> indptr;
  Buffer<int32_t> class_index;
  std::vector<Buffer<Value>> channels;
  Refusal<Value> refusal;
};

/// a + b (sign = 1) or a - b (sign = -1). Cells that are zero in every channel, and features without cells, are left
/// out. Stops at the first cell that would become negative; its feature is then the last of `features`.
template <class FeatureList, class Features, class Value>
Merged<FeatureList, Value> merge(const TallyView<Features, Value>& a, const TallyView<Features, Value>& b, int sign,
                                 double tolerance) {
  const size_t n_channels = a.channels.size();
  const auto cells = [](const auto& t) { return static_cast<size_t>(t.indptr[t.features.count]); };
  Merged<FeatureList, Value> out;
  out.indptr.reserve(std::max(a.features.count, b.features.count) + 1);
  out.indptr.push_back(0);
  out.class_index.reserve(std::max(cells(a), cells(b)));
  out.channels.resize(n_channels);
  for (auto& channel : out.channels) channel.reserve(std::max(cells(a), cells(b)));
  std::vector<Value> sums(n_channels);

  // One cell of the result: cell p of a, or q of b, or both (-1: none).
  const auto cell = [&](int32_t class_index, int64_t p, int64_t q) {
    bool any = false;
    for (size_t k = 0; k < n_channels; ++k) {
      const Value had = p >= 0 ? a.channels[k][p] : Value{0}, other = q >= 0 ? b.channels[k][q] : Value{0};
      const bool overflow = combine(had, other, sign, tolerance, sums[k]);
      if (overflow || sums[k] < 0) {
        out.refusal = {true, overflow, k, class_index, had, other};
        return false;
      }
      any |= sums[k] != 0;
    }
    if (any) {
      out.class_index.push_back(class_index);
      for (size_t k = 0; k < n_channels; ++k) out.channels[k].push_back(sums[k]);
    }
    return true;
  };
  const auto row = [&](int64_t p, int64_t p_end, int64_t q, int64_t q_end) {
    constexpr int32_t none = INT32_MAX;
    while (p < p_end || q < q_end) {
      const int32_t ca = p < p_end ? a.class_map[a.class_index[p]] : none;
      const int32_t cb = q < q_end ? b.class_map[b.class_index[q]] : none;
      if (!cell(std::min(ca, cb), ca <= cb ? p : -1, cb <= ca ? q : -1)) return false;
      if (ca <= cb) ++p;
      if (cb <= ca) ++q;
    }
    return true;
  };

  size_t i = 0, j = 0;
  while (i < a.features.count || j < b.features.count) {
    int order = i == a.features.count ? 1 : j == b.features.count ? -1 : 0;
    if (order == 0) order = Features::compare(a.features[i], b.features[j]);
    const auto feature = order <= 0 ? a.features[i] : b.features[j];
    const int64_t p = order <= 0 ? a.indptr[i] : 0, p_end = order <= 0 ? a.indptr[i + 1] : 0;
    const int64_t q = order >= 0 ? b.indptr[j] : 0, q_end = order >= 0 ? b.indptr[j + 1] : 0;
    const size_t before = out.class_index.size();
    if (!row(p, p_end, q, q_end)) {
      out.features.append(feature);
      return out;
    }
    if (out.class_index.size() > before) {
      out.features.append(feature);
      out.indptr.push_back(static_cast<int64_t>(out.class_index.size()));
    }
    i += order <= 0;
    j += order >= 0;
  }
  return out;
}
}  // namespace tb
