// Writes several iterations of a loop side by side.
#pragma once

#include "tangram/ast/Build.h"
#include "tangram/ast/Names.h"
#include "tangram/loops/Copies.h"

#include <map>
#include <vector>

namespace tangram::loops {

class Jam {
public:
  using Stmts = std::vector<const ast::Stmt *>;
  Jam(ast::Arena &arena, ast::Names &names, const ast::Loop &loop, const Copies &copies)
      : arena_(arena), names_(names), loop_(loop), copies_(copies) {}

  /// `factor` iterations from `first` on, statement by statement: what is the same in all of them once, loops that all
  /// of them run together as one. Where copies count to bounds of their own, they do so together up to the least.
  Stmts run(const ast::Expr *first, unsigned factor);

private:
  Stmts block(const ast::Block *body);
  void stmt(const ast::Stmt *s, Stmts &out);
  bool once(const ast::Expr *e) const;
  bool asLongAsAll(const ast::Stmt *loop, Stmts &out);
  void each(const ast::Stmt *s, Stmts &out);

  ast::Arena &arena_;
  ast::Names &names_;
  const ast::Loop &loop_;
  const Copies &copies_;
  std::vector<std::map<std::string, std::string>> renamings_; // of each copy
};

} // namespace tangram::loops
