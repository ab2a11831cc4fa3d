// Lines of generated code: indentation, wrapping at the column limit, #line directives.
#pragma once

#include "tangram/ast/Node.h"

#include <string>
#include <string_view>

namespace tangram::c_family {

class Writer {
public:
  /// `file`: what #line calls the generated file itself.
  explicit Writer(std::string file) : file_(std::move(file)) {}

  /// One statement; wrapped with a hanging indent where it is too long.
  void line(std::string_view text);
  /// As it is, from the first column: preprocessor directives.
  void directive(std::string_view text);
  /// Several lines as they are.
  void verbatim(std::string_view text);
  void blank();
  void comment(std::string_view text) { line("// " + std::string(text)); }
  void indent() { depth_ += 2; }
  void outdent() { depth_ -= 2; }
  /// `text {`, indented until close().
  void open(std::string_view text) {
    line(text.empty() ? "{" : std::string(text) + " {");
    indent();
  }
  void close(std::string_view after = "") {
    outdent();
    line("}" + std::string(after));
  }

  /// What follows comes from there, until own().
  void from(const ast::SourceRange &range);
  /// What follows is the generated file's own.
  void own();

  /// Written so far.
  unsigned lines() const { return lines_; }
  std::string take() { return std::move(text_); }

private:
  void put(std::string_view text);

  std::string file_, text_;
  unsigned depth_ = 0;
  unsigned lines_ = 0;
  const std::string *sourceFile_ = nullptr;
  unsigned sourceLine_ = 0;
};

/// As a C string literal.
std::string stringLiteral(std::string_view text);
/// In upper case with underscores, for macros.
std::string macroName(std::string_view text);

} // namespace tangram::c_family
