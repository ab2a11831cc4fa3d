#include "ReciprocalRoots.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Builtins.h"
#include "tangram/ast/Functions.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"
#include "tangram/hardware/Promises.h"
#include "tangram/pass/LaunchPass.h"

#include <algorithm>
#include <map>

// Special values come out as those of the division: rsqrt is infinity of a zero (with its sign), 0 of infinity, NaN of
// what is below 0. Of no other number it overflows or is subnormal, so that neither does a product with it where the
// quotient does not.
namespace tangram::reciprocal_roots {

using namespace ast;

namespace {

bool isSingle(const Expr *e) { return e->type == Type(Scalar::F32); }

/// Of f32; null for anything else.
const Call *squareRoot(const Expr *e) {
  const auto *call = dyn<Call>(e);
  return call && call->callee == "sqrtf" && isSingle(call) && call->args.size() == 1 ? call : nullptr;
}

bool isQuotient(const Binary &e) { return e.op == BinaryOp::Div && isSingle(&e); }
bool isQuotient(const Assign &e) { return e.op == AssignOp::Div && isSingle(e.target) && isSingle(e.value); }

bool isOne(const Expr *e) {
  const auto *number = dyn<FloatLit>(e);
  return number && number->value == 1;
}

/// In code of a device: what a Launch does, or a function that the host does not call.
class Roots final : public Mutator {
public:
  Roots(Arena &arena, const Node *body, Names &names) : Mutator(arena) {
    for (const Declare *d : divisors(body)) reciprocals_[d->name] = names.fresh("reciprocal_" + d->name);
  }

private:
  /// Variables that are square roots, and that nothing but divisions reads.
  static std::vector<const Declare *> divisors(const Node *body) {
    std::vector<const Declare *> roots;
    std::map<std::string, int> uses, divisions;
    auto divides = [&](const Expr *by) {
      if (const auto *v = dyn<VarRef>(by)) ++divisions[v->name];
    };
    walk(
        body,
        [&](const Declare &d) {
          if (d.init && d.extents.empty() && !d.shared && !d.tunable && squareRoot(d.init)) roots.push_back(&d);
        },
        [&](const VarRef &v) { ++uses[v.name]; },
        [&](const Binary &e) {
          if (isQuotient(e)) divides(e.rhs);
        },
        [&](const Assign &e) {
          if (isQuotient(e)) divides(e.value);
        });
    std::erase_if(roots, [&](const Declare *d) { return !uses[d->name] || uses[d->name] != divisions[d->name]; });
    return roots;
  }

  const Expr *reciprocalRoot(const Call *root) {
    return arena().derive(root, [](Call &copy) { copy.callee = kReciprocalRoot; });
  }

  /// One by what is divided by; null where that is no square root.
  const Expr *reciprocal(const Expr *by) {
    if (const Call *root = squareRoot(by)) return reciprocalRoot(root);
    const auto *v = dyn<VarRef>(by);
    auto found = v ? reciprocals_.find(v->name) : reciprocals_.end();
    return found == reciprocals_.end() ? nullptr : Build(arena(), v->range).var(found->second, v->type);
  }

  const Node *mutateBinary(const Binary *e) override {
    const auto *inner = static_cast<const Binary *>(rebuild(e));
    const Expr *factor = isQuotient(*inner) ? reciprocal(inner->rhs) : nullptr;
    if (!factor) return inner;
    return isOne(inner->lhs) ? factor : Build(arena(), e->range).mul(inner->lhs, factor);
  }

  const Node *mutateAssign(const Assign *e) override {
    const auto *inner = static_cast<const Assign *>(rebuild(e));
    const Expr *factor = isQuotient(*inner) ? reciprocal(inner->value) : nullptr;
    if (!factor) return inner;
    return arena().derive(inner, [&](Assign &copy) {
      copy.op = AssignOp::Mul;
      copy.value = factor;
    });
  }

  const Node *mutateDeclare(const Declare *d) override {
    const auto *inner = static_cast<const Declare *>(rebuild(d));
    auto found = reciprocals_.find(d->name);
    if (found == reciprocals_.end()) return inner;
    return arena().derive(inner, [&](Declare &copy) {
      copy.name = found->second;
      copy.init = reciprocalRoot(squareRoot(inner->init));
    });
  }

  std::map<std::string, std::string> reciprocals_;
};

const Kernel *withRoots(Arena &arena, const Kernel *kernel) {
  Names names;
  names.reserveAll(kernel);
  return withLaunches(arena, kernel, [&](const Launch *launch) {
    return arena.derive(launch, [&](Launch &copy) { copy.body = Roots(arena, launch->body, names)(launch->body); });
  });
}

} // namespace

const Module *ReciprocalRoots::run(const Module *module, PassContext &context) {
  // Which divisions are by a root is a matter of the code around them, as plans compose it.
  if (hardware::sameBits(context.target)) return module;
  std::vector<const Function *> host = hostFunctions(*module); // are C++, which has no such function
  return context.arena.derive(module, [&](Module &copy) {
    for (const Kernel *&kernel : copy.kernels) kernel = withRoots(context.arena, kernel);
    for (const Function *&function : copy.functions) {
      if (std::find(host.begin(), host.end(), function) != host.end()) continue;
      Names names;
      names.reserveAll(function);
      function = Roots(context.arena, function, names)(function);
    }
  });
}

} // namespace tangram::reciprocal_roots
