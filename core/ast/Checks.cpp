#include "tangram/ast/Checks.h"

#include "tangram/ast/Walk.h"

namespace tangram::ast {

bool isRecord(const Function &function, const Param &param) {
  if (!(param.type == Type::pointer(Scalar::U32))) return false;
  auto named = [&](const Expr *e) {
    const auto *variable = dyn<VarRef>(e);
    return variable && variable->name == param.name;
  };
  return any<Expr>(function.body, [&](const Expr &e) {
    if (const auto *check = dyn<Check>(&e)) return named(check->record);
    if (const auto *faulted = dyn<Faulted>(&e)) return named(faulted->record);
    const auto *call = dyn<Call>(&e);
    return call && !call->args.empty() && named(call->args.back());
  });
}

} // namespace tangram::ast
