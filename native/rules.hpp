// The analyzer's options: what decides which features a document has.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace tb {

enum class Tokens : uint8_t {
  words,           // marks stay with their letter, emoji are tokens, character n-grams where no spaces are written
  sklearn,         // \b\w\w+\b
  space,           // separated by white space
  chars,           // character n-grams of the document
  chars_in_words,  // character n-grams of each padded word
  separated,       // tokens that the caller found, with `separator` between them
};
enum class Fold : uint8_t {
  none,
  lower,          // str.lower
  nfkc,           // default-ignorable characters removed, NFKC
  nfkc_casefold,  // the same, then case folding, then NFC
};
constexpr char separator = 0x1F;
constexpr uint32_t longest_ngram = 64;

/// Immutable once a lexer uses it.
struct Rules {
  Tokens tokens;
  Fold fold;
  uint32_t min_n, max_n;      // n-grams of words (of characters in the two chars modes)
  uint32_t cjk_min, cjk_max;  // n-grams of characters in runs of scripts written without spaces
  uint32_t min_length;        // characters of a word
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::unordered_set<std::string, Hash, std::equal_to<>> stop_words;  // written as the tokens come out
};

}  // namespace tb
