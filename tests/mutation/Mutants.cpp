#include "Mutants.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Mutator.h"

#include <fmt/format.h>

namespace tangram::mutation {

using namespace ast;

namespace {

/// Makes the change with the number `wanted`; counts all that there are.
class Change final : public Mutator {
public:
  Change(Arena &arena, std::size_t wanted) : Mutator(arena), wanted_(wanted) {}
  std::size_t count = 0;
  std::string what;

protected:
  const Node *mutateIntLit(const IntLit *node) override {
    if (node->type.isBool()) return node;
    for (Int by : {1, -1})
      if (due(node, fmt::format("{} became {}", node->value, node->value + by)))
        return arena().derive(node, [&](IntLit &copy) { copy.value += by; });
    return node;
  }
  const Node *mutateFloatLit(const FloatLit *node) override {
    double other = node->value == 0 ? 1e-3 : node->value * 1.001;
    if (due(node, fmt::format("{} became {}", node->value, other)))
      return arena().derive(node, [&](FloatLit &copy) { copy.value = other; });
    return node;
  }
  const Node *mutateBinary(const Binary *node) override {
    if (std::optional<BinaryOp> other = exchanged(node->op); other && due(node, becomes(node->op, *other)))
      return arena().derive(node, [&](Binary &copy) { copy.op = *other; });
    if (node->op == BinaryOp::Add || node->op == BinaryOp::Sub || node->op == BinaryOp::Mul) {
      if (due(node, fmt::format("the right operand of {} is missing", symbol(node->op)))) return node->lhs;
      if (node->op != BinaryOp::Sub && due(node, fmt::format("the left operand of {} is missing", symbol(node->op))))
        return node->rhs;
    }
    return rebuild(node);
  }
  const Node *mutateAssign(const Assign *node) override {
    if (node->op == AssignOp::Add && due(node, "+= became =")) return withOp(node, AssignOp::Set);
    if (node->op == AssignOp::Add && due(node, "+= became -=")) return withOp(node, AssignOp::Sub);
    if (node->op == AssignOp::Mul && due(node, "*= became +=")) return withOp(node, AssignOp::Add);
    return rebuild(node);
  }
  const Node *mutateConditional(const Conditional *node) override {
    if (due(node, "?: takes the first always")) return node->then;
    if (due(node, "?: takes the second always")) return node->otherwise;
    return rebuild(node);
  }
  const Node *mutateSubscript(const Subscript *node) override {
    if (node->indices.size() == 1 && node->indices[0]->type.isInteger() &&
        due(node, "the element before the one that is meant"))
      return arena().derive(node, [&](Subscript &copy) {
        Build b(arena(), node->range);
        Type type = node->indices[0]->type;
        copy.indices[0] = b.sub(node->indices[0], b.integer(type, 1));
      });
    return rebuild(node);
  }
  const Node *mutateEvaluate(const Evaluate *node) override {
    if (due(node, "the statement is missing")) return nullptr;
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
    return rebuild(node);
  }
  const Node *mutateDeclare(const Declare *node) override { return node->tunable ? node : rebuild(node); }

private:
  static std::optional<BinaryOp> exchanged(BinaryOp op) {
    switch (op) {
    case BinaryOp::Add: return BinaryOp::Sub;
    case BinaryOp::Sub: return BinaryOp::Add;
    case BinaryOp::Mul: return BinaryOp::Add;
    case BinaryOp::Lt: return BinaryOp::Le;
    case BinaryOp::Le: return BinaryOp::Lt;
    case BinaryOp::Gt: return BinaryOp::Ge;
    case BinaryOp::Ge: return BinaryOp::Gt;
    case BinaryOp::Eq: return BinaryOp::Ne;
    case BinaryOp::Ne: return BinaryOp::Eq;
    case BinaryOp::LogicalAnd: return BinaryOp::LogicalOr;
    case BinaryOp::LogicalOr: return BinaryOp::LogicalAnd;
    default: return std::nullopt;
    }
  }
  static std::string becomes(BinaryOp from, BinaryOp to) {
    return fmt::format("{} became {}", symbol(from), symbol(to));
  }
  const Node *withOp(const Assign *node, AssignOp op) {
    return arena().derive(node, [&](Assign &copy) { copy.op = op; });
  }
  bool due(const Node *node, const std::string &text) {
    if (count++ != wanted_) return false;
    what = node->range.valid()
               ? fmt::format("{}:{}:{}: {}", *node->range.file, node->range.line, node->range.column, text)
               : text;
    return true;
  }
  std::size_t wanted_;
};

} // namespace

std::vector<Mutant> mutantsOf(const Codelet &codelet, Arena &arena) {
  std::vector<Mutant> mutants;
  for (std::size_t i = 0;; ++i) {
    Change change(arena, i);
    const Block *body = change(codelet.body);
    if (i >= change.count) return mutants;
    std::string name = fmt::format("{}-mutant-{}", codelet.name, i);
    mutants.push_back({arena.derive(&codelet,
                                    [&](Codelet &copy) {
                                      copy.body = body;
                                      copy.name = name;
                                      copy.tag = "";
                                    }),
                       change.what});
  }
}

} // namespace tangram::mutation
