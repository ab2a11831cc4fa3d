#include "tangram/compose/Cloner.h"

#include "TunableRanges.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Requirement.h"
#include "tangram/compose/Sizes.h"
#include "tangram/diag/Diagnostic.h"

#include <fmt/format.h>

namespace tangram {

using namespace ast;

namespace {

const Codelet *findCodelet(const Spectrum &spectrum, const std::string &name) {
  for (const Codelet *codelet : spectrum.codelets)
    if (codelet->name == name) return codelet;
  return nullptr;
}

class Cloner {
public:
  Cloner(const Module &module, const hardware::Hardware &hardware, const Facts &facts, Arena &arena)
      : module_(module), hardware_(hardware), facts_(facts), arena_(arena) {}

  const Kernel *kernel(const ClonedKernel &wanted) {
    const Plan &plan = *wanted.plan;
    const Spectrum *spectrum = findSpectrum(module_, plan.spectrum);
    if (!spectrum) failBug({}, "cloner", fmt::format("no spectrum '{}'", plan.spectrum));
    SourceRange range = spectrum->range;
    std::vector<const Expr *> args;
    for (const Param *param : spectrum->params)
      args.push_back(arena_.make<VarRef>(param->range, param->type, param->name));
    const SpectrumCall *unspecialised = arena_.make<SpectrumCall>(
        range, spectrum->result, spectrum->name, std::move(args), std::string(), Texts{}, Counts{}, Capability::None,
        static_cast<const Codelet *>(nullptr), std::vector<const Expr *>{}, static_cast<const SpectrumCall *>(nullptr));
    auto composed = [&](const Plan &one) {
      ranges_ = std::make_unique<TunableRanges>(one, module_, hardware_);
      const SpectrumCall *call = specialise(unspecialised, one.root);
      const Stmt *stmt = spectrum->result.isVoid() ? static_cast<const Stmt *>(arena_.make<Evaluate>(range, call))
                                                   : arena_.make<Return>(range, call);
      return arena_.make<Block>(range, std::vector<const Stmt *>{stmt});
    };
    const std::vector<Plan> plans = plansOf(plan);
    const Block *body = composed(plans.back());
    for (std::size_t i = plan.cases.size(); i-- > 0;) {
      const Expr *when = expressionOf(plan.cases[i].when, *spectrum, arena_);
      const Stmt *either = arena_.make<If>(range, when, composed(plans[i]), body);
      body = arena_.make<Block>(range, std::vector<const Stmt *>{either});
    }
    return arena_.make<Kernel>(range, wanted.name, spectrum->name, key(plan), spectrum->result, spectrum->params,
                               spectrum->conditions, std::vector<const Param *>{}, std::vector<const Expr *>{}, body);
  }

  /// `call` with the choice of `plan` written into it.
  const SpectrumCall *specialise(const SpectrumCall *call, PlanPtr plan) {
    std::string level = plan->level;
    Texts devolved;
    Counts units;
    while (plan->rule == Rule::Devolve) {
      if (plan->children.size() != 1) failBug(call->range, "cloner", "a 'devolve' has not one child");
      devolved.push_back(plan->to);
      units.merge(unitsOf(*plan));
      plan = plan->children[0];
    }
    if (plan->rule != Rule::Select || plan->spectrum != call->spectrum)
      failBug(
          call->range, "cloner",
          fmt::format("the plan has '{} of {}' for a call of '{}'", name(plan->rule), plan->spectrum, call->spectrum));
    const Spectrum *spectrum = findSpectrum(module_, call->spectrum);
    const Codelet *codelet = spectrum ? findCodelet(*spectrum, plan->codelet) : nullptr;
    if (!codelet)
      failBug(call->range, "cloner", fmt::format("'{}' has no codelet '{}'", call->spectrum, plan->codelet));

    const Codelet *copy = specialise(codelet, *plan);
    std::vector<const Expr *> guard;
    const SpectrumCall *fallback = nullptr;
    if (plan->guarded) guard = requirements(*codelet, arena_);
    if (!guard.empty()) fallback = specialise(call, plan->children.back());
    Capability capability = plan->capability;
    if (auto match = facts_.matches.find({codelet, plan->level}); match != facts_.matches.end())
      capability = match->second.capability;
    return arena_.derive(call, [&](SpectrumCall &c) {
      c.level = std::move(level);
      c.devolved = std::move(devolved);
      c.units = std::move(units);
      c.capability = capability;
      c.codelet = copy;
      c.guard = std::move(guard);
      c.fallback = fallback;
    });
  }

