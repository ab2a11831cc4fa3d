// A loop in the parts of its header.
#pragma once

#include "Lanes.h"

namespace tangram::lockstep {

struct Lanes::Counted {
  const ast::Stmt *owner = nullptr;
  const ast::Stmt *init = nullptr;
  const ast::Expr *cond = nullptr, *step = nullptr;
  const ast::Block *body = nullptr;
  bool bodyFirst = false;           // do ... while
  std::set<std::string> assigned{}; // in the body or the step
};

} // namespace tangram::lockstep
