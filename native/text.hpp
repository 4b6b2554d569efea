// A document → features. The lexer writes one normalised UTF-8 stream into its scratch, words separated by one space, and
// names features as slices of it: a word, neighbouring words, neighbouring characters.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "documents.hpp"
#include "normalize.hpp"
#include "rules.hpp"
#include "scan.hpp"

namespace tb {

/// One per thread. A sink has
///   void feature(const char* data, size_t length);   the bytes stay valid until the next flush(), and 16 more behind
///                                                     them may be read
///   void flush();                                     the lexer is about to reuse its scratch
/// and, with `static constexpr bool wants_offsets = true`,
///   void feature(const char* data, size_t length, size_t begin, size_t end);   bytes begin .. end of the document.
/// The scratch goes on over several documents, so a batch may span them; the caller flushes its sink at the end.
/// Scratch is bounded by the longest n-gram, whatever the length of the document.
class Lexer {
 public:
  explicit Lexer(const Rules& rules, size_t batch = 16384)
      : rules_(rules),
        lower_(rules.fold == Fold::lower || rules.fold == Fold::nfkc_casefold ? 0x20 : 0),
        normalizes_(rules.fold == Fold::nfkc || rules.fold == Fold::nfkc_casefold),
        least_(std::max<size_t>(rules.min_length, rules.tokens == Tokens::sklearn ? 2 : 1)),
        alone_(rules.min_n == 1 && rules.max_n == 1 && rules.stop_words.empty()),
        batch_(batch) {}

  /// Hand the features of one document, valid UTF-8, to the sink.
  template <class Sink>
  void document(std::string_view text, Sink& sink) {
    switch (rules_.tokens) {
      case Tokens::words: return run<Tokens::words>(text, sink);
      case Tokens::sklearn: return run<Tokens::sklearn>(text, sink);
      case Tokens::space: return run<Tokens::space>(text, sink);
      case Tokens::chars: return run<Tokens::chars>(text, sink);
      case Tokens::chars_in_words: return run<Tokens::chars_in_words>(text, sink);
      case Tokens::separated: return run<Tokens::separated>(text, sink);
    }
  }

 private:
  enum class Open : uint8_t { nothing, word, emoji, dense };
  struct Place {
    size_t at, begin;  // where a word or character starts in the scratch, and in the document
  };
  static constexpr size_t nowhere = SIZE_MAX;
  static constexpr size_t ring = longest_ngram, slack = 16;
  static constexpr char32_t joiner = 0x200D, keycap = 0x20E3;

  template <Tokens mode>
  static constexpr bool has_words = mode != Tokens::chars && mode != Tokens::chars_in_words;

  /// Chinese characters are word characters like any other.
  template <Tokens mode>
  static constexpr bool takes_han = has_words<mode> && mode != Tokens::words;

  template <Tokens mode, class Sink>
  void run(std::string_view text, Sink& sink) {
    text_ = text;
    chain_ = chars_ = gap_ = 0;
    open_ = Open::nothing;
    apostrophe_ = nowhere;
    last_ = {};
    joiner_ = false;
    const char* at = text.data();
    const char* const end = at + text.size();
    int slowly = 0;  // characters still to take one by one: cheaper than a block where others are near
    while (at != end) {
      if (is_plain<mode>(at)) {
        if (slowly == 0) {
          settle<mode>(sink);
          if constexpr (has_words<mode>) {
            if (apostrophe_ == nowhere) at = blocks<mode>(at, end, sink);
          } else {
            at = plain_chars<mode>(at, end, sink);
          }
          if (at == end) break;
          slowly = 2;
        }
        slowly -= has_words<mode> ? 1 : 2;
      } else {
        slowly = has_words<mode> ? 8 : 0;
        if (!takes_han<mode> && is_han(at)) {
          at = han<mode>(at, end, sink);
          continue;
        }
      }
      at = step<mode>(at, sink);
    }
    settle<mode>(sink);
    if constexpr (mode == Tokens::chars) close_gap(sink);
    close<mode>(sink);
  }

