// Documents as the caller holds them: str in its own 1-, 2- or 4-byte form, or UTF-8. Nothing is copied until a
// document is read, and then only into the reader's scratch.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "memory.hpp"
#include "transcode.hpp"

namespace tb {

enum class Encoding : uint8_t { utf8, latin1, ucs2, ucs4 };

struct Document {
  const void* data;
  size_t length;  // in units of the encoding
  Encoding encoding;
};

/// Read the code point at `from` of valid UTF-8 and move past it.
inline char32_t get_utf8(const char*& from) {
  const auto byte = [&](int i) { return static_cast<char32_t>(static_cast<unsigned char>(from[i])); };
  const char32_t first = byte(0);
  if (first < 0x80) return from += 1, first;
  if (first < 0xE0) {
    const char32_t c = (first & 0x1F) << 6 | (byte(1) & 0x3F);
    return from += 2, c;
  }
  if (first < 0xF0) {
    const char32_t c = (first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    return from += 3, c;
  }
  const char32_t c = (first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  return from += 4, c;
}

/// The offset of the first byte that is not valid UTF-8 (surrogates and overlong forms are not), or `length`.
inline size_t utf8_error(const char* data, size_t length) {
  const auto* s = reinterpret_cast<const unsigned char*>(data);
  const auto tail = [&](size_t i) { return i < length && (s[i] & 0xC0) == 0x80; };
  size_t i = 0;
  while (i < length) {
    uint64_t eight;
    while (i + 8 <= length && (std::memcpy(&eight, s + i, 8), (eight & 0x8080808080808080ULL) == 0)) i += 8;
    if (i == length) break;
    const unsigned char c = s[i];
    if (c < 0x80) {
      i += 1;
    } else if (c < 0xE0) {
      if (c < 0xC2 || !tail(i + 1)) return i;
      i += 2;
    } else if (c < 0xF0) {
      if (!tail(i + 1) || !tail(i + 2)) return i;
      if ((c == 0xE0 && s[i + 1] < 0xA0) || (c == 0xED && s[i + 1] >= 0xA0)) return i;
      i += 3;
    } else {
      if (c > 0xF4 || !tail(i + 1) || !tail(i + 2) || !tail(i + 3)) return i;
      if ((c == 0xF0 && s[i + 1] < 0x90) || (c == 0xF4 && s[i + 1] >= 0x90)) return i;
      i += 4;
    }
  }
  return length;
}

/// An immutable sequence of documents; whoever makes it keeps the memory behind it alive and checked.
class Documents {
 public:
  Documents() = default;
  explicit Documents(std::vector<Document> documents) : documents_(std::move(documents)), size_(documents_.size()) {}
  /// `n` documents in one buffer of valid UTF-8; document i is bytes offsets[i] .. offsets[i + 1].
  Documents(const char* data, const int64_t* offsets, size_t n) : data_(data), offsets_(offsets), size_(n) {}

  size_t size() const { return size_; }

  /// Documents begin … end - 1 of these, in the same memory.
  Documents slice(size_t begin, size_t end) const {
    if (offsets_) return {data_, offsets_ + begin, end - begin};
    return Documents(std::vector<Document>(documents_.begin() + static_cast<ptrdiff_t>(begin),
                                           documents_.begin() + static_cast<ptrdiff_t>(end)));
  }

  /// Documents positions[0], positions[1], … of these, in the same memory.
  Documents take(const int64_t* positions, size_t n) const {
    std::vector<Document> taken;
    taken.reserve(n);
    for (size_t i = 0; i < n; ++i) taken.push_back(at(static_cast<size_t>(positions[i])));
    return Documents(std::move(taken));
  }

  /// Prefetch where document `i` is, and later its text: documents in class order lie in no order in memory.
  void prefetch_place(size_t i) const { prefetch(offsets_ ? static_cast<const void*>(offsets_ + i) : &documents_[i]); }
  void prefetch_text(size_t i) const {
    constexpr size_t line = 64, most = 1024;  // what follows is read in order, and the processor fetches it by itself
    const char* const text = offsets_ ? data_ + offsets_[i] : static_cast<const char*>(documents_[i].data);
    for (size_t at = 0, n = std::min(bytes(i), most); at < n; at += line) prefetch(text + at);
  }

  /// Document `i` as UTF-8: in place where it is UTF-8 already, else written into `scratch`.
  std::string_view utf8(size_t i, std::string& scratch) const {
    const Document document = at(i);
    switch (document.encoding) {
      case Encoding::utf8: return {static_cast<const char*>(document.data), document.length};
      case Encoding::latin1: return transcode<uint8_t, 2>(document, scratch);
      case Encoding::ucs2: return transcode<uint16_t, 3>(document, scratch);
      default: return transcode<uint32_t, 4>(document, scratch);
    }
  }

  /// How many bytes the documents take where they lie (str: in its own form).
  size_t bytes() const {
    if (offsets_) return static_cast<size_t>(offsets_[size_] - offsets_[0]);
    size_t sum = 0;
    for (const Document& document : documents_) sum += unit_size(document.encoding) * document.length;
    return sum;
  }

  /// The bytes of document `i` where it lies: for sharing work evenly without reading it.
  size_t bytes(size_t i) const {
    if (offsets_) return static_cast<size_t>(offsets_[i + 1] - offsets_[i]);
    return unit_size(documents_[i].encoding) * documents_[i].length;
  }

 private:
  Document at(size_t i) const {
    if (offsets_) return {data_ + offsets_[i], bytes(i), Encoding::utf8};
    return documents_[i];
  }

  static size_t unit_size(Encoding encoding) {
    return encoding == Encoding::ucs4 ? 4 : encoding == Encoding::ucs2 ? 2 : 1;
  }

  template <class Unit, size_t most>
  static std::string_view transcode(const Document& document, std::string& scratch) {
    // Not resize(room): it would clear memory that is about to be written. Capacity grows, never shrinks.
    const size_t room = document.length * most + transcode_slack;
    if (scratch.size() < room) scratch.resize(room + room / 8);
    const char* const end = to_utf8(static_cast<const Unit*>(document.data), document.length, scratch.data());
    return {scratch.data(), static_cast<size_t>(end - scratch.data())};
  }

  std::vector<Document> documents_;
  const char* data_ = nullptr;
  const int64_t* offsets_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tb
