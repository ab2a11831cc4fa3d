// Directives as data: what `#pragma tilek ...` says, with places.
#pragma once

#include "tangram/ast/Node.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tangram::tilek {

/// A piece of the file, by its bytes.
struct Piece {
  std::size_t begin = 0, end = 0;
};

/// A token of a directive; what macros expand to lies where the macro was written.
struct Word {
  std::string text;
  bool name = false, number = false;
  Piece piece;
  ast::SourceRange range;
};

/// Text of an expression, which the language reads as it reads the body.
struct Text {
  std::string text;
  Piece piece;
  ast::SourceRange range;
};

struct TileClause {
  enum class Kind : std::uint8_t { Static, Dynamic, Thread, Gang, Worker } kind = Kind::Dynamic;
  std::optional<std::int64_t> order;
  std::int64_t trips = 0;    // of Static
  std::size_t dimension = 0; // of Gang and Worker
  ast::SourceRange range;
};

/// #pragma tilek loop tile...
struct LoopDirective {
  std::vector<TileClause> tiles; // outermost first
  ast::SourceRange range;
};

/// A[0:n][0:m] of a data clause.
struct Section {
  std::string name;
  std::vector<Text> extents;
  std::string mode, live; // empty: not said
  ast::SourceRange range, modeRange;
};

/// #pragma tilek kernel ...
struct KernelDirective {
  std::vector<Section> sections;
  std::optional<Text> threads;
  std::map<std::size_t, Text> gangs, workers; // by dimension
  ast::SourceRange range;
  const Section *section(const std::string &name) const {
    for (const Section &s : sections)
      if (s.name == name) return &s;
    return nullptr;
  }
};

/// One `#pragma tilek`.
struct Directive {
  std::vector<Word> words; // behind `tilek`
  Piece piece;             // from # to the end of its last line
  ast::SourceRange range;
};

/// Both throw DiagnosticError.
KernelDirective readKernel(const Directive &directive);
LoopDirective readLoop(const Directive &directive);

} // namespace tangram::tilek
