#include "tangram/nest/KeptValues.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <set>

namespace tangram::nest {

using namespace ast;

namespace {

constexpr unsigned kMostSteps = 16; // from scalar to scalar

bool keepsBits(const Cast &cast) {
  return cast.type.isInteger() && cast.operand->type.isInteger() && cast.type.bytes() >= cast.operand->type.bytes();
}

} // namespace

KeptValues::KeptValues(const Codelet &codelet) {
  const std::set<std::string> assigned = assignedVariables(codelet.body);
  std::set<std::string> declared;
  walk(codelet.body, [&](const Declare &d) {
    if (!declared.insert(d.name).second)
      values_.erase(d.name); // in several places: which one is meant would have to be looked up
    else if (d.init && d.extents.empty() && !assigned.count(d.name))
      values_.emplace(d.name, d.init);
  });
}

const Expr *KeptValues::resolved(const Expr *e) const {
  for (unsigned step = 0; step < kMostSteps; ++step) {
    const auto *cast = dyn<Cast>(e);
    const auto *v = dyn<VarRef>(e);
    const auto value = v ? values_.find(v->name) : values_.end();
    if (cast && keepsBits(*cast))
      e = cast->operand;
    else if (value != values_.end())
      e = value->second;
    else
      break;
  }
  return e;
}

} // namespace tangram::nest
