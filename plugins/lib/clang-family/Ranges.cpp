#include "tangram/clang-family/Ranges.h"

#include <algorithm>
#include <clang/Lex/Lexer.h>
#include <tuple>

namespace tangram::frontend {

ast::SourceRange Ranges::of(clang::SourceRange range) const {
  ast::SourceRange result;
  if (range.getBegin().isInvalid()) return result;
  clang::SourceLocation begin = sources_.getFileLoc(range.getBegin());
  clang::SourceLocation end = range.getEnd().isValid() ? sources_.getFileLoc(range.getEnd()) : begin;
  auto [file, offset] = sources_.getDecomposedLoc(begin);
  auto [endFile, endOffset] = sources_.getDecomposedLoc(end);
  if (endFile != file || endOffset < offset) endOffset = offset, end = begin;
  endOffset += clang::Lexer::MeasureTokenLength(end, sources_, language_);

  result.file = arena_.internFile(sources_.getFilename(begin).str());
  if (instead_ && file == sources_.getMainFileID()) {
    std::size_t from = instead_->origin(offset), to = std::max(instead_->origin(endOffset, true), from);
    std::tie(result.line, result.column) = instead_->place(from);
    std::tie(result.endLine, result.endColumn) = instead_->place(to);
    return result;
  }
  result.line = sources_.getLineNumber(file, offset);
  result.column = sources_.getColumnNumber(file, offset);
  result.endLine = sources_.getLineNumber(file, endOffset);
  result.endColumn = sources_.getColumnNumber(file, endOffset);
  return result;
}

bool Ranges::isUsers(clang::SourceLocation location) const {
  if (!location.isValid()) return false;
  const clang::SourceLocation where = sources_.getExpansionLoc(location);
  // Headers of codelets that come with the language are read as the user's own.
  if (sources_.isInSystemHeader(where)) return sources_.getFilename(where).ends_with(".tg.h");
  return !sources_.isWrittenInBuiltinFile(where);
}

} // namespace tangram::frontend
