#include "Mutants.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

#include <fmt/format.h>
#include <map>

namespace tangram::mutation {

using namespace ast;

namespace {

/// A variable of the innermost loops around something.
struct Variable {
  std::string name;
  Type type;
};

/// Makes the change with the number `wanted`; counts all that there are.
class Change final : public Mutator {
public:
  Change(Arena &arena, const Codelet &codelet, std::size_t wanted)
      : Mutator(arena), codelet_(codelet), wanted_(wanted) {}
  std::size_t count = 0;
  std::string what;

protected:
  // ---- numbers ----
  const Node *mutateIntLit(const IntLit *node) override {
    if (node->type.isBool()) return node;
    for (Int by : {1, -1})
      if (due(node, fmt::format("{} became {}", node->value, node->value + by)))
        return arena().derive(node, [&](IntLit &copy) { copy.value += by; });
    return node;
  }
  const Node *mutateFloatLit(const FloatLit *node) override {
    for (double other : {node->value == 0 ? 1e-3 : node->value * 1.001, node->value == 0 ? 1 : -node->value})
      if (due(node, fmt::format("{} became {}", node->value, other)))
        return arena().derive(node, [&](FloatLit &copy) { copy.value = other; });
    return node;
  }

  // ---- operations ----
  const Node *mutateUnary(const Unary *node) override {
    if ((node->op == UnaryOp::Minus || node->op == UnaryOp::Not) && due(node, "the sign is missing"))
      return node->operand;
    return rebuild(node);
  }
  const Node *mutateBinary(const Binary *node) override {
    if (std::optional<BinaryOp> other = exchanged(node->op); other && due(node, becomes(node->op, *other)))
      return arena().derive(node, [&](Binary &copy) { copy.op = *other; });
    const bool isSum = node->op == BinaryOp::Add || node->op == BinaryOp::Mul;
    const bool hasOrder = node->op == BinaryOp::Sub || node->op == BinaryOp::Div || node->op == BinaryOp::Rem;
    if ((isSum || hasOrder) && due(node, fmt::format("the right operand of {} is missing", symbol(node->op))))
      return node->lhs;
    if (isSum && due(node, fmt::format("the left operand of {} is missing", symbol(node->op)))) return node->rhs;
    if (hasOrder && due(node, fmt::format("the operands of {} are exchanged", symbol(node->op))))
      return arena().derive(node, [](Binary &copy) { std::swap(copy.lhs, copy.rhs); });
    return rebuild(node);
  }
  const Node *mutateAssign(const Assign *node) override {
    const std::map<AssignOp, std::vector<AssignOp>> others{{AssignOp::Add, {AssignOp::Set, AssignOp::Sub}},
                                                           {AssignOp::Sub, {AssignOp::Set, AssignOp::Add}},
                                                           {AssignOp::Mul, {AssignOp::Set, AssignOp::Add}}};
    if (auto list = others.find(node->op); list != others.end())
      for (AssignOp op : list->second)
        if (due(node, fmt::format("{} became {}", symbol(node->op), symbol(op))))
          return arena().derive(node, [&](Assign &copy) { copy.op = op; });
    return rebuild(node);
  }
  const Node *mutateConditional(const Conditional *node) override {
    if (due(node, "?: takes the first always")) return node->then;
    if (due(node, "?: takes the second always")) return node->otherwise;
    return rebuild(node);
  }
  const Node *mutateCall(const Call *node) override {
    static const std::map<std::string, std::string> others{
        {"fmin", "fmax"},  {"fmax", "fmin"},  {"fminf", "fmaxf"},  {"fmaxf", "fminf"},  {"min", "max"},
        {"max", "min"},    {"sin", "cos"},    {"cos", "sin"},      {"sinf", "cosf"},    {"cosf", "sinf"},
        {"floor", "ceil"}, {"ceil", "floor"}, {"floorf", "ceilf"}, {"ceilf", "floorf"}, {"exp", "exp2"},
        {"expf", "exp2f"}, {"sqrt", "fabs"},  {"sqrtf", "fabsf"}};
    if (auto other = others.find(node->callee);
        other != others.end() && due(node, fmt::format("{} became {}", node->callee, other->second)))
      return arena().derive(node, [&](Call &copy) { copy.callee = other->second; });
    return exchangedArguments(node);
  }
  const Node *mutateSpectrumCall(const SpectrumCall *node) override { return exchangedArguments(node); }
  const Node *mutateMap(const Map *node) override { return exchangedArguments(node); }
  const Node *mutateAtomic(const Atomic *node) override {
    const std::map<AtomicOp, AtomicOp> others{
        {AtomicOp::Add, AtomicOp::Sub}, {AtomicOp::Min, AtomicOp::Max}, {AtomicOp::Max, AtomicOp::Min}};
    if (auto other = others.find(node->op); other != others.end() && due(node, "another atomic operation"))
      return arena().derive(node, [&](Atomic &copy) { copy.op = other->second; });
    return rebuild(node);
  }

