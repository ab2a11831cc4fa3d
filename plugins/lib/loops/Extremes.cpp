#include "tangram/loops/Extremes.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Functions.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::loops {

using namespace ast;

namespace {

class WithExtremes final : public Mutator {
public:
  WithExtremes(Arena &arena, const Module &module) : Mutator(arena), module_(module) {}

private:
  const Node *mutateCall(const Call *e) override {
    const auto *call = as<Call>(rebuild(e));
    const Function *function = e->type.isInteger() ? functionOfExpression(module_, *e) : nullptr;
    if (!function || std::any_of(call->args.begin(), call->args.end(),
                                 [](const Expr *arg) { return hasEffects(arg) || nodeCount(arg) > kMostCopied; }))
      return call;
    std::map<std::string, const Expr *> arguments;
    for (std::size_t i = 0; i < call->args.size(); ++i) arguments[function->params[i]->name] = call->args[i];
    return substituted(arena(), resultOf(*function), [&](const VarRef *v) -> const Expr * {
      auto found = arguments.find(v->name);
      return found == arguments.end() ? v : found->second;
    });
  }

  static constexpr std::size_t kMostCopied = 40; // nodes of an argument, which is written twice
  const Module &module_;
};

} // namespace

const Block *withExtremes(Arena &arena, const Module &module, const Block *body) {
  return WithExtremes(arena, module)(body);
}

} // namespace tangram::loops