  // ---- ASCII, and Chinese where it makes words as ASCII does, 64 bytes at a time ----

  template <Tokens mode>
  static bool is_plain(const char* at) {
    return static_cast<unsigned char>(*at) < 0x80 || (takes_han<mode> && is_han(at));
  }

  /// Take plain bytes from `at` on; return where something else begins, one character early where that might join it.
  template <Tokens mode, class Sink>
  const char* blocks(const char* at, const char* const end, Sink& sink) {
    if (open_ != Open::word) close<mode>(sink);
    char padded[80];
    while (at != end) {
      make_room(176, sink);
      const auto left = static_cast<size_t>(end - at);
      const char* block = at;
      if (left < sizeof padded) {  // a block is read 16 bytes beyond its end
        std::memset(padded, mode == Tokens::separated ? separator : ' ', sizeof padded);
        std::memcpy(padded, at, left);
        block = padded;
      }
      const Masks masks = scan<mode>(block);
      const size_t most = std::min<size_t>(left, masks.size);
      size_t n = most;
      if (masks.stop) n = std::min<size_t>(n, static_cast<size_t>(std::countr_zero(masks.stop)));
      const bool stop = n < most;
      if ((mode == Tokens::words || normalizes_) && n > 0 && may_join(at + n)) {
        do --n;
        while ((at[n] & 0xC0) == 0x80);
      }
      const bool last = stop || n < most, more = !last && n < left;
      uint64_t token = n < 64 ? masks.token & ((uint64_t{1} << n) - 1) : masks.token;
      const auto offset = static_cast<size_t>(at - text_.data());
      const auto characters = [&masks](size_t start, size_t length) {  // of a run that begins with one
        return masks.inner ? bits_set(~masks.inner >> start << (64 - length)) : length;
      };
      if (open_ == Open::word && n) {
        const auto length = static_cast<size_t>(std::countr_one(token));
        if (length) {
          append_plain(block, length);
          length_ += characters(0, length);
          end_ = offset + length;
        }
        if (length < n) {
          close_word(sink);
          token &= token + 1;  // the run at the bottom is done
        } else {
          token = 0;
        }
      }
      if constexpr (!requires { Sink::wants_offsets; }) {
        if (alone_) token = take_alone(block, token, masks.inner, n, sink);
      }
      while (token) {
        const auto start = static_cast<size_t>(std::countr_zero(token));
        const auto length = static_cast<size_t>(std::countr_one(token >> start));
        if (more && start > 0 && start + length == n) {  // in one piece it costs less: the next block begins with it
          n = start;
          break;
        }
        word_ = {used_, offset + start};
        append_plain(block + start, length);
        length_ = characters(start, length);
        end_ = offset + start + length;
        if (start + length == n) {  // it may continue
          open_ = Open::word;
          break;
        }
        finish_token(length_, sink);
        token &= token + (uint64_t{1} << start);
      }
      at += n;
      if (last) return at;
    }
    return at;
  }

  /// Where every token is a feature by itself: name those that end within the n bytes of a block; return what is left.
  template <class Sink>
  [[gnu::always_inline]] uint64_t take_alone(const char* block, uint64_t token, uint64_t inner, size_t n, Sink& sink) {
    char* to = scratch_.get() + used_;  // a local: stores of characters might change any member, for all the compiler knows
    const size_t least = least_;
    const char lower = lower_;
    while (token) {
      const auto start = static_cast<size_t>(std::countr_zero(token));
      const auto length = static_cast<size_t>(std::countr_one(token >> start));
      if (start + length == n) break;  // it may continue
      token &= token + (uint64_t{1} << start);
      if (inner ? !has_bits(~inner >> start << (64 - length), least) : length < least) continue;
      for (size_t i = 0; i < length; i += 16) copy16(to + i, block + start + i, lower);
      sink.feature(to, length);
      to += length;
    }
    used_ = static_cast<size_t>(to - scratch_.get());
    return token;
  }

