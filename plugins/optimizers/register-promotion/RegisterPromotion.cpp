#include "RegisterPromotion.h"
#include "Sections.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Uniformity.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::promotion {

using namespace ast;

namespace {

constexpr unsigned kRegister = 4; // bytes

/// Whether an index counts by more than one from lane to lane.
bool strides(const Expr *index, const Uniformity &lanes) {
  return any<Expr>(index, [&](const Expr &e) {
    if (const auto *product = dyn<Binary>(&e); product && product->op == BinaryOp::Mul) return lanes.varying(product);
    const auto *variable = dyn<VarRef>(&e);
    const Expr *value = variable ? lanes.initialiser(variable->name) : nullptr;
    return value && strides(value, lanes);
  });
}

/// Whether lanes read elements that do not lie side by side, each of its own.
bool liesApart(const Subscript &read, const Uniformity &lanes) {
  const Expr *last = read.indices.back();
  if (lanes.varying(last)) return strides(last, lanes);
  return std::any_of(read.indices.begin(), read.indices.end(), [&](const Expr *i) { return lanes.varying(i); });
}

class Promotion final : public Mutator {
public:
  Promotion(PassContext &context, const Kernel &kernel, std::uint64_t registers)
      : Mutator(context.arena), hardware_(context.target.hardware),
        sections_(context.arena, context.analyses.of<Storage>(kernel), context.analyses.of<KnownValues>(kernel)),
        registers_(registers) {
    names_.reserveAll(&kernel);
  }
  const Kernel *run(const Kernel *kernel) { return freeze(arena(), mutateAs(kernel), sections_.frozen()); }

private:
  const Node *mutateLaunch(const Launch *launch) override {
    launched_ = true;
    const Node *result = rebuild(launch);
    launched_ = false;
    return result;
  }
  const Node *mutateLoop(const Loop *loop) override {
    const hardware::Level *level = hardware_.find(loop->level);
    if (lanes_ || !level || level->sync != hardware::SyncKind::LockStep || loop->policy != Policy::Distribute)
      return promoted(loop);
    const Region region{loop->body, loop->var, false, loop->level};
    const Uniformity lanes(region);
    lanes_ = &lanes;
    const Node *result = rebuild(loop);
    lanes_ = nullptr;
    return result;
  }
  const Node *mutateFor(const For *loop) override { return promoted(loop); }

  /// Outer loops first: what stays the same in them is read once for all inner ones.
  template <class T> const Node *promoted(const T *loop) {
    std::optional<loops::Counted> counted = launched_ || lanes_ ? loops::counted(arena(), loop) : std::nullopt;
    if (!counted) return rebuild(loop);
    Build b(arena(), loop->range);
    std::vector<const Stmt *> arrays, fills;
    std::vector<std::pair<const Subscript *, const Expr *>> held; // what stands for each read
    std::uint64_t left = registers_;
    for (const Section &section : sections_.of(*counted, registers_)) {
      if (lanes_ && !liesApart(*section.read, *lanes_)) continue; // one load of a vector
      const std::uint64_t needed = section.elements * ((section.read->type.bytes() + kRegister - 1) / kRegister);
      if (needed > left) continue;
      left -= needed;
      const std::string name = names_.fresh(as<VarRef>(section.read->base)->name + "_held");
      const std::vector<const Expr *> extents{b.u64(section.elements)};
      const Tunable *noTunable = nullptr;
      const Expr *none = nullptr;
      arrays.push_back(
          arena().make<Declare>(loop->range, name, section.read->type, false, false, extents, noTunable, none));
      held.emplace_back(section.read, element(section, name, {}));
      fills.push_back(fill(section, name));
    }
    if (held.empty()) return rebuild(loop);
    const Expr *first = counted->begin ? counted->begin : b.var(counted->variable, counted->type);
    // Without a turn of the loop there may be nothing to read.
    if (const Stmt *all = b.when(compared(b, first, counted->end), std::move(fills))) arrays.push_back(all);
    auto elementFor = [&](const Subscript *read) -> const Expr * {
      for (const auto &[known, element] : held)
        if (equal(known, read)) return element;
      return nullptr;
    };
    arrays.push_back(
        as<Stmt>(rebuild(substituted(arena(), loop, [](const VarRef *v) -> const Expr * { return v; }, elementFor))));
    return b.block(std::move(arrays));
  }

  static const Expr *compared(const Build &b, const Expr *first, const Expr *end) {
    return first->type == end->type ? b.less(first, end) : b.less(b.cast(end->type, first), end);
  }

  /// The section's element in its array; `renamed`: variables of its loops by other names.
  const Expr *element(const Section &section, const std::string &array,
                      const std::map<std::string, std::string> &renamed) {
    Build b(arena(), section.read->range);
    const Expr *at = b.u64(0);
    for (const Inner &loop : section.loops) {
      auto other = renamed.find(loop.variable);
      const Expr *turn = b.sub(b.var(other == renamed.end() ? loop.variable : other->second, loop.type),
                               b.integer(loop.type, loop.begin));
      at = b.add(b.mul(at, b.u64(static_cast<std::uint64_t>(loop.turns))), b.cast(Scalar::U64, turn));
    }
    return b.element(b.var(array, Type::array(1, section.read->type)), {at}, section.read->type);
  }

  const Stmt *fill(const Section &section, const std::string &array) {
    Build b(arena(), section.read->range);
    std::map<std::string, std::string> renamed;
    for (const Inner &loop : section.loops) renamed[loop.variable] = names_.fresh(loop.variable);
    const Expr *from = as<Expr>(renameVariables(arena(), section.read, [&](const std::string &name) {
      auto other = renamed.find(name);
      return other == renamed.end() ? name : other->second;
    }));
    const Stmt *stmt = b.assign(element(section, array, renamed), from);
    for (auto loop = section.loops.rbegin(); loop != section.loops.rend(); ++loop) {
      const std::string &name = renamed.at(loop->variable);
      const Expr *variable = b.var(name, loop->type);
      const Expr *end = b.integer(loop->type, loop->begin + loop->turns);
      stmt = arena().make<For>(
          section.read->range, b.declare(name, loop->type, b.integer(loop->type, loop->begin), false),
          b.less(variable, end), arena().make<Unary>(section.read->range, loop->type, UnaryOp::PreInc, variable),
          b.block({stmt}));
    }
    return stmt;
  }

  const hardware::Hardware &hardware_;
  Sections sections_;
  std::uint64_t registers_;
  Names names_;
  bool launched_ = false;
  const Uniformity *lanes_ = nullptr; // of a vector, where they compute
};

} // namespace

const Kernel *RegisterPromotion::kernel(const Kernel *kernel, PassContext &context, const hardware::LaunchLevels &) {
  return Promotion(context, *kernel, registers_).run(kernel);
}

const Kernel *VectorPromotion::kernel(const Kernel *kernel, const Module &, PassContext &context) {
  return Promotion(context, *kernel, registers_).run(kernel);
}

} // namespace tangram::promotion
