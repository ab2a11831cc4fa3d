#include "tangram/clang-family/Rewritten.h"

#include <algorithm>

namespace tangram::frontend {

Rewritten::Rewritten(std::string original) : original_(std::move(original)), lines_{0} {
  for (std::size_t i = 0; i < original_.size(); ++i)
    if (original_[i] == '\n') lines_.push_back(i + 1);
}

void Rewritten::copy(std::size_t begin, std::size_t end) {
  end = std::min(end, original_.size());
  if (begin >= end) return;
  pieces_.push_back({text_.size(), end - begin, begin, end, true});
  text_.append(original_, begin, end - begin);
}

void Rewritten::add(std::string_view text, std::size_t begin, std::size_t end) {
  if (text.empty()) return;
  pieces_.push_back({text_.size(), text.size(), begin, end, false});
  text_ += text;
}

std::size_t Rewritten::origin(std::size_t offset, bool end) const {
  std::size_t byte = end && offset > 0 ? offset - 1 : offset;
  auto behind = std::upper_bound(pieces_.begin(), pieces_.end(), byte,
                                 [](std::size_t wanted, const Piece &p) { return wanted < p.at; });
  if (behind == pieces_.begin()) return 0;
  const Piece &p = *(behind - 1);
  if (!p.verbatim) return end ? p.end : p.begin;
  return std::min(p.begin + (byte - p.at) + (end && offset > 0 ? 1 : 0), p.end);
}

std::pair<unsigned, unsigned> Rewritten::place(std::size_t origin) const {
  auto line = std::upper_bound(lines_.begin(), lines_.end(), origin) - 1;
  return {static_cast<unsigned>(line - lines_.begin()) + 1, static_cast<unsigned>(origin - *line) + 1};
}

} // namespace tangram::frontend