  static bool has_bits(uint64_t bits, size_t least) {
    for (size_t k = 1; k < least; ++k) bits &= bits - 1;
    return bits != 0;
  }
  /// Not std::popcount, which calls a function where the processor is not known to have an instruction for it.
  static size_t bits_set(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return bits * 0x0101010101010101u >> 56;
  }

  void append_plain(const char* from, size_t length) {
    char* to = scratch_.get() + used_;
    for (size_t i = 0; i < length; i += 16) copy16(to + i, from + i, lower_);
    used_ += length;
  }

  // ---- Characters of ASCII and Chinese, one by one but without a look at the tables ----

  template <Tokens mode, class Sink>
  const char* han(const char* at, const char* const end, Sink& sink) {
    settle<mode>(sink);
    make_room(16, sink);
    auto offset = static_cast<size_t>(at - text_.data());
    if constexpr (mode == Tokens::words) {
      last_ = {};
      if (open_ != Open::dense) open_dense(sink);
    } else {
      begin_chars<mode>(offset, sink);
    }
    const size_t most = mode == Tokens::words ? rules_.cjk_max : rules_.max_n;
    size_t run = 0;  // Chinese characters in a row
    do {
      make_room(16, sink);
      if constexpr (mode == Tokens::words) finish_char(sink);
      places_[chars_++ % ring] = {used_, offset};
      std::memcpy(scratch_.get() + used_, at, 3);
      used_ += 3;
      at += 3;
      end_ = offset += 3;
      if constexpr (mode != Tokens::words) name_chars(sink);
      if constexpr (!requires { Sink::wants_offsets; }) {
        if (++run >= most && rules_.stop_words.empty()) {
          at = han_run<mode>(at, end, sink);
          offset = end_;
        }
      }
    } while (at != end && is_han(at));
    return at;
  }

  /// The same where all n-grams lie among Chinese characters, three bytes each: no list of places is needed.
  template <Tokens mode, class Sink>
  const char* han_run(const char* at, const char* const end, Sink& sink) {
    const size_t least = mode == Tokens::words ? rules_.cjk_min : rules_.min_n;
    const size_t most = mode == Tokens::words ? rules_.cjk_max : rules_.max_n;
    const char* const begin = at;
    char* to = scratch_.get() + used_;  // a local, as in take_alone()
    const char* const limit = scratch_.get() + limit_ - 16;
    while (at != end && is_han(at) && to < limit) {
      const auto name_all = [&] {
        for (size_t n = least; n <= most; ++n) sink.feature(to - 3 * n, 3 * n);
      };
      if constexpr (mode == Tokens::words) name_all();  // the last character may yet get a mark: it stays open
      std::memcpy(to, at, 3);
      to += 3;
      at += 3;
      if constexpr (mode != Tokens::words) name_all();
    }
    const auto taken = static_cast<size_t>(at - begin);
    used_ += taken;
    end_ += taken;
    chars_ += taken / 3;
    for (size_t back = 1; back <= std::min(taken / 3, ring); ++back)
      places_[(chars_ - back) % ring] = {used_ - 3 * back, end_ - 3 * back};
    return at;
  }

  template <Tokens mode, class Sink>
  const char* plain_chars(const char* at, const char* const end, Sink& sink) {
    const auto takes = [&](char c) {
      return static_cast<unsigned char>(c) < 0x80 && is_ascii_token(Tokens::space, static_cast<unsigned char>(c));
    };
    if (!takes(*at) || (normalizes_ && may_join(at + 1))) return at;
    auto offset = static_cast<size_t>(at - text_.data());
    begin_chars<mode>(offset, sink);
    do {
      make_room(16, sink);
      places_[chars_++ % ring] = {used_, offset};
      scratch_[used_++] = static_cast<char>(*at >= 'A' && *at <= 'Z' ? *at | lower_ : *at);
      ++at;
      end_ = ++offset;
      name_chars(sink);
    } while (at != end && takes(*at) && !(normalizes_ && may_join(at + 1)));
    return at;
  }

