#include "tangram/loops/Sums.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/loops/Counted.h"
#include "tangram/loops/Loads.h"

#include <algorithm>

namespace tangram::loops {

using namespace ast;

namespace {

constexpr std::size_t kMostTerms = 24;
constexpr Int kMostCoefficient = Int{1} << 40;

/// Nothing that a loop's body could change, or that only its condition keeps from a division by zero.
bool ofVariables(const Expr *e) {
  return !any<Expr>(e, [](const Expr &part) {
    switch (exprKind(part)) {
    case ExprKind::IntLit:
    case ExprKind::VarRef:
    case ExprKind::Cast:
    case ExprKind::Conditional:
    case ExprKind::WorkerIndex:
    case ExprKind::WorkerCount: return false;
    case ExprKind::Binary: {
      const auto &b = *as<Binary>(&part);
      const bool divides = b.op == BinaryOp::Div || b.op == BinaryOp::Rem;
      return divides && literal(b.rhs).value_or(0) <= 0;
    }
    case ExprKind::Unary: return hasEffects(&part) || as<Unary>(&part)->op == UnaryOp::Deref;
    case ExprKind::FloatLit:
    case ExprKind::Assign:
    case ExprKind::Call:
    case ExprKind::Subscript:
    case ExprKind::Member:
    case ExprKind::InitList:
    case ExprKind::Size:
    case ExprKind::Pitch:
    case ExprKind::CoopIdx:
    case ExprKind::CoopDim:
    case ExprKind::Atomic:
    case ExprKind::Aligned:
    case ExprKind::Shuffle:
    case ExprKind::MatrixMultiply:
    case ExprKind::Transfer:
    case TANGRAM_LANGUAGE_EXPRS:
    case TANGRAM_CHECKED_EXPRS:
    case TANGRAM_VECTOR_EXPRS: break;
    }
    return true;
  });
}

} // namespace

Sums::Sums(Arena &arena, const Loop &loop, const Copies &copies)
    : arena_(arena), loop_(loop), copies_(copies), inside_(declaredIn(loop.body)) {
  factors_.push_back(Build(arena, loop.range).var(loop.var, loop.varType));
  const std::set<std::string> assigned = assignedVariables(loop.body);
  walk(loop.body, [&](const Declare &d) {
    if (d.init && d.extents.empty() && !assigned.count(d.name)) constants_[d.name] = d.init;
  });
  walk(loop.body, [&](const Stmt &s) {
    const std::optional<Counted> inner = isLoop(s) ? counted(arena, &s) : std::nullopt;
    if (!inner || !inner->begin) return;
    const std::optional<Int> begin = literal(inner->begin), end = literal(inner->end), step = literal(inner->step);
    if (!begin || !end || step.value_or(0) <= 0 || *begin >= *end || *end - *begin > kMostCoefficient) return;
    counters_[inner->variable] = {*begin, *end - 1 - (*end - 1 - *begin) % *step};
  });
}

const Sums::Counter *Sums::counter(unsigned factor) const {
  const auto *v = factor == kIteration ? nullptr : dyn<VarRef>(factors_[factor]);
  auto found = v ? counters_.find(v->name) : counters_.end();
  return found == counters_.end() ? nullptr : &found->second;
}

const std::string &Sums::variable(unsigned factor) const { return as<VarRef>(factors_[factor])->name; }

void Sums::becomes(const std::string &variable, const Expr *init) {
  if (auto found = constants_.find(variable); found != constants_.end()) found->second = init;
}

const Expr *Sums::initialiser(const std::string &variable) const {
  auto found = constants_.find(variable);
  return found == constants_.end() ? nullptr : found->second;
}

Int Sums::coefficient(const Sum &sum, const Product &product) {
  auto found = sum.find(product);
  return found == sum.end() ? 0 : found->second;
}

void Sums::add(Sum &to, const Sum &sum, Int times) {
  for (const auto &[product, coefficient] : sum)
    if ((to[product] += coefficient * times) == 0) to.erase(product);
}

std::optional<Sums::Sum> Sums::product(const Sum &a, const Sum &b) const {
  Sum result;
  for (const auto &[left, c] : a)
    for (const auto &[right, d] : b) {
      Product both = left;
      both.insert(both.end(), right.begin(), right.end());
      std::sort(both.begin(), both.end());
      Int &sum = result[both];
      if (std::abs(c) > kMostCoefficient / std::max<Int>(1, std::abs(d))) return {};
      if ((sum += c * d) == 0) result.erase(both);
    }
  if (result.size() > kMostTerms) return {};
  return result;
}

Sums::Sum Sums::factor(const Expr *e) {
  auto same = std::find_if(factors_.begin(), factors_.end(), [&](const Expr *f) { return equal(f, e); });
  auto number = static_cast<unsigned>(same - factors_.begin());
  if (same == factors_.end()) factors_.push_back(e);
  return {{{number}, 1}};
}

std::optional<Sums::Sum> Sums::of(const Expr *e) {
  if (!e->type.isInteger() || e->type.isBool()) return {};
  if (const std::optional<Int> value = literal(e)) {
    if (std::abs(*value) > kMostCoefficient) return {};
    return *value ? Sum{{{}, *value}} : Sum{};
  }
  const bool differs = copies_.differs(e);
  if (const auto *v = dyn<VarRef>(e)) {
    const std::string &name = v->name;
    if (name == loop_.var) return Sum{{{kIteration}, 1}};
    const Expr *init = initialiser(name);
    if (init && (differs || isa<Binary>(init))) return of(init);
    if (differs) return {};
    return factor(e);
  }
  const auto *cast = dyn<Cast>(e);
  if (cast && differs && cast->operand->type.isInteger() && !cast->operand->type.isBool()) {
    const Expr *from = cast->operand;
    std::optional<Sum> sum = of(from);
    if (!sum) return {};
    const bool same = e->type.bytes() == from->type.bytes() && from->type.bytes() == 8;
    const bool wider = e->type.bytes() > from->type.bytes() && from->type.isSigned() && from->type.bytes() >= 4;
    const bool known = std::any_of(exact_.begin(), exact_.end(), [&](const auto &x) { return equal(x.first, e); });
    if (same || wider || known) return sum;
    // Whether it does must be known before an inner loop.
    const bool told = outside(e, factors_[kIteration]) && std::all_of(sum->begin(), sum->end(), [&](const auto &term) {
                        return term.first == Product{kIteration} || invariant(term.first);
                      });
    if (!told) return {};
    exact_.emplace_back(e, *sum);
    return sum;
  }
  const auto *binary = dyn<Binary>(e);
  const BinaryOp op = binary ? binary->op : BinaryOp::Comma;
  const bool isSum = op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul;
  if (isSum && (differs || e->type.bytes() >= 8)) { // as a factor a narrow one is what it is, wrapped or not
    std::optional<Sum> left = of(binary->lhs), right = of(binary->rhs);
    if (!left || !right) return {};
    if (op == BinaryOp::Mul) return product(*left, *right);
    add(*left, *right, op == BinaryOp::Add ? 1 : -1);
    if (left->size() > kMostTerms) return {};
    return left;
  }
  if (differs || !ofVariables(e)) return {};
  return factor(e);
}

const Expr *Sums::written(const Product &product, const Expr *iteration) const {
  Build b(arena_, loop_.range);
  const Expr *result = nullptr;
  for (unsigned number : product) {
    const Expr *next = number == kIteration ? iteration : b.cast(Scalar::U64, factors_[number]);
    result = result ? b.mul(result, next) : next;
  }
  return result ? result : b.u64(1);
}

const Expr *Sums::written(const Sum &sum, const Expr *iteration) const {
  Build b(arena_, loop_.range);
  const Expr *result = nullptr;
  for (bool positive : {true, false}) // what is taken away comes last
    for (const auto &[product, coefficient] : sum) {
      if ((coefficient > 0) != positive) continue;
      const Expr *times = b.u64(static_cast<std::uint64_t>(std::abs(coefficient)));
      const Expr *term = product.empty() ? times : b.mul(written(product, iteration), times);
      result = positive ? (result ? b.add(result, term) : term) : b.sub(result ? result : b.u64(0), term);
    }
  return result ? result : b.u64(0);
}

bool Sums::invariant(unsigned factor) const {
  return factor != kIteration && !any<VarRef>(factors_[factor], [&](const VarRef &v) {
           return inside_.count(v.name) != 0 || v.name == loop_.var;
         });
}

bool Sums::invariant(const Product &product) const {
  return std::all_of(product.begin(), product.end(), [&](unsigned factor) { return invariant(factor); });
}

const Expr *Sums::outside(const Expr *e, const Expr *iteration, const Values &counters) const {
  bool known = true;
  std::function<const Expr *(const VarRef *)> replace = [&](const VarRef *v) -> const Expr * {
    if (v->name == loop_.var) return Build(arena_, v->range).cast(loop_.varType, iteration);
    if (auto number = counters.find(v->name); number != counters.end())
      return Build(arena_, v->range).integer(v->type, number->second);
    if (!inside_.count(v->name)) return v;
    const Expr *init = initialiser(v->name);
    known = known && init && ofVariables(init);
    return known ? substituted(arena_, init, replace) : v;
  };
  const Expr *result = ofVariables(e) ? substituted(arena_, e, replace) : nullptr;
  return known ? result : nullptr;
}

} // namespace tangram::loops
