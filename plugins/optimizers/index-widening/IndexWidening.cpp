#include "IndexWidening.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"

#include <map>
#include <set>

namespace tangram::index_widening {

using namespace ast;

namespace {

bool isWord(const Type &type) { return type == Type(Scalar::I32); }
bool isWide(const Type &type) { return type.isInteger() && type.bytes() == 8; }

/// What an exact conversion to 32 bits makes of a number of 64; null where it is something else.
const Expr *wideOperand(const Expr *e) {
  const auto *cast = dyn<Cast>(e);
  return cast && cast->exact == Flag::Yes && isWord(e->type) && isWide(cast->operand->type) ? cast->operand : nullptr;
}

/// Signed numbers of 32 bits do not overflow, or the program has no meaning: in 64 bits the result is the same.
bool isSum(const Expr *e) {
  const auto *binary = dyn<Binary>(e);
  return binary && (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub || binary->op == BinaryOp::Mul);
}

class Widener final : public Mutator {
public:
  Widener(Arena &arena, const Kernel &kernel) : Mutator(arena) {
    names_.reserveAll(&kernel);
    const std::set<std::string> assigned = assignedVariables(kernel.body);
    walk(kernel.body, [&](const Declare &d) {
      if (d.init && d.extents.empty() && !assigned.count(d.name) && wideOperand(d.init)) exact_.insert(d.name);
    });
    walk(
        kernel.body,
        [&](const Cast &cast) {
          if (isIndex(cast)) noteUses(cast.operand);
        },
        [&](const Subscript &element) {
          for (const Expr *index : element.indices)
            if (mentions(index)) noteUses(index);
        });
    for (const std::string &name : used_) wide_[name] = names_.fresh(name + "_wide");
  }

  /// Variables that indices were computed from.
  const std::set<std::string> &used() const { return used_; }

private:
  bool isIndex(const Cast &cast) const {
    return isWide(cast.type) && isWord(cast.operand->type) && mentions(cast.operand);
  }

  /// Whether it is computed from a variable that came of 64 bits.
  bool mentions(const Expr *e) const {
    if (const auto *v = dyn<VarRef>(e)) return exact_.count(v->name) > 0;
    if (!isWord(e->type)) return false;
    if (wideOperand(e)) return true;
    return isSum(e) && (mentions(as<Binary>(e)->lhs) || mentions(as<Binary>(e)->rhs));
  }
  void noteUses(const Expr *e) {
    if (const auto *v = dyn<VarRef>(e); v && exact_.count(v->name)) used_.insert(v->name);
    if (!isSum(e)) return;
    noteUses(as<Binary>(e)->lhs);
    noteUses(as<Binary>(e)->rhs);
  }

  /// The same number in 64 bits.
  const Expr *widened(const Expr *e) {
    Build b(arena(), e->range);
    if (!mentions(e)) return b.cast(Scalar::U64, mutateAs(e));
    if (const auto *v = dyn<VarRef>(e)) return b.var(wide_.at(v->name), Scalar::U64);
    if (const Expr *operand = wideOperand(e)) return b.cast(Scalar::U64, mutateAs(operand));
    const auto *sum = as<Binary>(e);
    return b.binary(sum->op, widened(sum->lhs), widened(sum->rhs));
  }

  const Node *mutateCast(const Cast *cast) override {
    if (!isIndex(*cast)) return rebuild(cast);
    return Build(arena(), cast->range).cast(cast->type, widened(cast->operand));
  }

  const Node *mutateSubscript(const Subscript *element) override {
    const Subscript *result = rebuild(element);
    for (std::size_t i = 0; i < element->indices.size(); ++i)
      if (const Expr *index = element->indices[i]; mentions(index))
        result = arena().derive(result, [&](Subscript &copy) { copy.indices[i] = widened(index); });
    return result;
  }

  const Node *mutateDeclare(const Declare *d) override {
    auto wide = wide_.find(d->name);
    if (wide == wide_.end()) return rebuild(d);
    Build b(arena(), d->range);
    const auto *init = as<Cast>(d->init);
    emitBefore(b.declare(wide->second, Scalar::U64, b.cast(Scalar::U64, mutateAs(init->operand))));
    const Expr *narrow = arena().derive(init, [&](Cast &copy) { copy.operand = b.var(wide->second, Scalar::U64); });
    return arena().derive(d, [&](Declare &copy) { copy.init = narrow; });
  }

  Names names_;
  std::set<std::string> exact_, used_;
  std::map<std::string, std::string> wide_; // of variables that indices are computed from
};

/// Without the variables of which only indices were computed.
class WithoutUnused final : public Mutator {
public:
  WithoutUnused(Arena &arena, const Kernel &kernel, std::set<std::string> variables)
      : Mutator(arena), unused_(std::move(variables)) {
    walk(kernel.body, [&](const VarRef &v) { unused_.erase(v.name); });
  }

private:
  const Node *mutateDeclare(const Declare *d) override { return unused_.count(d->name) ? nullptr : rebuild(d); }

  std::set<std::string> unused_;
};

} // namespace

const Kernel *IndexWidening::kernel(const Kernel *kernel, const Module &, PassContext &context) {
  Widener widener(context.arena, *kernel);
  const Kernel *wide = widener(kernel);
  return WithoutUnused(context.arena, *wide, widener.used())(wide);
}

} // namespace tangram::index_widening