  template <Tokens mode, class Sink>
  void begin_chars(size_t begin, Sink& sink) {
    if constexpr (mode == Tokens::chars)
      close_gap(sink);
    else if (open_ == Open::nothing)
      open_token<mode>(begin, sink);
  }

  // ---- One character at a time ----

  template <Tokens mode, class Sink>
  const char* step(const char* at, Sink& sink) {
    const auto begin = static_cast<size_t>(at - text_.data());
    const char32_t c = get_utf8(at);
    Character character{c, unicode::record_of(c), begin, static_cast<size_t>(at - text_.data())};
    if (c < 0x80 && !(normalizes_ && may_join(at))) {
      settle<mode>(sink);
      if (c >= 'A' && c <= 'Z') character.c |= static_cast<char32_t>(lower_);
      put<mode>(character, sink);
      return at;
    }
    if (rules_.fold == Fold::none) {
      put<mode>(character, sink);
    } else if (rules_.fold == Fold::lower) {
      if (!character.is(unicode::lowers)) {
        put<mode>(character, sink);
      } else if (c == 0x3A3) {
        put_as<mode>(ends_word(begin, at) ? 0x3C2 : 0x3C3, character, sink);
      } else {
        for (const char32_t d : unicode::lower_of(c)) put_as<mode>(d, character, sink);
      }
    } else if (character.is(unicode::ignorable)) {
      joiner_ |= c == joiner;
    } else if (const auto replacement = character.is(unicode::folds) ? unicode::nfkc_of(c) : unicode::Replacement{}) {
      for (const char32_t d : replacement) {
        character.c = d;
        character.record = unicode::record_of(d);
        if (!character.is(unicode::ignorable)) hold<mode>(character, sink);
      }
    } else if (may_join(at) || character.composes() || character.is(unicode::folds)) {
      hold<mode>(character, sink);
    } else {
      settle<mode>(sink);
      character.joined = std::exchange(joiner_, false);
      put<mode>(character, sink);
    }
    return at;
  }

  /// Whether what stands at `at` may change the character before it, judged by the first byte. No mark is below U+0300
  /// (CC 80) or in U+4000 .. U+9FFF (E4 .. E9); C2 may begin a soft hyphen, behind which a mark still counts.
  bool may_join(const char* at) const {
    if (at == text_.data() + text_.size()) return false;
    const auto first = static_cast<unsigned char>(*at);
    return first >= 0xCC ? first < 0xE4 || first > 0xE9 : first == 0xC2;
  }

  /// The rule of str.lower for a capital sigma: small final sigma after a cased character and not before one.
  bool ends_word(size_t begin, const char* after) const {
    const char* const start = text_.data();
    const char* before = start + begin;
    uint32_t record = 0;
    while (before != start) {
      while ((*--before & 0xC0) == 0x80) {}
      const char* from = before;
      record = unicode::record_of(get_utf8(from)) >> 8;
      if (!(record & unicode::case_ignorable)) break;
      record = 0;
    }
    if (!(record & unicode::cased)) return false;
    const char* const end = start + text_.size();
    while (after != end) {
      record = unicode::record_of(get_utf8(after)) >> 8;
      if (!(record & unicode::case_ignorable)) return !(record & unicode::cased);
    }
    return true;
  }

  /// Keep one character back: a mark that follows may change it.
  template <Tokens mode, class Sink>
  void hold(Character& character, Sink& sink) {
    character.joined = std::exchange(joiner_, false);
    if (character.composes()) {
      run_.push_back(character);
      return;
    }
    settle<mode>(sink);
    run_.push_back(character);
  }

