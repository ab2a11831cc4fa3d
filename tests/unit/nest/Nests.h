// Codelets for tests of nests, and how to ask about them by names.
#pragma once

#include "../passes/Choosers.h"
#include "../passes/Program.h"
#include "../passes/Semantics.h"
#include "tangram/ast/Text.h"
#include "tangram/ast/Verify.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Footprint.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Selections.h"
#include "tangram/nest/Write.h"

#include <gtest/gtest.h>

namespace tangram::test {

using namespace program;
using nest::Carried;
using nest::Nest;

class NestTest : public ::testing::Test {
protected:
  NestTest() { arena = &arena_; }

  std::unique_ptr<Nest> read(const Ps &params, const Ss &body,
                             const std::vector<const ast::Function *> &functions = {}) {
    codelet_ = codelet("a", params, body);
    module_ = make<ast::Module>(std::vector<const ast::Struct *>{}, functions, std::vector<const ast::Spectrum *>{},
                                std::vector<const ast::Kernel *>{});
    return nest::read(*module_, *codelet_);
  }
  static unsigned loopOf(const Nest &n, const std::string &name) {
    for (unsigned i = 0; i < n.loops.size(); ++i)
      if (n.loops[i].variable == name) return i;
    ADD_FAILURE() << "no loop " << name;
    return 0;
  }
  static unsigned variableOf(const Nest &n, const std::string &name) {
    for (unsigned i = 0; i < n.variables.size(); ++i)
      if (n.variables[i].name == name) return i;
    ADD_FAILURE() << "no variable " << name;
    return 0;
  }
  /// "nothing", "+ s", "max m with at", or what forbids.
  static std::string carried(const Nest &n, const std::string &loop) {
    Carried c = nest::Dependences(n).carried(loopOf(n, loop));
    std::string text;
    switch (c.kind) {
    case Carried::Kind::Nothing: text = "nothing"; break;
    case Carried::Kind::Reduction:
      for (const nest::Reduction &r : c.reductions) {
        if (r.selection && n.selections[*r.selection].value != r.variable) continue;
        text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", nest::name(r.op), r.atomic ? " atomic" : "",
                            n.variables[r.variable].name);
        if (r.selection)
          for (unsigned f : n.selections[*r.selection].followers) text += fmt::format(" with {}", n.variables[f].name);
      }
      break;
    case Carried::Kind::Dependence: text = nest::describe(n, *c.dependence, loopOf(n, loop)); break;
    }
    for (unsigned v : c.privatizable) text += ", private " + n.variables[v].name;
    return text;
  }
  static std::string remarks(const Nest &n) {
    std::string text;
    for (const nest::Remark &r : n.remarks) text += r.message + "\n";
    return text;
  }
  /// Conditions as text; "never" where they cannot be said.
  std::string assumed(const Nest &n) {
    auto conditions = nest::conditions(n, arena_);
    if (!conditions) return "never";
    std::string text;
    for (const ast::Expr *c : *conditions) text += (text.empty() ? "" : " and ") + nest::spelled(c);
    return text;
  }

  ast::Arena arena_;
  const ast::Codelet *codelet_ = nullptr;
  const ast::Module *module_ = nullptr;
};

/// for (T i = begin; i < end; i += step)
inline S up(const std::string &i, const Type &t, E begin, E end, Ss body, int step = 1) {
  E v = var(i, t);
  E next = step == 1 ? inc(v) : assign(v, lit(t, step), ast::AssignOp::Add);
  return loop(let(i, t, begin), v < end, next, std::move(body));
}
/// for (T i = begin; i >= end; i -= step)
inline S down(const std::string &i, const Type &t, E begin, E end, Ss body, int step = 1) {
  E v = var(i, t);
  return loop(let(i, t, begin), v >= end, assign(v, lit(t, step), ast::AssignOp::Sub), std::move(body));
}
inline E u64(E e) { return cast(U64, e); }

} // namespace tangram::test
