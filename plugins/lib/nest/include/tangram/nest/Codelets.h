// Makes codelets over index ranges, and what stands in them: what expanders of loops share.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/nest/Range.h"

namespace tangram::nest {

/// Makes codelets and what stands in them. `names` are those of parameters: what is declared beside them has others.
class Codelets {
public:
  Codelets(ast::Arena &arena, ast::SourceRange where, ast::Names names = {})
      : arena_(arena), build_(arena, where), where_(where), parts_(names.fresh("parts")),
        length_(names.fresh("length")), tile_(names.fresh("tile")) {}

  const ast::Codelet *codelet(const std::string &name, const std::vector<const ast::Param *> &params,
                              std::vector<const ast::Stmt *> body, bool coop = false, bool independent = false) const;
  /// The codelets behind the first one are made of it: they have its results, and touch what it does.
  const ast::Spectrum *spectrum(const std::string &name, const ast::Type &result,
                                const std::vector<const ast::Param *> &params,
                                std::vector<const ast::Codelet *> codelets) const;
  const ast::Param *param(const std::string &name, const ast::Type &type) const;
  const ast::Expr *use(const ast::Param *p) const;
  /// __tunable unsigned parts; and what a partition of the range into as many parts of neighbours needs.
  std::vector<const ast::Stmt *> tiling(const ast::Param *range) const;
  const ast::Expr *parts(const ast::Param *range) const;
  /// T iterator = range[x]; decoded; body: what is done at position x.
  std::vector<const ast::Stmt *> iteration(const LoopRange &range, const ast::Param *container,
                                           std::vector<const ast::Stmt *> body) const;
  /// for (size_t x = from; x < range.size(); x += by) { T iterator = range[x]; decoded; body }
  const ast::Stmt *loop(const LoopRange &range, const ast::Param *container, std::vector<const ast::Stmt *> body,
                        const ast::Expr *from = nullptr, const ast::Expr *by = nullptr) const;
  const ast::Expr *map(const std::string &spectrum, const ast::Type &result, std::vector<const ast::Expr *> args) const;
  const ast::Expr *call(const std::string &spectrum, const ast::Type &result,
                        std::vector<const ast::Expr *> args) const;
  const ast::Stmt *run(const ast::Expr *e) const;
  const ast::Build &build() const { return build_; }

private:
  ast::Arena &arena_;
  ast::Build build_;
  ast::SourceRange where_;
  std::string parts_, length_, tile_;
};

} // namespace tangram::nest