  /// Write what was kept back, in NFC and case-folded.
  template <Tokens mode, class Sink>
  void settle(Sink& sink) {
    if (run_.empty()) return;
    if (run_.size() > 1) unicode::compose(run_, work_);
    if (rules_.fold == Fold::nfkc_casefold) {
      const auto folds = [](const Character& character) { return character.is(unicode::folds); };
      if (std::any_of(run_.begin(), run_.end(), folds)) casefold();
    }
    for (const Character& character : run_) put<mode>(character, sink);
    run_.clear();
  }

  void casefold() {
    work_.clear();
    for (const Character& character : run_) {
      if (const auto replacement = unicode::casefold_of(character.c)) {
        for (const char32_t d : replacement) {
          work_.push_back(character);
          work_.back().c = d;
          work_.back().record = unicode::record_of(d);
        }
      } else {
        work_.push_back(character);
      }
    }
    run_.swap(work_);
    if (run_.size() > 1) unicode::compose(run_, work_);
  }

  template <Tokens mode, class Sink>
  void put_as(char32_t c, Character character, Sink& sink) {
    character.c = c;
    character.record = unicode::record_of(c);
    put<mode>(character, sink);
  }

  template <Tokens mode, class Sink>
  void put(const Character& character, Sink& sink) {
    make_room(16, sink);
    if constexpr (mode == Tokens::words) {
      put_word(character, sink);
    } else if constexpr (mode == Tokens::chars) {
      put_char(character, sink);
    } else {
      const bool inside = mode == Tokens::sklearn     ? character.is(unicode::word)
                          : mode == Tokens::separated ? character.c != separator
                                                      : !character.is(unicode::space);
      if (!inside) return close<mode>(sink);
      if (open_ == Open::nothing) open_token<mode>(character.begin, sink);
      if constexpr (mode == Tokens::chars_in_words) {
        push(character, sink);
      } else {
        append(character);
        ++length_;
      }
    }
  }

  // ---- "words" ----

  template <class Sink>
  void put_word(const Character& character, Sink& sink) {
    const char32_t before = std::exchange(last_.c, character.c);
    if (character.is(unicode::dense)) {
      if (open_ == Open::dense)
        finish_char(sink);
      else
        open_dense(sink);
      places_[chars_++ % ring] = {used_, character.begin};
      end_ = character.end;
      append(character);
    } else if (character.is(unicode::word)) {
      if (open_ != Open::word) {
        close<Tokens::words>(sink);
        open(Open::word, character.begin);
      } else if (apostrophe_ != nowhere && ++behind_ == 3) {
        split(sink);
      }
      append(character);
      ++length_;
    } else if (character.is(unicode::mark | unicode::ignorable)) {
      if (character.c == keycap && ((before >= '0' && before <= '9') || before == '#' || before == '*'))
        return put_keycap(before, character, sink);
      if (apostrophe_ != nowhere && behind_ == 0) close<Tokens::words>(sink);
      if (open_ != Open::nothing) append(character);
      region_ = false;
    } else if ((character.c == '\'' || character.c == 0x2019) && open_ == Open::word &&
               (apostrophe_ == nowhere || behind_ > 0)) {
      apostrophe_ = used_;
      behind_ = 0;
      before_apostrophe_ = end_;
      after_apostrophe_ = character.end;
      scratch_[used_++] = '\'';
      ++length_;
    } else if (character.is(unicode::emoji | unicode::skin_tone | unicode::regional)) {
      put_emoji(character, character.joined || before == joiner, sink);
    } else {
      close<Tokens::words>(sink);
    }
    last_.begin = character.begin;
  }

  template <class Sink>
  void put_emoji(const Character& character, bool joined, Sink& sink) {
    const bool region = character.is(unicode::regional);
    const bool goes_on = open_ == Open::emoji && (region ? region_ : joined || character.is(unicode::skin_tone));
    if (!goes_on) {
      close<Tokens::words>(sink);
      open(Open::emoji, character.begin);
    }
    append(character);
    region_ = region && !goes_on;
  }

