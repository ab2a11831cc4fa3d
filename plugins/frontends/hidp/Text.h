// Text in Tangram's language, each piece with what it stands for in the file.
#pragma once

#include "Source.h"
#include "tangram/clang-family/Rewritten.h"

#include <utility>
#include <vector>

namespace tangram::hidp {

class Text {
public:
  /// What follows stands for this piece.
  Text &at(Piece piece) {
    at_ = piece;
    return *this;
  }
  Text &operator<<(std::string_view text) {
    parts_.emplace_back(text, at_);
    return *this;
  }
  Text &operator<<(const Text &text) {
    parts_.insert(parts_.end(), text.parts_.begin(), text.parts_.end());
    return *this;
  }
  bool empty() const { return parts_.empty(); }
  std::string plain() const {
    std::string result;
    for (const auto &[text, _] : parts_) result += text;
    return result;
  }
  void addTo(frontend::Rewritten &out) const {
    for (const auto &[text, piece] : parts_) out.add(text, piece.begin, piece.end);
  }

private:
  Piece at_;
  std::vector<std::pair<std::string, Piece>> parts_;
};

} // namespace tangram::hidp
