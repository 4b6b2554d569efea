// Text: counting, and the vocabularies that text is looked up in.
#include "count.hpp"

#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "checks.hpp"
#include "feature_arguments.hpp"
#include "objects.hpp"
#include "score_text.hpp"
#include "table.hpp"

namespace tb::bind {
namespace {

size_t checked_columns(int64_t columns) {
  if (columns < 1 || columns > int64_t{1} << 31 || (columns & (columns - 1)) != 0)
    throw std::invalid_argument("the number of hash columns must be a power of two up to 2^31, got " + std::to_string(columns));
  return static_cast<size_t>(columns);
}

template <class Sum, size_t N>
nb::dict to_dict(Gathered<Sum, N>&& counts, bool text, const char* const (&names)[N]) {
  nb::dict out;
  if (text) {
    out["bytes"] = to_numpy(std::move(counts.bytes));
    out["offsets"] = to_numpy(std::move(counts.offsets));
  } else {
    out["columns"] = to_numpy(std::move(counts.columns));
  }
  out["indptr"] = to_numpy(std::move(counts.indptr));
  out["class_index"] = to_numpy(std::move(counts.class_index));
  for (size_t n = 0; n < N; ++n) out[names[n]] = to_numpy(std::move(counts.channels[n]));
  return out;
}

template <class Total, class Mode>
nb::dict count_as(const Documents& documents, const int32_t* class_index, const Rules& rules, const CountOptions& options) {
  Gathered<Total, Mode::channels> counts;
  const bool text = options.columns == 0;
  {
    nb::gil_scoped_release release;
    counts = text ? count_text<Total, WordStore, Mode>(documents, class_index, rules, options)
                  : count_text<Total, ColumnStore, Mode>(documents, class_index, rules, options);
  }
  if constexpr (Mode::channels == 2)
    return to_dict(std::move(counts), text, {"occurrences", "documents"});
  else
    return to_dict(std::move(counts), text, {Mode::occurrences ? "occurrences" : "documents"});
}

template <bool each, class Sum, class Total>
nb::dict count_channels(const Documents& documents, const int32_t* class_index, const Rules& rules, const CountOptions& options) {
  if (options.occurrences && options.documents)
    return count_as<Total, CountMode<true, true, each, Sum>>(documents, class_index, rules, options);
  if (options.occurrences) return count_as<Total, CountMode<true, false, each, Sum>>(documents, class_index, rules, options);
  return count_as<Total, CountMode<false, true, each, Sum>>(documents, class_index, rules, options);
}

nb::dict count_text_of(const PyDocuments& documents, In<int32_t> class_index, int32_t n_classes, const Rules& rules,
                       int64_t columns, bool murmur, uint64_t seed, Maybe<In<int64_t>> whole_weights,
                       Maybe<In<double>> weights, const std::string& value, bool occurrences, bool documents_channel,
                       int n_jobs) {
  check_size(class_index.size(), documents.size(), "class_index");
  check_below(class_index.data(), class_index.size(), n_classes, "class_index");
  if (weights && whole_weights) throw std::invalid_argument("weights are whole numbers or fractions, not both");
  if (weights) check_size(weights->size(), documents.size(), "weights");
  if (whole_weights) check_size(whole_weights->size(), documents.size(), "whole_weights");
  if (!occurrences && !documents_channel)
    throw std::invalid_argument("at least one of occurrences and documents must be wanted");
  // Occurrences of binary rows are documents: counted once, returned under the names that were asked for.
  const Value kind = value_named(value);
  const bool binary = kind == Value::binary;
  const CountOptions options{.classes = std::max(n_classes, 1),
                             .occurrences = occurrences && !binary,
                             .documents = documents_channel || binary,
                             .value = kind,
                             .whole_weights = data_or_null(whole_weights),
                             .weights = data_or_null(weights),
                             .columns = columns == 0 ? 0 : checked_columns(columns),
                             .murmur = murmur,
                             .seed = seed,
                             .threads = checked_threads(n_jobs)};
  const int32_t* classes = class_index.data();
  nb::dict out = weights ? count_channels<true, double, double>(documents, classes, rules, options)
                 : whole_weights || kind == Value::log ? count_channels<true, int64_t, int64_t>(documents, classes, rules, options)
                                                       : count_channels<false, uint32_t, int64_t>(documents, classes, rules, options);
  if (binary && occurrences) out["occurrences"] = out["documents"];
  if (binary && !documents_channel) nb::del(out["documents"]);
  return out;
}

/// A model's features, held so that look-ups need no check and no copy.
struct PyVocabulary : FeatureIndex {
  PyVocabulary(In<uint8_t> bytes, In<int64_t> offsets, uint64_t seed, bool indexed)
      : FeatureIndex(text_features(bytes, offsets), seed, indexed), bytes(bytes), offsets(offsets) {}
  In<uint8_t> bytes;
  In<int64_t> offsets;
};

struct PyColumns : ColumnIndex {
  PyColumns(In<int64_t> columns, int64_t size, bool murmur)
      : ColumnIndex(checked(columns, checked_columns(size)), columns.size(), static_cast<size_t>(size), murmur) {}
  static const int64_t* checked(const In<int64_t>& columns, size_t size) {
    for (size_t i = 0; i < columns.size(); ++i)
      if (columns.data()[i] < 0 || static_cast<size_t>(columns.data()[i]) >= size)
        throw std::invalid_argument("a column is out of range");
    return columns.data();
  }
};

template <class Index>
void score_documents(const PyDocuments& documents, const Rules& rules, const Index& vocabulary, const ScoreTable& score_table,
                     Out2<double> out, const std::string& value, bool unknown, int n_jobs) {
  const Table& table = score_table.table();
  check_size(vocabulary.size(), table.features, "vocabulary");
  if (out.shape(0) != documents.size() || out.shape(1) != static_cast<size_t>(table.classes))
    throw std::invalid_argument("out must have the shape (documents, classes)");
  const Value kind = value_named(value);
  const int threads = checked_threads(n_jobs);
  nb::gil_scoped_release release;
  score_text<Index>(documents, rules, vocabulary, table, kind, unknown, threads, out.data());
}

template <class Index>
nb::tuple rows_of_documents(const PyDocuments& documents, const Rules& rules, const Index& vocabulary, int n_jobs) {
  const int threads = checked_threads(n_jobs);
  TextRows rows;
  {
    nb::gil_scoped_release release;
    rows = text_to_csr<Index>(documents, rules, vocabulary, threads);
  }
  return nb::make_tuple(to_numpy(std::move(rows.indptr)), to_numpy(std::move(rows.indices)),
                        to_numpy(std::move(rows.counts)), to_numpy(std::move(rows.unknown)));
}

nb::object find_features(In<uint8_t> bytes, In<int64_t> offsets, In<uint8_t> wanted_bytes, In<int64_t> wanted_offsets) {
  const FeatureIndex features(text_features(bytes, offsets), 0, false);
  const TextFeatures wanted = text_features(wanted_bytes, wanted_offsets);
  Buffer<int64_t> rows(wanted.count);
  for (size_t i = 0; i < wanted.count; ++i) rows[i] = features.search(wanted[i]);
  return nb::cast(to_numpy(std::move(rows)));
}

nb::object hash_features(In<uint8_t> bytes, In<int64_t> offsets, int64_t columns, bool murmur) {
  const TextFeatures features = text_features(bytes, offsets);
  const ColumnHash hash{checked_columns(columns) - 1, murmur};
  Buffer<int64_t> out(features.count);
  std::string padded;
  for (size_t i = 0; i < features.count; ++i) {
    padded.assign(features[i]).append(16, '\0');
    out[i] = hash(padded.data(), features[i].size());
  }
  return nb::cast(to_numpy(std::move(out)));
}

template <class Index>
void bind_look_ups(nb::module_& m) {
  m.def("score_text", &score_documents<Index>, nb::arg("documents"), nb::arg("rules"), nb::arg("vocabulary"), nb::arg("table"),
        nb::arg("out").noconvert(), nb::arg("value"), nb::arg("unknown"), nb::arg("n_jobs"),
        "Scores of documents into out [documents, classes]; `unknown`: features without a row count in |x|.");
  m.def("text_to_csr", &rows_of_documents<Index>, nb::arg("documents"), nb::arg("rules"), nb::arg("vocabulary"),
        nb::arg("n_jobs"), "(indptr, indices, counts, number of unknown features) of documents.");
}
}  // namespace

void bind_count(nb::module_& m) {
  m.def("count_text", &count_text_of, nb::arg("documents"), nb::arg("class_index").noconvert(), nb::arg("n_classes"),
        nb::arg("rules"), nb::arg("columns"), nb::arg("murmur"), nb::arg("seed"),
        nb::arg("whole_weights").noconvert().none(), nb::arg("weights").noconvert().none(), nb::arg("value"),
        nb::arg("occurrences"), nb::arg("documents_channel"), nb::arg("n_jobs"),
        "Class sums of documents, feature-major, features ascending: a dict of bytes and offsets (or columns), indptr,\n"
        "class_index and the channels; int64, or float64 with fractional weights. value 'log': units of 2^-32.");
  nb::class_<PyVocabulary>(m, "Vocabulary", "Ascending features to look text up in; without index by binary search.")
      .def(nb::init<In<uint8_t>, In<int64_t>, uint64_t, bool>(), nb::arg("bytes").noconvert(), nb::arg("offsets").noconvert(),
           nb::arg("seed"), nb::arg("index"))
      .def("__len__", [](const PyVocabulary& vocabulary) { return vocabulary.size(); });
  nb::class_<PyColumns>(m, "Columns", "Ascending hash columns, of `size`, to look text up in.")
      .def(nb::init<In<int64_t>, int64_t, bool>(), nb::arg("columns").noconvert(), nb::arg("size"), nb::arg("murmur"))
      .def("__len__", [](const PyColumns& columns) { return columns.size(); });
  bind_look_ups<PyVocabulary>(m);
  bind_look_ups<PyColumns>(m);
  m.def("find_features", &find_features, nb::arg("bytes").noconvert(), nb::arg("offsets").noconvert(),
        nb::arg("wanted_bytes").noconvert(), nb::arg("wanted_offsets").noconvert(),
        "Where each wanted feature stands among ascending features; -1 where it does not.");
  m.def("hash_features", &hash_features, nb::arg("bytes").noconvert(), nb::arg("offsets").noconvert(), nb::arg("columns"),
        nb::arg("murmur"), "The hash column of each feature.");
}
}  // namespace tb::bind
