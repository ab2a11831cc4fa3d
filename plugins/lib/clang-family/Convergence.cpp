#include "Convergence.h"

#include "Messages.h"

#include "tangram/ast/Kinds.h"
#include "tangram/ast/Uniformity.h"
#include "tangram/ast/Walk.h"

#include <optional>

namespace tangram::frontend {

using namespace ast;

namespace {

/// A walk over a body that knows where lanes have diverged.
class ConvergenceCheck {
public:
  ConvergenceCheck(const Block *body, const CallSites &sites)
      : sites_(sites), region_{body, kLane, true, ""}, lanes_(region_) {
    block(body, {});
  }

private:
  using Apart = std::optional<SourceRange>; // where lanes diverge

  [[noreturn]] void refuse(const CallSite &site, const char *what, const SourceRange &where) const {
    Diagnostic diagnostic = makeDiagnostic(kDivergentCall, site.call, fmt::format("{} '{}'", what, site.called));
    diagnostic.notes.push_back({where, "some lanes may not come here with the others"});
    for (const Block *from = site.from; from; from = sites_.at(from).from)
      diagnostic.notes.push_back(
          {sites_.at(from).call, fmt::format("in '{}', which is called here", sites_.at(from).called)});
    throw DiagnosticError(std::move(diagnostic));
  }

  void block(const Block *b, Apart apart) {
    if (!b) return;
    for (const Stmt *stmt : b->stmts) {
      statement(stmt, apart);
      if (!apart && lanes_.holdsPart(stmt)) apart = stmt->range;
    }
  }

  Apart inside(const Expr *cond, const Apart &apart) const {
    return apart || !cond || !lanes_.varying(cond) ? apart : Apart(cond->range);
  }

  /// That spectrums are called by all lanes, with the same arguments.
  void expression(const Expr *e, const Apart &apart) {
    if (!e || !contains<SpectrumCall>(e)) return;
    if (const auto *choice = dyn<Conditional>(e)) {
      expression(choice->cond, apart);
      expression(choice->then, inside(choice->cond, apart));
      return expression(choice->otherwise, inside(choice->cond, apart));
    }
    if (const auto *binary = dyn<Binary>(e)) {
      expression(binary->lhs, apart);
      bool logic = binary->op == BinaryOp::LogicalAnd || binary->op == BinaryOp::LogicalOr;
      return expression(binary->rhs, logic ? inside(binary->lhs, apart) : apart);
    }
    if (const auto *call = dyn<SpectrumCall>(e)) {
      if (apart || gone_) refuse({call->range, call->spectrum, nullptr}, "spectrum", apart ? *apart : *gone_);
      for (std::size_t i = 0; i < call->args.size(); ++i)
        if (!call->args[i]->type.isArray() && lanes_.varying(call->args[i]))
          fail(kVaryingArgument, call->args[i]->range, i + 1, call->spectrum);
    }
    for (const Node *child : children(*e))
      if (isa<Expr>(child)) expression(static_cast<const Expr *>(child), apart);
  }

  void statement(const Stmt *stmt, const Apart &apart) {
    if (!stmt) return;
    auto inside = [&](const Expr *cond) {
      expression(cond, apart);
      return this->inside(cond, apart);
    };
    auto loop = [&](const Stmt *init, const Expr *cond, const Block *body, const Expr *step = nullptr) {
      if (init) statement(init, apart);
      Apart within = inside(cond);
      if (!within && lanes_.divergent(stmt)) within = stmt->range;
      for (int round = 0; round < 2; ++round) { // lanes that return are gone in the next one
        expression(cond, within);
        block(body, within);
        expression(step, within);
      }
    };
    switch (stmtKind(*stmt)) {
    case StmtKind::Block: {
      const auto *b = as<Block>(stmt);
      auto site = sites_.find(b);
      if (site == sites_.end()) return block(b, apart);
      if (apart || gone_) refuse(site->second, "cooperative function", apart ? *apart : *gone_);
      return;
    }
    case StmtKind::Declare: return expression(as<Declare>(stmt)->init, apart);
    case StmtKind::Evaluate: return expression(as<Evaluate>(stmt)->expr, apart);
    case StmtKind::If:
      block(as<If>(stmt)->then, inside(as<If>(stmt)->cond));
      return block(as<If>(stmt)->otherwise, inside(as<If>(stmt)->cond));
    case StmtKind::For: return loop(as<For>(stmt)->init, as<For>(stmt)->cond, as<For>(stmt)->body, as<For>(stmt)->step);
    case StmtKind::While: return loop(nullptr, as<While>(stmt)->cond, as<While>(stmt)->body);
    case StmtKind::DoWhile: return loop(nullptr, as<DoWhile>(stmt)->cond, as<DoWhile>(stmt)->body);
    case StmtKind::Switch:
      for (const Case *c : as<Switch>(stmt)->cases) block(c->body, inside(as<Switch>(stmt)->value));
      return;
    case StmtKind::Return:
      expression(as<Return>(stmt)->value, apart);
      if (apart && !gone_) gone_ = apart;
      return;
    // Jumps, which Uniformity knows of, and what passes make.
    case StmtKind::Break:
    case StmtKind::Continue:
    case StmtKind::Loop:
    case StmtKind::Cooperate:
    case StmtKind::Sync:
    case StmtKind::View:
    case StmtKind::Alloc:
    case StmtKind::Launch:
    case StmtKind::Single:
    case StmtKind::Await:
    case StmtKind::Report:
    case StmtKind::VectorStore: return;
    }
  }

  const CallSites &sites_;
  Region region_;
  Uniformity lanes_;
  Apart gone_;
};

} // namespace

void checkConvergence(const Block *body, const CallSites &sites) { ConvergenceCheck(body, sites); }

} // namespace tangram::frontend
