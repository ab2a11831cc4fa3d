#include "tangram/loops/Loads.h"

#include "tangram/ast/Walk.h"

namespace tangram::loops {

using namespace ast;

bool isLoop(const Stmt &s) { return isa<For>(&s) || isa<While>(&s) || isa<DoWhile>(&s) || isa<Loop>(&s); }

bool isLeaf(const Block *body) { return !any<Stmt>(body, isLoop); }

std::size_t loads(const Block *body) {
  std::size_t count = 0;
  auto throughPointer = [](const Expr *e) { return isa<Subscript>(e) && as<Subscript>(e)->base->type.isPointer(); };
  walk(
      body, [&](const Subscript &s) { count += throughPointer(&s); },
      [&](const Assign &a) { count -= a.op == AssignOp::Set && throughPointer(a.target); }); // only written
  return count;
}

} // namespace tangram::loops