  const Map *specialise(const Map *map, const PlanNode &plan) {
    if (plan.children.size() != 1 || plan.spectrum != map->spectrum)
      failBug(map->range, "cloner", fmt::format("the plan does not fit the map of '{}'", map->spectrum));
    Policy policy = Policy::None;
    const Expr *factor = nullptr, *grain = nullptr;
    const Map *inner = nullptr;
    const SpectrumCall *call = nullptr;
    switch (plan.rule) {
    case Rule::Distribute: {
      const hardware::Level *level = hardware_.find(plan.level);
      // Workers that are iterations of an unrolled loop (section 5.4).
      policy = level && hardware::areIterations(level->sync) ? Policy::Unroll : Policy::Distribute;
      break;
    }
    case Rule::Serialize: policy = Policy::Serialize; break;
    case Rule::Split: policy = Policy::Split; break;
    default: failBug(map->range, "cloner", fmt::format("'{}' is no rule of a map", name(plan.rule)));
    }
    if (plan.rule == Rule::Split) {
      auto it = plan.parameters.find("factor");
      if (it == plan.parameters.end()) failBug(map->range, "cloner", "a 'split' has no factor");
      factor = arena_.make<IntLit>(map->range, Scalar::U64, it->second);
      if (const Chunks chunks(plan.parameters); chunks.grain > 1)
        grain = arena_.make<IntLit>(map->range, Scalar::U64, static_cast<std::int64_t>(chunks.grain));
      inner = specialise(map, *plan.children[0]);
    } else {
      call = specialise(element(map), plan.children[0]);
    }
    return arena_.derive(map, [&](Map &m) {
      m.policy = policy;
      m.level = plan.level;
      m.units = unitsOf(plan);
      m.factor = factor;
      m.grain = grain;
      m.inner = inner;
      m.call = call;
    });
  }

private:
  /// The call that a map makes of one element. It has the map's arguments; the loop that a map becomes takes the
  /// element out of those that are mapped over.
  const SpectrumCall *element(const Map *map) {
    const Spectrum *spectrum = findSpectrum(module_, map->spectrum);
    if (!spectrum) failBug(map->range, "cloner", fmt::format("no spectrum '{}'", map->spectrum));
    return arena_.make<SpectrumCall>(map->range, spectrum->result, map->spectrum, std::vector<const Expr *>{},
                                     std::string(), Texts{}, Counts{}, Capability::None,
                                     static_cast<const Codelet *>(nullptr), std::vector<const Expr *>{},
                                     static_cast<const SpectrumCall *>(nullptr));
  }

  const Codelet *specialise(const Codelet *codelet, const PlanNode &plan);
  friend class BodyCloner;

  const Module &module_;
  const hardware::Hardware &hardware_;
  const Facts &facts_;
  Arena &arena_;
  std::unique_ptr<TunableRanges> ranges_; // of the plan at hand
};

/// Copies a codelet's body with its sites specialised by the children of a `select`.
class BodyCloner final : public Mutator {
public:
  BodyCloner(Cloner &cloner, Arena &arena, const Codelet &codelet, const PlanNode &plan)
      : Mutator(arena), cloner_(cloner), plan_(plan) {
    std::vector<const Expr *> order = sites(codelet);
    if (order.size() + (plan.guarded ? 1 : 0) != plan.children.size())
      failBug(codelet.range, "cloner",
              fmt::format("the plan composes {} sites of codelet '{}', which has {}",
                          plan.children.size() - (plan.guarded ? 1 : 0), codelet.name, order.size()));
    for (std::size_t i = 0; i < order.size(); ++i) choice_[order[i]] = plan.children[i];
  }

private:
  const Node *mutateSpectrumCall(const SpectrumCall *node) override {
    return cloner_.specialise(rebuild(node), choice_.at(node));
  }
  const Node *mutateMap(const Map *node) override { return cloner_.specialise(rebuild(node), *choice_.at(node)); }
  const Node *mutateDeclare(const Declare *node) override {
    const Declare *copy = rebuild(node);
    auto value = plan_.parameters.find(node->name);
    if (!node->tunable || value == plan_.parameters.end()) return copy;
    const Tunable *narrowed = cloner_.ranges_->narrowed(plan_, *node, arena());
    return arena().derive(copy, [&](Declare &d) {
      d.init = arena().make<IntLit>(node->range, node->type, value->second);
      if (narrowed) d.tunable = narrowed;
    });
  }

  Cloner &cloner_;
  const PlanNode &plan_;
  std::map<const Expr *, PlanPtr> choice_;
};

const Codelet *Cloner::specialise(const Codelet *codelet, const PlanNode &plan) {
  const Block *body = BodyCloner(*this, arena_, *codelet, plan)(codelet->body);
  return arena_.derive(codelet, [&](Codelet &c) { c.body = body; });
}

} // namespace

const Module *clone(const Module &module, const hardware::Hardware &hardware, const Facts &facts,
                    const std::vector<ClonedKernel> &kernels, Arena &arena) {
  Cloner cloner(module, hardware, facts, arena);
  std::vector<const Kernel *> made;
  for (const ClonedKernel &kernel : kernels) made.push_back(cloner.kernel(kernel));
  return arena.derive(&module, [&](Module &m) { m.kernels = std::move(made); });
}

} // namespace tangram
