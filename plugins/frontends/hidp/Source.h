// A file of HiDP, and places in it.
#pragma once

#include "tangram/ast/Node.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tangram::hidp {

/// Bytes of the file, the last one excluded.
struct Piece {
  std::size_t begin = 0, end = 0;
};

inline Piece spanning(Piece first, Piece last) { return {first.begin, last.end}; }

class Source {
public:
  Source(const std::string &file, std::string text);

  const std::string &text() const { return text_; }
  ast::SourceRange range(Piece piece) const;
  ast::SourceRange whole() const { return range({0, 0}); }

private:
  std::pair<unsigned, unsigned> place(std::size_t byte) const;

  const std::string *file_;
  std::string text_;
  std::vector<std::size_t> lines_; // where each begins
};

} // namespace tangram::hidp
