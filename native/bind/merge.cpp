#include "merge.hpp"

#include "arrays.hpp"
#include "checks.hpp"
#include "feature_arguments.hpp"

namespace tb::bind {
namespace {

using Channels = nb::list;

template <class Value>
bool channels_of(const nb::list& arrays, std::vector<In<Value>>& out) {
  for (nb::handle array : arrays) {
    In<Value> values;
    if (!nb::try_cast(array, values, false)) return false;
    out.push_back(values);
  }
  return true;
}

/// One tally's arrays as they came; checked when it becomes a view.
template <class Features>
struct Side {
  Features features;
  In<int64_t> indptr;
  In<int32_t> class_index, class_map;
  nb::list channels;

  template <class Value>
  TallyView<Features, Value> view(const std::vector<In<Value>>& values) const {
    check_size(indptr.size(), features.count + 1, "indptr");
    check_offsets(indptr.data(), indptr.size(), class_index.size(), "indptr");
    check_below(class_index.data(), class_index.size(), static_cast<int64_t>(class_map.size()), "class_index");
    for (size_t c = 0; c < class_map.size(); ++c)
      if (class_map.data()[c] < 0 || (c > 0 && class_map.data()[c] <= class_map.data()[c - 1]))
        throw std::invalid_argument("class_map must rise from 0 on");
    TallyView<Features, Value> out{features, indptr.data(), class_index.data(), class_map.data(), {}};
    for (const auto& channel : values) {
      check_size(channel.size(), class_index.size(), "a channel");
      out.channels.push_back(channel.data());
    }
    return out;
  }
};

void put_features(nb::dict& out, TextFeatureList&& features) {
  out["bytes"] = to_numpy(std::move(features.bytes));
  out["offsets"] = to_numpy(std::move(features.offsets));
}
void put_features(nb::dict& out, ColumnFeatureList&& features) { out["columns"] = to_numpy(std::move(features.columns)); }

nb::object last_feature(const TextFeatureList& features) {
  const size_t n = features.offsets.size();
  const auto begin = static_cast<size_t>(features.offsets[n - 2]);
  return nb::bytes(reinterpret_cast<const char*>(features.bytes.data()) + begin,
                   static_cast<size_t>(features.offsets[n - 1]) - begin);
}
nb::object last_feature(const ColumnFeatureList& features) { return nb::int_(features.columns[features.columns.size() - 1]); }

template <class FeatureList, class Value, class Features>
nb::object merge_as(const Side<Features>& a, const Side<Features>& b, int sign, double tolerance) {
  std::vector<In<Value>> a_values, b_values;
  if (!channels_of(a.channels, a_values) || !channels_of(b.channels, b_values)) return nb::object();
  const auto left = a.view(a_values), right = b.view(b_values);
  Merged<FeatureList, Value> merged;
  {
    nb::gil_scoped_release release;
    merged = merge<FeatureList>(left, right, sign, tolerance);
  }
  nb::dict out;
  if (const auto& refusal = merged.refusal; refusal.found) {
    nb::dict report;
    report["feature"] = last_feature(merged.features);
    report["class_index"] = refusal.class_index;
    report["channel"] = refusal.channel;
    report["had"] = refusal.had;
    report["other"] = refusal.other;
    report["overflow"] = refusal.overflow;
    out["refused"] = report;
    return out;
  }
  put_features(out, std::move(merged.features));
  out["indptr"] = to_numpy(std::move(merged.indptr));
  out["class_index"] = to_numpy(std::move(merged.class_index));
  nb::list channels;
  for (auto& channel : merged.channels) channels.append(to_numpy(std::move(channel)));
  out["channels"] = channels;
  return out;
}

template <class FeatureList, class Features>
nb::object merge_any(const Side<Features>& a, const Side<Features>& b, int sign, double tolerance) {
  if (sign != 1 && sign != -1) throw std::invalid_argument("sign must be 1 or -1");
  if (nb::len(a.channels) == 0 || nb::len(a.channels) != nb::len(b.channels))
    throw std::invalid_argument("both tallies need the same channels");
  nb::object out = merge_as<FeatureList, int64_t>(a, b, sign, tolerance);
  if (!out.is_valid()) out = merge_as<FeatureList, double>(a, b, sign, tolerance);
  if (!out.is_valid()) throw nb::type_error("channels must be lists of int64 or of float64 arrays");
  return out;
}

nb::object merge_text(In<uint8_t> a_bytes, In<int64_t> a_offsets, In<int64_t> a_indptr, In<int32_t> a_class_index,
                      In<int32_t> a_class_map, Channels a_channels, In<uint8_t> b_bytes, In<int64_t> b_offsets,
                      In<int64_t> b_indptr, In<int32_t> b_class_index, In<int32_t> b_class_map, Channels b_channels,
                      int sign, double tolerance) {
  return merge_any<TextFeatureList>(
      Side<TextFeatures>{text_features(a_bytes, a_offsets), a_indptr, a_class_index, a_class_map, a_channels},
      Side<TextFeatures>{text_features(b_bytes, b_offsets), b_indptr, b_class_index, b_class_map, b_channels}, sign,
      tolerance);
}

nb::object merge_columns(In<int64_t> a_columns, In<int64_t> a_indptr, In<int32_t> a_class_index, In<int32_t> a_class_map,
                         Channels a_channels, In<int64_t> b_columns, In<int64_t> b_indptr, In<int32_t> b_class_index,
                         In<int32_t> b_class_map, Channels b_channels, int sign, double tolerance) {
  return merge_any<ColumnFeatureList>(
      Side<ColumnFeatures>{{a_columns.data(), a_columns.size()}, a_indptr, a_class_index, a_class_map, a_channels},
      Side<ColumnFeatures>{{b_columns.data(), b_columns.size()}, b_indptr, b_class_index, b_class_map, b_channels}, sign,
      tolerance);
}
}  // namespace

void bind_merge(nb::module_& m) {
  m.def("merge_text", &merge_text, nb::arg("a_bytes").noconvert(), nb::arg("a_offsets").noconvert(),
        nb::arg("a_indptr").noconvert(), nb::arg("a_class_index").noconvert(), nb::arg("a_class_map").noconvert(),
        nb::arg("a_channels"), nb::arg("b_bytes").noconvert(), nb::arg("b_offsets").noconvert(),
        nb::arg("b_indptr").noconvert(), nb::arg("b_class_index").noconvert(), nb::arg("b_class_map").noconvert(),
        nb::arg("b_channels"), nb::arg("sign"), nb::arg("tolerance"),
        "a + b (sign 1) or a - b (sign -1) of two tallies whose features are byte strings: a dict of bytes, offsets,\n"
        "indptr, class_index, channels; or {'refused': ...} with the first cell that would become negative.");
  m.def("merge_columns", &merge_columns, nb::arg("a_columns").noconvert(), nb::arg("a_indptr").noconvert(),
        nb::arg("a_class_index").noconvert(), nb::arg("a_class_map").noconvert(), nb::arg("a_channels"),
        nb::arg("b_columns").noconvert(), nb::arg("b_indptr").noconvert(), nb::arg("b_class_index").noconvert(),
        nb::arg("b_class_map").noconvert(), nb::arg("b_channels"), nb::arg("sign"), nb::arg("tolerance"),
        "The same for two tallies whose features are column numbers: columns instead of bytes and offsets.");
}
}  // namespace tb::bind
