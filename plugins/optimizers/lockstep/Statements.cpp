// Statements, done for all lanes one after the other.
#include "Lanes.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"

namespace tangram::lockstep {

using namespace ast;

Lanes::Lanes(Arena &arena, Names &names, const Module &module, const Region &region, unsigned lanes, Known known)
    : arena_(arena), names_(names), module_(module), region_(region), u_(region), lanes_(lanes),
      known_(std::move(known)) {}

Lanes::Stmts Lanes::run(const Expr *first, const Type &laneType, const Expr *mask, Int alignment) {
  here_ = region_.body->range;
  if (!region_.cooperative && !region_.lane.empty())
    for (const std::string &variable : assignedVariables(region_.body))
      if (!u_.local(variable)) unsupported(region_.body, fmt::format("an assignment of '{}' from outside", variable));
  env_.clear();
  if (!region_.lane.empty())
    env_[region_.lane] = {Binding::Kind::Affine, "", b().cast(laneType, first), 1, true, nullptr};
  if (const auto *counter = dyn<VarRef>(first)) {
    alignments_[counter->name] = alignment;
    if (!counter->type.isSigned()) counters_.insert(counter->name);
  }
  mask_ = nullptr;
  guarded_ = false;
  prefixes_ = 0;
  jumping_.clear();
  return collect([&] {
    if (mask) mask_ = isa<VarRef>(mask) ? mask : constant("active", mask);
    block(region_.body);
  });
}

std::string Lanes::nameFor(const std::string &variable) {
  return written_.insert(variable).second ? variable : names_.fresh(variable);
}

void Lanes::block(const Block *block, std::size_t from) {
  for (std::size_t i = from; i < block->stmts.size(); ++i) {
    const Stmt *s = block->stmts[i];
    stmt(s);
    if (!u_.holdsPart(s) || i + 1 == block->stmts.size()) continue;
    // Some lanes have left; the others go on.
    const Expr *run = nullptr;
    for (const Jumping &owner : jumping_)
      if (!owner.isSwitch) run = owner.run;
    if (!run) failBug(s->range, "lockstep", "lanes leave a loop that does not know of it");
    const Expr *rest = mask_ == run || !mask_ ? run : constant("active", both(mask_, run));
    Stmts stmts = collect([&] { masked(rest, [&] { this->block(block, i + 1); }); });
    if (!stmts.empty()) emit(b().when(any(rest), std::move(stmts)));
    return;
  }
}

void Lanes::stmt(const Stmt *s) {
  if (s->range.valid()) here_ = s->range;
  switch (stmtKind(*s)) {
  case StmtKind::Block: {
    Stmts inner = collect([&] { block(as<Block>(s)); });
    if (!inner.empty()) emit(b().block(std::move(inner)));
    return;
  }
  case StmtKind::Declare: return declare(as<Declare>(s));
  case StmtKind::Alloc: return alloc(as<Alloc>(s));
  case StmtKind::Evaluate: return effect(as<Evaluate>(s)->expr);
  case StmtKind::If: return branch(as<If>(s));
  case StmtKind::For:
  case StmtKind::While:
  case StmtKind::DoWhile:
  case StmtKind::Loop: return loop(s);
  case StmtKind::Switch: return choose(as<Switch>(s));
  case StmtKind::Break:
  case StmtKind::Continue: return jump(s);
  case StmtKind::Sync: return; // lanes are in step
  case StmtKind::Return:
  case TANGRAM_LOWERED_STMTS: break;
  }
  unsupported(s, fmt::format("a {} within lanes", name(s->kind())));
}

void Lanes::effect(const Expr *e) {
  if (!u_.varying(e) && !(guarded_ && mask_)) {
    if (!region_.cooperative && contains<Call>(e) && hasEffects(e)) unsupported(e, "a call with effects");
    emit(arena_.make<Evaluate>(here_, uniform(e)));
    return;
  }
  if (const auto *a = dyn<Assign>(e)) return void(assign(a->target, a->op, a->value, Wants::Nothing));
  if (const auto *u = dyn<Unary>(e); u && (changesOperand(u->op))) return void(increment(u, Wants::Nothing));
  if (const auto *c = dyn<Binary>(e); c && c->op == BinaryOp::Comma) {
    effect(c->lhs);
    return effect(c->rhs);
  }
  if (const auto *a = dyn<Atomic>(e)) return void(atomic(a, false));
  (void)value(e);
}

void Lanes::declare(const Declare *d) {
  auto scalar = [&](const Expr *init) {
    std::string own = nameFor(d->name);
    std::vector<const Expr *> extents;
    for (const Expr *extent : d->extents) extents.push_back(uniform(extent));
    emit(arena_.derive(d, [&](Declare &copy) {
      copy.name = own;
      copy.shared = false; // by lanes that are one worker now
      copy.extents = std::move(extents);
      copy.init = init;
    }));
    env_[d->name] = {Binding::Kind::Scalar, own, nullptr, 0, false, nullptr};
  };
  if (!d->extents.empty()) {
    if (exchanges(d)) {
      std::string own = nameFor(d->name);
      emit(b().declare(own, vec(d->type), spread(b().zero(d->type)), false));
      env_[d->name] = {Binding::Kind::Exchange, own, nullptr, 0, false, nullptr};
      return;
    }
    if (!u_.isPrivate(d->name)) {
      scalar(d->init ? uniform(d->init) : nullptr);
      std::optional<Int> elements = d->extents.size() == 1 ? known_(d->extents[0]) : std::nullopt;
      if (elements && *elements < kFar) small_.insert(env_[d->name].name);
      return;
    }
    if (!d->type.isScalar()) unsupported(d, fmt::format("an array of {} in each lane", d->type.text()));
    const Expr *count = b().u64(lanes_);
    for (std::size_t i = d->extents.size(); i-- > 0;)
      count = b().mul(b().cast(Scalar::U64, uniform(d->extents[i])), count);
    std::string own = nameFor(d->name);
    emit(arena_.derive(d, [&](Declare &copy) {
      copy.name = own;
      copy.isConst = copy.shared = false;
      copy.extents = {count};
      copy.init = nullptr;
    }));
    env_[d->name] = {Binding::Kind::Private, own, nullptr, 0, false, nullptr};
    if (!d->init) return;
    const auto *list = dyn<InitList>(d->init);
    std::optional<Int> elements = d->extents.size() == 1 ? known_(d->extents[0]) : std::nullopt;
    if (!list || !elements || *elements > 64) unsupported(d, "an initialised array in each lane");
    const Expr *base = b().var(own, Type::pointer(d->type));
    for (Int i = 0; i < *elements; ++i) {
      bool given = static_cast<std::size_t>(i) < list->values.size();
      const Expr *element = given ? value(list->values[static_cast<std::size_t>(i)]) : b().zero(d->type);
      emit(arena_.make<VectorStore>(here_, base, b().u64(static_cast<std::uint64_t>(i) * lanes_), spread(element),
                                    nullptr));
    }
    return;
  }

  if (!u_.varying(d->name)) {
    const Expr *init = d->init ? value(d->init) : nullptr;
    return scalar(init ? oneLane(init) : nullptr);
  }
  if (d->type.isPointer()) {
    // Resolved where it is used; see placeOf.
    if (!u_.initialiser(d->name)) unsupported(d, "a pointer that moves differently in each lane");
    return;
  }
  if (!d->type.isScalar()) unsupported(d, fmt::format("a {} in each lane", d->type.text()));
  if (u_.fixed(d->name) && d->init && !hasEffects(d->init)) {
    if (std::optional<Affine> a = affine(d->init)) {
      bool simple = isa<IntLit>(a->base) || (isa<VarRef>(a->base) && u_.fixed(as<VarRef>(a->base)->name));
      const Expr *base = simple ? a->base : constant(d->name + "_0", a->base);
      if (!simple) {
        alignments_[as<VarRef>(base)->name] = alignmentOf(a->base);
        if (isNatural(a->base)) counters_.insert(as<VarRef>(base)->name);
      }
      env_[d->name] = {Binding::Kind::Affine, "", base, a->step, a->exact, nullptr};
      return;
    }
  }
  const Expr *init = d->init ? vector(d->init) : spread(b().zero(d->type));
  std::string own = nameFor(d->name);
  emit(b().declare(own, vec(d->type), init, u_.fixed(d->name)));
  env_[d->name] = {Binding::Kind::Vector, own, nullptr, 0, false, mask_};
}

void Lanes::alloc(const Alloc *a) {
  std::string own = nameFor(a->name);
  bool isPrivate = u_.isPrivate(a->name);
  if (isPrivate && !a->element.isScalar())
    unsupported(a, fmt::format("a container of {} in each lane", a->element.text()));
  std::vector<const Expr *> extents;
  for (const Expr *extent : a->extents) {
    if (u_.varying(extent)) unsupported(a, "a container whose size differs between lanes");
    extents.push_back(uniform(extent));
  }
  if (isPrivate) {
    const Expr *all = b().u64(lanes_);
    for (const Expr *extent : extents) all = b().mul(b().cast(Scalar::U64, extent), all);
    extents = {all};
  }
  emit(arena_.derive(a, [&](Alloc &copy) {
    copy.name = own;
    copy.extents = std::move(extents);
  }));
  env_[a->name] = {isPrivate ? Binding::Kind::Private : Binding::Kind::Scalar, own, nullptr, 0, false, nullptr};
}

void Lanes::branch(const If *node) {
  const Expr *cond = truth(node->cond);
  auto side = [&](const Block *body) {
    return collect([&] {
      if (body) block(body);
    });
  };
  if (!cond->type.isVector()) {
    Stmts then = side(node->then), otherwise = side(node->otherwise);
    emit(b().when(cond, std::move(then), std::move(otherwise)));
    return;
  }
  if (node->otherwise) cond = constant("taken", cond);
  auto forLanes = [&](const Expr *which, const Block *body) {
    const Expr *active = mask_ || !isa<VarRef>(which) ? constant("active", both(mask_, which)) : which;
    Stmts inside = masked(active, [&] { return side(body); });
    if (!inside.empty()) emit(b().when(any(active), std::move(inside)));
  };
  forLanes(cond, node->then);
  if (node->otherwise) forLanes(negate(cond), node->otherwise);
}

void Lanes::choose(const Switch *node) {
  if (u_.parts(node)) unsupported(node, "a switch that lanes leave at different times");
  const Expr *on = value(node->value);
  if (!on->type.isVector()) {
    std::vector<const Case *> cases;
    jumping_.push_back({node, nullptr, nullptr, true});
    for (const Case *c : node->cases) {
      Stmts body = collect([&] { block(c->body); });
      cases.push_back(arena_.derive(c, [&](Case &copy) { copy.body = b().block(std::move(body)); }));
    }
    jumping_.pop_back();
    emit(arena_.make<Switch>(here_, on, std::move(cases)));
    return;
  }
  // One case after the other, each for the lanes that it is for. None may fall through to the next.
  on = constant("on", on);
  Type type = on->type.element();
  const Expr *others = nullptr;
  auto matches = [&](const Case *c) {
    const Expr *any = nullptr;
    for (const Expr *label : c->labels) {
      const Expr *one = arithmetic(BinaryOp::Eq, on, spread(b().cast(type, label)), type);
      any = any ? arena_.make<Binary>(here_, maskType(), BinaryOp::Or, any, one) : one;
    }
    return any;
  };
  std::vector<const Expr *> which;
  for (const Case *c : node->cases) {
    const Expr *match = matches(c);
    if (match) match = constant("taken", match);
    if (match && !c->isDefault) others = both(others, negate(match));
    which.push_back(match);
  }
  for (std::size_t i = 0; i < node->cases.size(); ++i) {
    const Case *c = node->cases[i];
    const Expr *taken = c->isDefault ? others : which[i];
    Stmts inside;
    std::vector<const Stmt *> stmts = c->body->stmts;
    bool ends = !stmts.empty() && (isa<Break>(stmts.back()) || isa<Continue>(stmts.back()));
    if (!ends && i + 1 < node->cases.size()) unsupported(c, "a case that falls through to the next");
    if (!stmts.empty() && isa<Break>(stmts.back())) stmts.pop_back();
    // Any other break of this switch would have to leave it half-way.
    walk(c->body, [&](const Stmt &inner) {
      if (isa<For>(&inner) || isa<While>(&inner) || isa<DoWhile>(&inner) || isa<Loop>(&inner) || isa<Switch>(&inner))
        return WalkResult::Skip;
      if (isa<Break>(&inner) && &inner != (c->body->stmts.empty() ? nullptr : c->body->stmts.back()))
        unsupported(&inner, "a break in the middle of a case");
      return WalkResult::Advance;
    });
    const Expr *active = taken || mask_ ? constant("active", taken ? both(mask_, taken) : mask_) : nullptr;
    jumping_.push_back({node, nullptr, nullptr, true});
    const Block *body = b().block(stmts);
    masked(active, [&] { inside = collect([&] { block(body); }); });
    jumping_.pop_back();
    if (inside.empty()) continue;
    if (active)
      emit(b().when(any(active), std::move(inside)));
    else
      for (const Stmt *s : inside) emit(s);
  }
}

void Lanes::jump(const Stmt *s) {
  for (std::size_t i = jumping_.size(); i-- > 0;) {
    const Jumping &owner = jumping_[i];
    if (owner.isSwitch && isa<Continue>(s)) continue;
    if (owner.isSwitch || !u_.parts(owner.owner)) {
      emit(s);
      return;
    }
    const Expr *leaving = mask_;
    if (!leaving) failBug(s->range, "lockstep", "a jump of all lanes where some leave");
    if (leaving == owner.run) leaving = constant("leaving", owner.run);
    if (isa<Break>(s)) emit(b().assign(owner.live, both(owner.live, negate(leaving))));
    emit(b().assign(owner.run, both(owner.run, negate(leaving))));
    return;
  }
  unsupported(s, "a jump out of the lanes");
}

} // namespace tangram::lockstep