  // ---- elements ----
  const Node *mutateSubscript(const Subscript *node) override {
    for (std::size_t i = 0; i < node->indices.size(); ++i) {
      if (!node->indices[i]->type.isInteger()) continue;
      for (Int by : {-1, 1})
        if (due(node,
                fmt::format("the element {} the one that is meant{}", by < 0 ? "before" : "behind", along(node, i))))
          return arena().derive(node, [&](Subscript &copy) {
            Build b(arena(), node->range);
            copy.indices[i] = b.add(node->indices[i], b.integer(node->indices[i]->type, by));
          });
    }
    for (std::size_t i = 0; i + 1 < node->indices.size(); ++i)
      if (due(node, "indices are exchanged"))
        return arena().derive(node, [&](Subscript &copy) { std::swap(copy.indices[i], copy.indices[i + 1]); });
    ++subscripts_;
    const Node *result = rebuild(node);
    --subscripts_;
    return result;
  }
  const Node *mutateVarRef(const VarRef *node) override {
    auto named = [&](const auto &v) { return v.name == node->name; };
    if (subscripts_ && std::any_of(loops_.begin(), loops_.end(), named))
      for (const Variable &v : loops_)
        if (v.name != node->name && v.type == node->type && due(node, fmt::format("{} became {}", node->name, v.name)))
          return arena().derive(node, [&](VarRef &copy) { copy.name = v.name; });
    const Param *mine = nullptr;
    for (const Param *p : codelet_.params)
      if (p->name == node->name) mine = p;
    if (mine && mine->access == Access::In)
      for (const Param *p : codelet_.params)
        if (p != mine && p->access == Access::In && p->type == mine->type &&
            due(node, fmt::format("{} became {}", mine->name, p->name)))
          return arena().derive(node, [&](VarRef &copy) { copy.name = p->name; });
    return node;
  }
  const Node *mutateSize(const Size *node) override {
    const std::optional<Int> dim = node->dim ? literal(node->dim) : Int{0};
    if (dim && node->container->type.rank() > 1) {
      const Int other = *dim == 0 ? 1 : *dim - 1;
      if (due(node, fmt::format("size({}) became size({})", *dim, other)))
        return arena().derive(node, [&](Size &copy) {
          copy.dim = arena().make<IntLit>(node->range, node->dim ? node->dim->type : Type(Scalar::U64), other);
        });
    }
    return arena().derive(node, [&](Size &copy) { copy.container = mutateAs(node->container); });
  }
  const Node *mutateSequence(const Sequence *node) override {
    auto off = [&](const Expr *Sequence::*part, const char *name) -> const Node * {
      if (!(node->*part) || literal(node->*part) || !(node->*part)->type.isInteger()) return nullptr; // see IntLit
      for (Int by : {1, -1})
        if (due(node, fmt::format("the {} of a sequence is one {}", name, by > 0 ? "more" : "less")))
          return arena().derive(node, [&](Sequence &copy) {
            Build b(arena(), node->range);
            copy.*part = b.add(node->*part, b.integer((node->*part)->type, by));
          });
      return nullptr;
    };
    if (const Node *n = off(&Sequence::start, "start")) return n;
    if (const Node *n = off(&Sequence::inc, "step")) return n;
    if (const Node *n = off(&Sequence::end, "end")) return n;
    return rebuild(node);
  }

