// A document → features. The lexer writes one normalised UTF-8 stream into its scratch, words parted by one space, and
// names features as slices of it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "documents.hpp"

namespace tb {

enum class Tokens : uint8_t { words, sklearn, space, chars, chars_in_words, separated };
enum class Fold : uint8_t { none, lower, nfkc, nfkc_casefold };

/// The analyzer's options: what decides which features a document has. Immutable once lexers use it.
struct Rules {
  Tokens tokens = Tokens::words;
  Fold fold = Fold::nfkc_casefold;
  uint32_t min_n = 1, max_n = 2;      // n-grams of words (of characters in the two chars modes)
  uint32_t cjk_min = 1, cjk_max = 3;  // n-grams of characters in runs of scripts written without spaces
  uint32_t min_length = 1;            // characters of a word
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::unordered_set<std::string, Hash, std::equal_to<>> stop_words;
};

/// One per thread. A sink has
///   void feature(const char* data, size_t length);   the bytes stay valid until the next flush()
///   void flush();                                     the lexer is about to reuse its scratch
/// and, with `static constexpr bool wants_offsets = true`,
///   void feature(const char* data, size_t length, size_t begin, size_t end);   bytes begin .. end of the document.
/// The scratch goes on over several documents, so a batch may span them; the caller flushes its sink at the end.
class Lexer {
 public:
  explicit Lexer(const Rules& rules) : rules_(rules), scratch_(16384), starts_(rules.max_n) {}

  template <class Sink>
  void document(std::string_view text, Sink& sink) {
    words_ = 0;
    const char* at = text.data();
    const char* end = at + text.size();
    const auto is_word = [&](unsigned char c) {
      if (rules_.tokens == Tokens::space) return c != ' ' && (c < 9 || c > 13) && (c < 28 || c > 31);
      return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
    };
    const size_t least = rules_.tokens == Tokens::sklearn ? 2 : rules_.min_length;
    while (at != end) {
      while (at != end && !is_word(static_cast<unsigned char>(*at))) ++at;
      const char* from = at;
      while (at != end && is_word(static_cast<unsigned char>(*at))) ++at;
      const auto length = static_cast<size_t>(at - from);
      if (length < least || length == 0) continue;
      reserve(length + 1, sink);
      const size_t start = used_;
      for (const char* c = from; c != at; ++c)
        scratch_[used_++] = static_cast<char>(rules_.fold != Fold::none && *c >= 'A' && *c <= 'Z' ? *c | 32 : *c);
      emit(start, static_cast<size_t>(from - text.data()), static_cast<size_t>(at - text.data()), sink);
      scratch_[used_++] = ' ';
    }
  }

 private:
  template <class Sink>
  void reserve(size_t need, Sink& sink) {
    if (used_ + need <= scratch_.size()) return;
    sink.flush();
    const size_t keep = words_ ? starts_[(words_ - std::min<size_t>(words_, rules_.max_n - 1)) % rules_.max_n].at : used_;
    const size_t from = words_ && rules_.max_n > 1 ? keep : used_;
    std::memmove(scratch_.data(), scratch_.data() + from, used_ - from);
    for (Start& start : starts_) start.at -= from;
    used_ -= from;
    while (used_ + need > scratch_.size() / 2) scratch_.resize(scratch_.size() * 2);
  }

  template <class Sink>
  void emit(size_t start, size_t begin, size_t end, Sink& sink) {
    starts_[words_++ % rules_.max_n] = {start, begin};
    for (size_t n = rules_.min_n; n <= std::min<size_t>(words_, rules_.max_n); ++n) {
      const Start first = starts_[(words_ - n) % rules_.max_n];
      if constexpr (requires { Sink::wants_offsets; })
        sink.feature(scratch_.data() + first.at, used_ - first.at, first.begin, end);
      else
        sink.feature(scratch_.data() + first.at, used_ - first.at);
    }
  }

  struct Start {
    size_t at, begin;
  };
  const Rules& rules_;
  std::vector<char> scratch_;
  size_t used_ = 0, words_ = 0;
  std::vector<Start> starts_;
};

}  // namespace tb
