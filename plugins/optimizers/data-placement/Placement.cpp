#include "Exchange.h"
#include "Tables.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"
#include "tangram/hardware/Resources.h"

#include <algorithm>

namespace tangram::placement {

using namespace ast;

namespace {

constexpr DiagnosticKind kExtent{"data-placement.shared-extent", DiagnosticClass::User,
                                 "how long the __shared array '{}' is, is known only when the kernel runs",
                                 "make it a constant or a multiple of coopDim()"};

} // namespace

std::uint64_t Placement::copies(const std::string &level) const {
  if (level == levels_.group->name) return 1;
  if (levels_.subgroup(level)) return levels_.groupWorkers / levels_.workers(level);
  return 0;
}

std::optional<std::uint64_t> Placement::bytes(const Alloc &a) const {
  std::uint64_t bytes = std::max(1u, a.element.bytes());
  for (const Expr *extent : a.extents) {
    std::optional<Int> value = known_.value(extent);
    if (!value || *value < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(*value), &bytes)) return {};
  }
  return bytes;
}

void Placement::hold(const Alloc &a) {
  Build b(context_.arena, a.range);
  for (const Expr *extent : a.extents) {
    std::set<std::string> used;
    std::optional<Int> value = known_.value(extent, &used);
    const Expr *ofConstants = value && !used.empty() ? known_.overParameters(extent, context_.arena) : nullptr;
    if (!ofConstants) continue;
    const Expr *fits =
        b.binary(BinaryOp::Le, b.cast(Scalar::U64, ofConstants), b.u64(static_cast<std::uint64_t>(*value)));
    auto same = [&](const Expr *other) { return equal(other, fits); };
    if (std::none_of(conditions_.begin(), conditions_.end(), same)) conditions_.push_back(fits);
  }
}

std::uint64_t Placement::capacity(const hardware::Level &level, std::string_view memory) const {
  const hardware::Memory *m = level.memory(memory);
  return m ? m->bytes : 0;
}

/// __shared arrays become temporaries in front of the codelet that has them.
class Placement::Shared final : public Mutator {
public:
  Shared(Arena &arena, const KnownValues &known) : Mutator(arena), known_(known) {}

private:
  /// As it can be said in front of the codelet, where what that declares is not there.
  const Expr *outside(const Expr *extent, const Declare &array, const Cooperate *codelet) {
    const std::set<std::string> declared = declaredIn(codelet->body);
    if (!any<VarRef>(extent, [&](const VarRef &v) { return declared.count(v.name) != 0; })) return extent;
    const Expr *over = known_.overParameters(extent, arena());
    if (!over) fail(kExtent, array.range, array.name);
    return over;
  }
  const Node *mutateCooperate(const Cooperate *node) override {
    walk(node->body, [&](const Declare &d) {
      if (!d.shared) return;
      Build b(arena(), d.range);
      std::vector<const Expr *> extents;
      for (const Expr *extent : d.extents) extents.push_back(b.cast(Scalar::U64, outside(extent, d, node)));
      if (extents.empty()) extents.push_back(b.u64(1));
      emitBefore(arena().make<Alloc>(d.range, d.name, d.type, std::move(extents), node->level, "scratchpad"));
      if (d.extents.empty()) scalars_[d.name] = d.type;
    });
    const Node *result = rebuild(node);
    return result;
  }
  const Node *mutateDeclare(const Declare *d) override {
    if (!d->shared) return rebuild(d);
    if (!d->init) return nullptr;
    Build b(arena(), d->range);
    return b.assign(mutateAs(b.var(d->name, d->type)), mutateAs(d->init));
  }
  const Node *mutateVarRef(const VarRef *v) override {
    if (!scalars_.count(v->name)) return v;
    Build b(arena(), v->range);
    return b.element(b.var(v->name, Type::array(1, v->type)), {b.u64(0)}, v->type);
  }
  const KnownValues &known_;
  std::map<std::string, Type> scalars_;
};

class Placement::Decide final : public Mutator {
public:
  Decide(Placement &placement, Arena &arena) : Mutator(arena), p_(placement) {}

private:
  const Node *mutateAlloc(const Alloc *a) override {
    const bool shared = a->memory == "scratchpad";
    const Alloc *most = bounded(a);
    std::string memory = memoryFor(*most, shared);
    if (memory == "global")
      most = a; // as many as there are
    else
      p_.hold(*most);
    return arena().derive(most, [&](Alloc &copy) { copy.memory = std::move(memory); });
  }
  /// With extents that constants say, where these are bounds of them: what they are computed of may be declared further
  /// inside than they end up.
  const Alloc *bounded(const Alloc *a) {
    std::vector<const Expr *> extents;
    for (const Expr *extent : a->extents) {
      extents.push_back(p_.known_.upperBound(extent, arena()));
      if (!extents.back()) return a;
    }
    return arena().derive(a, [&](Alloc &copy) { copy.extents = std::move(extents); });
  }
  std::string memoryFor(const Alloc &a, bool shared) {
    std::optional<std::uint64_t> bytes = p_.bytes(a);
    std::uint64_t copies = p_.copies(a.level);
    if (!copies) {
      std::uint64_t registers = p_.capacity(*p_.levels_.worker, "registers");
      bool fits = bytes && *bytes <= (registers ? registers : 1024);
      return fits && !p_.atomic_.count(a.name) ? "registers" : "global"; // atomic operations are on memory
    }
    if (!bytes) {
      if (shared) fail(kExtent, a.range, a.name);
      return "global";
    }
    std::uint64_t capacity = p_.capacity(*p_.levels_.group, "scratchpad"), wanted = *bytes * copies;
    // Each begins where any type may.
    wanted = (wanted + 15) / 16 * 16;
    if (used_ + wanted <= capacity) {
      used_ += wanted;
      return "scratchpad";
    }
    if (shared)
      hardware::failDoesNotFit(
          a.range, fmt::format("the __shared array '{}' of level '{}', with all in the same launch,", a.name, a.level),
          used_ + wanted, "scratchpad", p_.context_.target.name, capacity, p_.kernel_.plan);
    return "global";
  }
  Placement &p_;
  std::uint64_t used_ = 0;
};

/// As many of a subgroup's arrays as can be in its lanes' registers, and fit there.
const Launch *Placement::exchanged(const Launch *launch) {
  std::uint64_t left = capacity(*levels_.worker, "registers");
  std::vector<const Alloc *> arrays;
  walk(launch->body, [&](const Alloc &a) {
    if (const hardware::Level *level = levels_.subgroup(a.level); level && level->shuffle) arrays.push_back(&a);
  });
  for (const Alloc *array : arrays) {
    std::uint64_t wanted = array->element.bytes();
    if (wanted > left) continue;
    if (const Launch *without = exchange(context_.arena, names_, levels_, known_, launch, *array, frozen_)) {
      launch = without;
      left -= wanted;
    }
  }
  return launch;
}

const Launch *Placement::run(const Launch *launch) {
  levels_ = levels_.ofGroups(launch->threads);
  for (const Storage::Access &access : context_.analyses.of<Storage>(kernel_).accesses(launch))
    if (access.atomic) atomic_.insert(access.buffer);
  launch = tablesFirst(context_.arena, levels_, known_, launch);
  const Launch *result = Shared(context_.arena, known_)(launch);
  if (exchanges_) result = exchanged(result);
  return Decide(*this, context_.arena)(result);
}

} // namespace tangram::placement
