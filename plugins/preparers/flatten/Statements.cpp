#include "Flattener.h"

#include "tangram/ast/Kinds.h"
#include "tangram/ast/Shapes.h"
#include "tangram/ast/Walk.h"

namespace tangram::flatten {

using namespace ast;

namespace {
constexpr DiagnosticKind kEmptyContainer{"flatten.empty-container", DiagnosticClass::Limitation,
                                         "container '{}' has neither a value nor a size",
                                         "initialise it with a map, a partition or another container"};

/// Whether a `continue` of this very loop stands in its body.
bool continues(const Block *body) {
  bool found = false;
  walk(
      body, [](const For &) { return WalkResult::Skip; }, [](const While &) { return WalkResult::Skip; },
      [](const DoWhile &) { return WalkResult::Skip; }, [](const Codelet &) { return WalkResult::Skip; },
      [&](const Continue &) { found = true; });
  return found;
}
} // namespace

Stmts Flattener::collect(const std::function<void()> &inside, bool conditional) {
  Stmts stmts;
  Stmts *outer = std::exchange(out_, &stmts);
  const Expr *outerReached = std::exchange(reached_, conditional ? nullptr : reached_);
  SourceRange outerHere = here_;
  inside();
  here_ = outerHere;
  out_ = outer;
  reached_ = outerReached;
  return stmts;
}

const Block *Flattener::block(const Block *body) {
  return arena_.make<Block>(body->range, collect([&] { statements(body->stmts); }));
}

void Flattener::statements(const Stmts &stmts) {
  for (const Stmt *stmt : stmts) statement(stmt);
}

void Flattener::statement(const Stmt *stmt) {
  here_ = stmt->range;
  switch (stmtKind(*stmt)) {
  case StmtKind::Block: {
    Stmts inner = collect([&] { statements(as<Block>(stmt)->stmts); }, false);
    return emit(arena_.make<Block>(stmt->range, std::move(inner)));
  }
  case StmtKind::Declare: return declare(as<Declare>(stmt));
  case StmtKind::Evaluate: return effect(as<Evaluate>(stmt)->expr);
  case StmtKind::If: {
    const auto *branch = as<If>(stmt);
    const Expr *cond = expr(branch->cond);
    const Block *then = block(branch->then), *otherwise = branch->otherwise ? block(branch->otherwise) : nullptr;
    return emit(arena_.make<If>(stmt->range, cond, then, otherwise));
  }
  case StmtKind::For: return forLoop(as<For>(stmt));
  case StmtKind::While: return whileLoop(as<While>(stmt));
  case StmtKind::DoWhile: return doWhileLoop(as<DoWhile>(stmt));
  case StmtKind::Switch: {
    const auto *choice = as<Switch>(stmt);
    const Expr *value = expr(choice->value);
    std::vector<const Case *> cases;
    for (const Case *c : choice->cases)
      cases.push_back(arena_.derive(c, [&](Case &copy) {
        for (const Expr *&label : copy.labels) label = renamed(label);
        copy.body = block(c->body);
      }));
    return emit(arena_.make<Switch>(stmt->range, value, std::move(cases)));
  }
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Sync: return emit(stmt);
  case StmtKind::Await: return emit(arena_.make<Await>(stmt->range, expr(as<Await>(stmt)->pending)));
  case StmtKind::Return:
  case StmtKind::Loop:
  case StmtKind::Cooperate:
  case StmtKind::View:
  case StmtKind::Alloc:
  case StmtKind::Launch:
  case StmtKind::Single:
  case StmtKind::Report:
  case StmtKind::VectorStore: break;
  }
  failBug(stmt->range, "flatten", fmt::format("a {} cannot stand in a composed kernel", name(stmt->kind())));
}

void Flattener::declare(const Declare *stmt) {
  bool assigned = scope_->assigned.count(stmt->name) != 0;
  if (stmt->type.isArray()) {
    Container c;
    std::vector<const Expr *> extents = operands(stmt->extents);
    for (const Expr *&extent : extents) extent = simple(b().cast(Scalar::U64, extent), "extent");
    if (isReshaped(*stmt)) {
      c = reshaped(container(stmt->init, stmt->name), stmt->type, std::move(extents), stmt->name);
    } else if (stmt->init) {
      c = container(stmt->init, stmt->name);
    } else if (!extents.empty()) {
      c = temporary(named(stmt->name), stmt->type.element(), std::move(extents));
    } else {
      fail(kEmptyContainer, stmt->range, stmt->name);
    }
    c.isConst |= stmt->isConst;
    scope_->bindings[stmt->name] = {nullptr, std::make_shared<Container>(std::move(c))};
    return;
  }

  std::vector<const Expr *> extents = operands(stmt->extents);
  const Expr *init = expr(stmt->init);
  bool keeps = !assigned && stmt->extents.empty() && init;
  bool alias = isa<IntLit>(init) || isa<FloatLit>(init) || isa<VarRef>(init);
  if (keeps && !stmt->shared && alias && isStable(init) && init->type == stmt->type) {
    scope_->bindings[stmt->name] = {init, nullptr};
    return;
  }
  std::string name = named(stmt->name);
  if (keeps) {
    stable_.insert(name);
    constants_[name] = init;
  }
  scope_->bindings[stmt->name] = {b().var(name, stmt->type), nullptr};
  emit(arena_.derive(stmt, [&](Declare &copy) {
    copy.name = name;
    copy.extents = std::move(extents);
    copy.init = init;
  }));
}

void Flattener::breakUnless(const Expr *cond) {
  emit(b().when(b().logicalNot(b().cast(Scalar::Bool, cond)), {arena_.make<Break>(here_)}));
}

void Flattener::forLoop(const For *loop) {
  // Names are unique, so that what the initialisation needs may stand in front of the loop.
  const Stmt *init = nullptr;
  Stmts before = collect(
      [&] {
        if (const auto *several = dyn<Block>(loop->init))
          statements(several->stmts);
        else if (loop->init)
          statement(loop->init);
      },
      false);
  if (!before.empty() && (isa<Declare>(before.back()) || isa<Evaluate>(before.back()))) {
    init = before.back();
    before.pop_back();
  }
  for (const Stmt *stmt : before) emit(stmt);

  bool late = loop->cond && hoists(loop->cond), stepLate = loop->step && hoists(loop->step);
  if (!late && !stepLate) {
    const Expr *cond = loop->cond ? renamed(loop->cond) : nullptr, *step = loop->step ? renamed(loop->step) : nullptr;
    const Block *body = block(loop->body);
    return emit(arena_.derive(
        loop, [&](For &copy) { copy.init = init, copy.cond = cond, copy.step = step, copy.body = body; }));
  }

  // A step that needs code runs behind the body, or, where `continue` must come to it, in front of all but the first.
  bool first = stepLate && continues(loop->body);
  if (first && init) emit(std::exchange(init, nullptr));
  const Expr *notFirst = first ? variable(named("again"), Scalar::Bool, b().boolean(false)) : nullptr;
  const Expr *step = nullptr;
  Stmts body = collect([&] {
    if (first) {
      emit(b().when(notFirst, collect([&] { effect(loop->step); })));
      emit(b().assign(notFirst, b().boolean(true)));
    }
    if (loop->cond) breakUnless(expr(loop->cond));
    if (stepLate && !first) {
      emit(block(loop->body));
      effect(loop->step);
    } else {
      statements(loop->body->stmts);
    }
  });
  if (loop->step && !stepLate) step = renamed(loop->step);
  emit(arena_.make<For>(loop->range, init, static_cast<const Expr *>(nullptr), step, b().block(std::move(body))));
}

void Flattener::whileLoop(const While *loop) {
  if (!hoists(loop->cond)) {
    const Expr *cond = renamed(loop->cond);
    return emit(arena_.make<While>(loop->range, cond, block(loop->body)));
  }
  Stmts body = collect([&] {
    breakUnless(expr(loop->cond));
    statements(loop->body->stmts);
  });
  emit(arena_.make<While>(loop->range, b().boolean(true), b().block(std::move(body))));
}

void Flattener::doWhileLoop(const DoWhile *loop) {
  if (!hoists(loop->cond)) {
    const Block *body = block(loop->body);
    return emit(arena_.make<DoWhile>(loop->range, body, renamed(loop->cond)));
  }
  const Expr *again = continues(loop->body) ? variable(named("again"), Scalar::Bool, b().boolean(false)) : nullptr;
  Stmts body = collect([&] {
    auto test = [&] { breakUnless(expr(loop->cond)); };
    if (again) {
      emit(b().when(again, collect(test)));
      emit(b().assign(again, b().boolean(true)));
    }
    if (again) return statements(loop->body->stmts);
    emit(block(loop->body));
    test();
  });
  emit(arena_.make<While>(loop->range, b().boolean(true), b().block(std::move(body))));
}

} // namespace tangram::flatten
