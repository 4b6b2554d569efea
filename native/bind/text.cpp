// _kernel.Rules, and two readers of them that show what the lexer does: features and spans of documents.
#include "text.hpp"

#include "objects.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

namespace tb::bind {
namespace nb = nanobind;
namespace {

template <class Value, size_t N>
Value named(const std::string& name, const char* what, const std::pair<const char*, Value> (&table)[N]) {
  std::string known;
  for (const auto& [text, value] : table) {
    if (name == text) return value;
    known += std::string(known.empty() ? "" : ", ") + text;
  }
  throw nb::value_error((std::string(what) + " is one of " + known + ", not '" + name + "'").c_str());
}

constexpr std::pair<const char*, Tokens> tokens_names[] = {
    {"words", Tokens::words}, {"sklearn", Tokens::sklearn},   {"space", Tokens::space},
    {"chars", Tokens::chars}, {"chars_in_words", Tokens::chars_in_words}, {"separated", Tokens::separated}};
constexpr std::pair<const char*, Fold> fold_names[] = {
    {"none", Fold::none}, {"lower", Fold::lower}, {"nfkc", Fold::nfkc}, {"nfkc_casefold", Fold::nfkc_casefold}};

using Pair = std::pair<uint32_t, uint32_t>;

void check(const char* what, const Pair& pair) {
  if (pair.first < 1 || pair.second < pair.first || pair.second > 64)
    throw nb::value_error((std::string(what) + " is (min, max) with 1 <= min <= max <= 64, not (" +
                           std::to_string(pair.first) + ", " + std::to_string(pair.second) + ")").c_str());
}

struct Features {
  nb::list list;
  void feature(const char* data, size_t length) { list.append(nb::bytes(data, length)); }
  void flush() {}
};

struct Spans {
  static constexpr bool wants_offsets = true;
  struct Found {
    std::string feature;
    size_t begin, end;
  };
  std::vector<Found> found;
  void feature(const char* data, size_t length, size_t begin, size_t end) {
    found.push_back({std::string(data, length), begin, end});
  }
  void flush() {}
};

using FeatureLists = nb::typed<nb::list, nb::typed<nb::list, nb::bytes>>;
using SpanList = nb::typed<nb::list, nb::typed<nb::tuple, nb::bytes, size_t, size_t>>;

FeatureLists features(const PyDocuments& documents, const Rules& rules) {
  nb::list result;
  std::string scratch;
  Lexer lexer(rules);
  for (size_t i = 0; i < documents.size(); ++i) {
    Features sink;
    lexer.document(documents.utf8(i, scratch), sink);
    result.append(sink.list);
  }
  return result;
}

SpanList spans(const PyDocuments& documents, const Rules& rules, size_t index) {
  if (index >= documents.size()) throw nb::index_error("no such document");
  std::string scratch;
  const std::string_view text = documents.utf8(index, scratch);
  Spans sink;
  Lexer lexer(rules);
  lexer.document(text, sink);
  std::vector<uint32_t> code_point(text.size() + 1);  // byte offset -> code points before it
  uint32_t before = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    code_point[i] = before;
    before += i + 1 == text.size() || (text[i + 1] & 0xC0) != 0x80;
  }
  code_point[text.size()] = before;
  nb::list result;
  for (const auto& [feature, begin, end] : sink.found)
    result.append(nb::make_tuple(nb::bytes(feature.data(), feature.size()), code_point[begin], code_point[end]));
  return result;
}

}  // namespace

void bind_text(nb::module_& m) {
  nb::class_<Rules>(m, "Rules", "What decides which features a document has.")
      .def("__init__",
           [](Rules* self, const std::string& tokens, Pair ngrams, Pair cjk, const std::string& fold,
              const std::vector<std::string>& stop_words, uint32_t min_length) {
             check("ngrams", ngrams);
             check("cjk", cjk);
             new (self) Rules{named(tokens, "tokens", tokens_names), named(fold, "fold", fold_names),
                              ngrams.first, ngrams.second, cjk.first, cjk.second, min_length,
                              {stop_words.begin(), stop_words.end()}};
           },
           nb::arg("tokens"), nb::arg("ngrams"), nb::arg("cjk"), nb::arg("fold"), nb::arg("stop_words"),
           nb::arg("min_length"));
  m.attr("unicode_version") = unicode::version;
  m.def("features", &features, nb::arg("documents"), nb::arg("rules"), "The features of each document, as UTF-8.");
  m.def("spans", &spans, nb::arg("documents"), nb::arg("rules"), nb::arg("index"),
        "(feature, begin, end) of document `index`; begin and end count its code points.");
}

}  // namespace tb::bind
