// Words of HiDP: names, numbers, operators, quoted operators of reductions, and its pragma.
#pragma once

#include "Source.h"

namespace tangram::hidp {

enum class TokenKind : std::uint8_t { Name, Number, Text, Symbol, Pragma, End };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text; // of Text without its quotes; of Pragma what stands behind `#pragma hidp`
  Piece piece;
};

/// All words, the last one of kind End. Throws where a character begins none.
std::vector<Token> tokens(const Source &source);

} // namespace tangram::hidp