  /// 1 + keycap: the digit, written to the end of a word by now, is an emoji of its own.
  template <class Sink>
  void put_keycap(char32_t key, const Character& mark, Sink& sink) {
    if (open_ == Open::word) {
      --used_;
      --length_;
      behind_ -= behind_ > 0;
      end_ = last_.begin;
      if (used_ == word_.at) open_ = Open::nothing;
    }
    close<Tokens::words>(sink);
    open(Open::emoji, last_.begin);
    scratch_[used_++] = static_cast<char>(key);
    append(mark);
    region_ = false;
  }

  /// More than two letters behind the apostrophe: it separates two words, as in l'homme.
  template <class Sink>
  void split(Sink& sink) {
    const size_t from = apostrophe_ + 1, size = used_ - from, begin = after_apostrophe_, end = end_;
    const size_t length = length_ - 3;  // without the apostrophe and the two letters behind
    used_ = apostrophe_;
    end_ = before_apostrophe_;
    apostrophe_ = nowhere;
    finish_token(length, sink);  // writes the space where the apostrophe was, or nothing if it drops the word
    std::memmove(scratch_.get() + used_, scratch_.get() + from, size);
    word_ = {used_, begin};
    used_ += size;
    end_ = end;
    length_ = 2;
  }

  // ---- Tokens and their n-grams ----

  void open(Open what, size_t begin) {
    open_ = what;
    word_ = {used_, begin};
    end_ = begin;
    length_ = 0;
  }

  template <class Sink>
  void open_dense(Sink& sink) {
    close<Tokens::words>(sink);
    open_ = Open::dense;
    chain_ = chars_ = 0;
  }

  template <Tokens mode, class Sink>
  void open_token(size_t begin, Sink& sink) {
    open(Open::word, begin);
    if constexpr (mode == Tokens::chars_in_words) {
      chars_ = 0;
      push({' ', 0, begin, begin}, sink);
    }
  }

  void append(const Character& character) {
    used_ = static_cast<size_t>(put_utf8(scratch_.get() + used_, character.c) - scratch_.get());
    end_ = std::max(end_, character.end);
  }

  template <Tokens mode, class Sink>
  void close(Sink& sink) {
    if (open_ == Open::nothing) return;
    if constexpr (mode == Tokens::chars_in_words) {
      push({' ', 0, end_, end_}, sink);
      if (chars_ < rules_.min_n) name(places_[0], sink);
    } else if (open_ == Open::word) {
      close_word(sink);
    } else if (open_ == Open::emoji) {
      finish_token(least_, sink);  // as long as any word must be
    } else {
      finish_char(sink);
    }
    open_ = Open::nothing;
  }

  template <class Sink>
  void close_word(Sink& sink) {
    if (apostrophe_ != nowhere) {
      if (behind_ == 0) {
        used_ = apostrophe_;
        end_ = before_apostrophe_;
        --length_;
      }
      apostrophe_ = nowhere;
    }
    open_ = Open::nothing;
    finish_token(length_, sink);
  }

  /// The token from word_ to the end of the scratch is whole: name its n-grams, or take it back.
  template <class Sink>
  void finish_token(size_t length, Sink& sink) {
    if (length < least_ || stops(word_.at)) {
      used_ = word_.at;
      return;
    }
    places_[chain_++ % ring] = word_;
    const size_t most = std::min<size_t>(chain_, rules_.max_n);
    for (size_t n = rules_.min_n; n <= most; ++n) name(places_[(chain_ - n) % ring], sink);
    scratch_[used_++] = ' ';
  }

  /// A character of a dense run has all its marks.
  template <class Sink>
  void finish_char(Sink& sink) {
    const size_t most = std::min<size_t>(chars_, rules_.cjk_max);
    for (size_t n = rules_.cjk_min; n <= most; ++n) {
      const Place& place = places_[(chars_ - n) % ring];
      if (!stops(place.at)) name(place, sink);
    }
  }

  template <class Sink>
  void name(const Place& place, Sink& sink) {
    if constexpr (requires { Sink::wants_offsets; })
      sink.feature(scratch_.get() + place.at, used_ - place.at, place.begin, end_);
    else
      sink.feature(scratch_.get() + place.at, used_ - place.at);
  }

