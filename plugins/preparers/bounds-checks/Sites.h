// What an error says of a place in a program: where it is, whose codelet, and which container.
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace tangram::checks {

/// The texts of one kernel's Report, as they are asked for. What functions check comes first: it is the same for all
/// kernels of a module.
class Sites {
public:
  explicit Sites(const ast::Module &module);
  /// From now on for a kernel.
  void begin(const ast::Kernel &kernel);

  /// The number, from 1, of the site that says `what` of the place.
  ast::Int add(ast::SourceRange range, const std::string &what);
  /// With the name of the kernel's spectrum in them.
  std::vector<std::string> texts() const;
  /// What the codelet calls the container that it touches at this place; `otherwise` where a pass made the access.
  std::string container(ast::SourceRange range, const std::string &otherwise) const;

private:
  using Key = std::tuple<const std::string *, unsigned, unsigned, unsigned, unsigned>;
  static Key key(const ast::SourceRange &r) { return {r.file, r.line, r.column, r.endLine, r.endColumn}; }
  std::string whose(const ast::SourceRange &range) const;

  const ast::Module &module_;
  const ast::Kernel *kernel_ = nullptr;
  std::map<Key, std::string> containers_;
  std::map<std::string, ast::Int> numbers_, ofFunctions_;
  std::vector<std::string> texts_, textsOfFunctions_;
};

} // namespace tangram::checks
