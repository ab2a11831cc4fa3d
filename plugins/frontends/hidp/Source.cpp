#include "Source.h"

#include <algorithm>

namespace tangram::hidp {

Source::Source(const std::string &file, std::string text)
    : file_(ast::Arena::internFile(file)), text_(std::move(text)), lines_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') lines_.push_back(i + 1);
}

std::pair<unsigned, unsigned> Source::place(std::size_t byte) const {
  auto line = std::upper_bound(lines_.begin(), lines_.end(), byte) - 1;
  return {static_cast<unsigned>(line - lines_.begin()) + 1, static_cast<unsigned>(byte - *line) + 1};
}

ast::SourceRange Source::range(Piece piece) const {
  auto [line, column] = place(piece.begin);
  auto [endLine, endColumn] = place(std::max(piece.begin, piece.end));
  return {file_, line, column, endLine, endColumn};
}

} // namespace tangram::hidp