  bool stops(size_t at) const {
    return !rules_.stop_words.empty() &&
           rules_.stop_words.find(std::string_view(scratch_.get() + at, used_ - at)) != rules_.stop_words.end();
  }

  // ---- Character n-grams, as scikit-learn's analyzers char and char_wb ----

  template <class Sink>
  void push(const Character& character, Sink& sink) {
    make_room(16, sink);
    if (chars_ == 0) end_ = 0;
    places_[chars_++ % ring] = {used_, character.begin};
    append(character);
    name_chars(sink);
  }

  template <class Sink>
  void name_chars(Sink& sink) {
    const size_t most = std::min<size_t>(chars_, rules_.max_n);
    for (size_t n = rules_.min_n; n <= most; ++n) name(places_[(chars_ - n) % ring], sink);
  }

  template <class Sink>
  void put_char(const Character& character, Sink& sink) {
    if (!character.is(unicode::space)) {
      close_gap(sink);
      push(character, sink);
    } else if (gap_++ == 0) {
      last_ = character;
    } else {  // two and more white-space characters are one space; a single one stays what it is
      last_ = {' ', 0, last_.begin, character.end};
    }
  }

  template <class Sink>
  void close_gap(Sink& sink) {
    if (gap_) push(last_, sink);
    gap_ = 0;
  }

  // ---- Scratch ----

  template <class Sink>
  void make_room(size_t need, Sink& sink) {
    if (used_ + need > limit_) [[unlikely]] move_to_front(need, sink);
  }

  /// Keep only what later n-grams begin with; let the scratch grow where that alone takes half of it.
  template <class Sink>
  void move_to_front(size_t need, Sink& sink) {
    sink.flush();
    const bool words = open_ != Open::dense && rules_.tokens != Tokens::chars && rules_.tokens != Tokens::chars_in_words;
    size_t from = words && open_ != Open::nothing ? word_.at : used_;
    const size_t known = words ? chain_ : chars_, most = words           ? rules_.max_n - 1
                                                         : open_ == Open::dense ? rules_.cjk_max
                                                                                : std::max(rules_.max_n, rules_.min_n);
    if (const size_t kept = std::min<size_t>(known, most)) from = places_[(known - kept) % ring].at;
    const size_t size = used_ - from;
    limit_ = std::max(batch_, 2 * (size + need));
    if (limit_ + slack > capacity_) {
      capacity_ = limit_ + slack;
      auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
      if (size) std::memcpy(larger.get(), scratch_.get() + from, size);
      scratch_ = std::move(larger);
    } else {
      std::memmove(scratch_.get(), scratch_.get() + from, size);
    }
    for (Place& place : places_) place.at -= from;
    word_.at -= from;
    if (apostrophe_ != nowhere) apostrophe_ -= from;
    used_ = size;
  }

  const Rules& rules_;
  const char lower_;
  const bool normalizes_;
  const size_t least_;
  const bool alone_;  // every token is a feature by itself
  const size_t batch_;
  std::unique_ptr<char[]> scratch_;
  size_t capacity_ = 0, limit_ = 0, used_ = 0;

  std::string_view text_;
  std::vector<Character> run_, work_;  // characters that NFC may still change
  Place places_[ring] = {};            // the last words of the chain, or characters of the run
  size_t chain_ = 0, chars_ = 0;       // how many words, characters
  Open open_ = Open::nothing;
  Place word_{};        // the open token
  size_t end_ = 0;      // of the document: behind the open token
  size_t length_ = 0;   // its characters
  size_t apostrophe_ = nowhere, behind_ = 0;  // where in the scratch; letters behind it
  size_t before_apostrophe_ = 0, after_apostrophe_ = 0;
  Character last_{};    // the character before, or a gap that is still open
  size_t gap_ = 0;      // white-space characters in it
  bool region_ = false, joiner_ = false;
};

}  // namespace tb
