// Loops of a codelet with other statements in their place.
#pragma once

#include "tangram/ast/Mutator.h"

#include <map>

namespace tangram::divide {

/// Blocks with what `made` has for loops that stand in them.
class ReplacedLoops : public ast::Mutator {
public:
  using Mutator::Mutator;

protected:
  const ast::Node *mutateBlock(const ast::Block *block) override {
    std::vector<const ast::Stmt *> stmts;
    for (const ast::Stmt *s : block->stmts)
      if (const auto found = made.find(ast::dyn<ast::For>(s)); found != made.end())
        stmts.insert(stmts.end(), found->second.begin(), found->second.end());
      else
        stmts.push_back(ast::as<ast::Stmt>(mutate(s)));
    return stmts == block->stmts ? block : arena().derive(block, [&](ast::Block &b) { b.stmts = std::move(stmts); });
  }

  std::map<const ast::For *, std::vector<const ast::Stmt *>> made;
};

} // namespace tangram::divide
