// Rows of comma- (or otherwise) separated values, by the strict rules of Python's csv module: a quote opens a cell only at
// its beginning, two quotes inside stand for one, and after the closing quote comes a separator or a line end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tb {

struct Cell {
  size_t begin;    // inside the quotes, where there are some
  size_t end;
  size_t doubled;  // pairs of quotes in it that stand for one
};

enum class RowEnd {
  row,   // a whole row
  open,  // the text ends inside the row
  bad,   // something other than a separator or line end follows a closing quote
};

// Walks over the rows of a text in any of Python's widths of characters. LF, CRLF and CR end a row.
template <class Char>
class RowScanner {
 public:
  RowScanner(const Char* text, size_t length, uint32_t separator) : text_(text), length_(length), separator_(separator) {}

  // Scan the row that begins at `position` (before the end of the text). A whole row moves `position` past it, and sets
  // `line_ends` to the number of line ends in and after it. `final`: the text is not continued, so its end ends a row.
  RowEnd next(size_t& position, std::vector<Cell>& cells, size_t& line_ends, bool final) const {
    cells.clear();
    size_t lines = 0;
    size_t at = position;
    for (;;) {
      Cell cell{at, at, 0};
      if (at < length_ && text_[at] == '"') {
        cell.begin = ++at;
        for (;;) {
          at = find('"', at, length_);
          if (at == length_) return RowEnd::open;
          if (at + 1 == length_ || text_[at + 1] != '"') break;
          ++cell.doubled;
          at += 2;
        }
        cell.end = at++;
        lines += count_line_ends(cell.begin, cell.end);
        if (at < length_ && text_[at] != separator_ && !is_line_end(at)) return RowEnd::bad;
      } else {
        while (at < length_ && text_[at] != separator_ && !is_line_end(at)) ++at;
        cell.end = at;
      }
      cells.push_back(cell);
      if (at == length_) {
        if (!final) return RowEnd::open;
        break;
      }
      const bool row_ends = is_line_end(at);
      if (row_ends && text_[at] == '\r' && at + 1 < length_ && text_[at + 1] == '\n') ++at;
      ++at;
      if (row_ends) {
        ++lines;
        break;
      }
    }
    position = at;
    line_ends = lines;
    return RowEnd::row;
  }

  // Write the cell with each pair of quotes as one.
  void unquote(const Cell& cell, std::vector<Char>& out) const {
    out.clear();
    for (size_t at = cell.begin; at < cell.end; ++at) {
      out.push_back(text_[at]);
      if (text_[at] == '"') ++at;
    }
  }

 private:
  bool is_line_end(size_t at) const { return text_[at] == '\n' || text_[at] == '\r'; }

  size_t find(Char wanted, size_t begin, size_t end) const {
    if constexpr (sizeof(Char) == 1) {
      const void* found = begin == end ? nullptr : std::memchr(text_ + begin, wanted, end - begin);
      return found == nullptr ? end : static_cast<size_t>(static_cast<const Char*>(found) - text_);
    }
    return static_cast<size_t>(std::find(text_ + begin, text_ + end, wanted) - text_);
  }

  size_t count_line_ends(size_t begin, size_t end) const {
    auto lines = static_cast<size_t>(std::count(text_ + begin, text_ + end, Char{'\n'}));
    for (size_t at = find('\r', begin, end); at < end; at = find('\r', at + 1, end))
      lines += at + 1 == end || text_[at + 1] != '\n';
    return lines;
  }

  const Char* text_;
  size_t length_;
  uint32_t separator_;
};

}  // namespace tb
