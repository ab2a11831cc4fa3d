#include "tangram/ast/Effects.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Builtins.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::ast {
bool changesOperand(UnaryOp op) {
  return op == UnaryOp::PreInc || op == UnaryOp::PreDec || op == UnaryOp::PostInc || op == UnaryOp::PostDec;
}

namespace {

/// Arithmetic that is defined for all values.
bool definedForAll(const Type &type) {
  Type element = type.element();
  return element.isFloating() || !element.isSigned();
}

bool mayDivide(const Binary &e) {
  std::optional<Int> divisor = literal(e.rhs);
  if (const auto *all = dyn<Broadcast>(e.rhs)) divisor = literal(all->operand);
  return e.type.element().isFloating() || (divisor && *divisor != 0 && *divisor != -1);
}

bool isLoop(const Node &s) { return isa<For>(&s) || isa<While>(&s) || isa<DoWhile>(&s) || isa<Loop>(&s); }

/// The same with a `switch` around: only its `continue` is the loop's.
bool continues(const Block *body) {
  return !walk(body, [&](const Stmt &s) {
    if (isLoop(s)) return WalkResult::Skip;
    return isa<Continue>(&s) ? WalkResult::Stop : WalkResult::Advance;
  });
}

/// Of the node itself.
bool total(const Expr &e) {
  switch (exprKind(e)) {
  case ExprKind::IntLit:
  case ExprKind::FloatLit:
  case ExprKind::VarRef:
  case ExprKind::Conditional:
  case ExprKind::Size:
  case ExprKind::Pitch:
  case ExprKind::LaneIndex:
  case ExprKind::Broadcast:
  case ExprKind::VectorSelect:
  case ExprKind::VectorReduce: return true;
  case ExprKind::Unary: {
    UnaryOp op = as<Unary>(&e)->op;
    return op == UnaryOp::Not || op == UnaryOp::BitNot || (op == UnaryOp::Minus && definedForAll(e.type));
  }
  case ExprKind::Cast: return !as<Cast>(&e)->operand->type.element().isFloating() || e.type.element().isFloating();
  case ExprKind::Call:
    return isMathFunction(as<Call>(&e)->callee) && (!e.type.isInteger() || e.type.isBool()); // no abs(INT_MIN)
  case ExprKind::Binary:
    switch (as<Binary>(&e)->op) {
    case BinaryOp::Div:
    case BinaryOp::Rem: return mayDivide(*as<Binary>(&e));
    case BinaryOp::Shl:
    case BinaryOp::Shr: return false;
    case BinaryOp::Add:
    case BinaryOp::Sub:
    case BinaryOp::Mul: return definedForAll(e.type);
    default: return true;
    }
  case ExprKind::Assign:
  case ExprKind::Subscript:
  case ExprKind::Member:
  case ExprKind::InitList:
  case ExprKind::CoopIdx:
  case ExprKind::CoopDim:
  case ExprKind::Atomic:
  case ExprKind::VectorLoad:
  case ExprKind::VectorLane:
  case TANGRAM_LANGUAGE_EXPRS:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_CHECKED_EXPRS: break;
  }
  return false;
}

} // namespace

bool speculable(const Expr *expr) {
  return !any<Expr>(expr, [](const Expr &e) { return !total(e); });
}

bool hasEffects(const Expr *expr) {
  return any<Expr>(expr, [](const Expr &e) {
    if (const auto *unary = dyn<Unary>(&e)) return changesOperand(unary->op);
    if (const auto *call = dyn<Call>(&e)) return !isMathFunction(call->callee);
    return isa<Assign>(&e) || isa<Atomic>(&e) || isa<MatrixMultiply>(&e) || isa<SpectrumCall>(&e) || isa<Map>(&e);
  });
}

const VarRef *rootVariable(const Expr *place) {
  while (place) {
    if (const auto *variable = dyn<VarRef>(place)) return variable;
    if (const auto *member = dyn<Member>(place))
      place = member->base;
    else if (const auto *subscript = dyn<Subscript>(place))
      place = subscript->base;
    else
      return nullptr;
  }
  return nullptr;
}

bool jumpsOut(const Stmt *stmt) {
  return !walk(stmt, [&](const Stmt &s) {
    if (isLoop(s)) return WalkResult::Skip;
    if (const auto *choice = dyn<Switch>(&s)) { // its breaks are its own
      const auto &cases = choice->cases;
      bool jumps = std::any_of(cases.begin(), cases.end(), [](const Case *c) { return continues(c->body); });
      return jumps ? WalkResult::Stop : WalkResult::Skip;
    }
    return isa<Break>(&s) || isa<Continue>(&s) ? WalkResult::Stop : WalkResult::Advance;
  });
}

bool isStraightLine(const Block &body) {
  return walk(&body,
              [](const Stmt &s) {
                bool plain = isa<Block>(&s) || isa<Declare>(&s) || isa<Evaluate>(&s);
                return plain ? WalkResult::Advance : WalkResult::Stop;
              }) &&
         !contains<Call>(&body) && !contains<Atomic>(&body) && !contains<Conditional>(&body) &&
         !any<Declare>(&body, [](const Declare &d) { return !d.extents.empty(); });
}

std::set<std::string> assignedVariables(const Node *tree) {
  std::set<std::string> names;
  auto change = [&](const Expr *place) {
    while (const auto *member = dyn<Member>(place)) place = member->base;
    if (const auto *variable = dyn<VarRef>(place)) names.insert(variable->name);
  };
  walk(
      tree, [&](const Assign &n) { change(n.target); }, [&](const Atomic &n) { change(n.target); },
      [&](const MatrixMultiply &n) {
        for (const Expr *place : n.c) change(place);
      },
      [&](const Unary &n) {
        if (changesOperand(n.op) || n.op == UnaryOp::AddressOf) change(n.operand);
      },
      [&](const SpectrumCall &n) {
        if (!n.codelet) return;
        for (std::size_t i = 0; i < n.args.size() && i < n.codelet->params.size(); ++i) {
          const Param *param = n.codelet->params[i];
          if (param->access != Access::In && !param->type.isArray()) change(n.args[i]);
        }
      });
  return names;
}

} // namespace tangram::ast