  // ---- statements ----
  const Node *mutateEvaluate(const Evaluate *node) override {
    bool calls = false; // of spectrums: a plan says what becomes of each
    walk(node, [&](const SpectrumCall &) { calls = true; }, [&](const Map &) { calls = true; });
    if (!calls && due(node, "the statement is missing")) return nullptr;
    return rebuild(node);
  }
  const Node *mutateIf(const If *node) override {
    if (due(node, "the condition is missing")) return node->then;
    if (node->otherwise && due(node, "else is missing"))
      return arena().derive(node, [](If &copy) { copy.otherwise = nullptr; });
    return rebuild(node);
  }
  const Node *mutateFor(const For *node) override {
    const auto *test = dyn<Binary>(node->cond);
    if (test && (test->op == BinaryOp::Lt || test->op == BinaryOp::Le) && test->rhs->type.isInteger() &&
        due(node, "the last iteration is missing"))
      return arena().derive(node, [&](For &copy) {
        copy.cond = arena().derive(test, [&](Binary &shorter) {
          Build b(arena(), test->range);
          shorter.lhs = b.add(test->lhs, b.integer(test->lhs->type, 1));
        });
      });
    if (const auto *variable = dyn<Declare>(node->init); variable && variable->type.isInteger())
      bodies_[node->body] = {variable->name, variable->type};
    return rebuild(node);
  }
  const Node *mutateBlock(const Block *node) override {
    auto loop = bodies_.find(node);
    if (loop == bodies_.end()) return rebuild(node);
    loops_.push_back(loop->second);
    const Node *result = rebuild(node);
    loops_.pop_back();
    return result;
  }
  const Node *mutateDeclare(const Declare *node) override { return node->tunable ? node : rebuild(node); }

private:
  static std::optional<BinaryOp> exchanged(BinaryOp op) {
    switch (op) {
    case BinaryOp::Add: return BinaryOp::Sub;
    case BinaryOp::Sub: return BinaryOp::Add;
    case BinaryOp::Mul: return BinaryOp::Add;
    case BinaryOp::Div: return BinaryOp::Mul;
    case BinaryOp::Rem: return BinaryOp::Div;
    case BinaryOp::Shl: return BinaryOp::Shr;
    case BinaryOp::Shr: return BinaryOp::Shl;
    case BinaryOp::And: return BinaryOp::Or;
    case BinaryOp::Or: return BinaryOp::And;
    case BinaryOp::Xor: return BinaryOp::Or;
    case BinaryOp::Lt: return BinaryOp::Le;
    case BinaryOp::Le: return BinaryOp::Lt;
    case BinaryOp::Gt: return BinaryOp::Ge;
    case BinaryOp::Ge: return BinaryOp::Gt;
    case BinaryOp::Eq: return BinaryOp::Ne;
    case BinaryOp::Ne: return BinaryOp::Eq;
    case BinaryOp::LogicalAnd: return BinaryOp::LogicalOr;
    case BinaryOp::LogicalOr: return BinaryOp::LogicalAnd;
    case BinaryOp::Comma: return std::nullopt;
    }
    return std::nullopt;
  }
  static std::string becomes(BinaryOp from, BinaryOp to) {
    return fmt::format("{} became {}", symbol(from), symbol(to));
  }
  static std::string along(const Subscript *node, std::size_t i) {
    return node->indices.size() > 1 ? fmt::format(", along dimension {}", i) : "";
  }
  /// A call whose neighbouring arguments of one type are exchanged.
  template <class T> const Node *exchangedArguments(const T *node) {
    for (std::size_t i = 0; i + 1 < node->args.size(); ++i)
      if (node->args[i]->type == node->args[i + 1]->type &&
          due(node, fmt::format("arguments {} and {} are exchanged", i + 1, i + 2)))
        return arena().derive(node, [&](T &copy) { std::swap(copy.args[i], copy.args[i + 1]); });
    return rebuild(node);
  }
  bool due(const Node *node, const std::string &text) {
    if (count++ != wanted_) return false;
    what = node->range.valid()
               ? fmt::format("{}:{}:{}: {}", *node->range.file, node->range.line, node->range.column, text)
               : text;
    return true;
  }

  const Codelet &codelet_;
  std::size_t wanted_;
  unsigned subscripts_ = 0;                  // around what is being looked at
  std::vector<Variable> loops_;              // likewise
  std::map<const Block *, Variable> bodies_; // of loops with a variable
};

/// Calls and maps of the codelet's own: plans and facts know them by the node, and what was not changed is the
/// original's.
class OwnCalls final : public Mutator {
public:
  using Mutator::Mutator;

protected:
  const Node *mutateSpectrumCall(const SpectrumCall *node) override { return own(rebuild(node), node); }
  const Node *mutateMap(const Map *node) override { return own(rebuild(node), node); }

private:
  template <class T> const Node *own(const T *rebuilt, const T *original) {
    return rebuilt != original ? rebuilt : arena().derive(original, [](T &) {});
  }
};

} // namespace

std::size_t mutantsOf(const Codelet &codelet, Arena &arena) {
  Change all(arena, codelet, static_cast<std::size_t>(-1));
  all(codelet.body);
  return all.count;
}

Mutant mutant(const Codelet &codelet, std::size_t number, Arena &arena) {
  Change change(arena, codelet, number);
  const Block *body = OwnCalls(arena)(change(codelet.body));
  return {arena.derive(&codelet,
                       [&](Codelet &copy) {
                         copy.body = body;
                         copy.name = fmt::format("{}-mutant-{}", codelet.name, number);
                         copy.tag = "";
                       }),
          change.what};
}

} // namespace tangram::mutation
