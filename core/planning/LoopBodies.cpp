#include "LoopBodies.h"

#include "tangram/ast/Walk.h"
#include "tangram/compose/Sizes.h"

#include <set>

namespace tangram {

using namespace ast;

const CodeletSource::Loop &LoopBodies::of(const Block *body, bool apart) const {
  return source_.loop(body, [&] {
    return CodeletSource::Loop{storesElsewhere(body),     storesShared(body), loadsShared(body), carries(body),
                               turnsInBatch(body, apart), written(body),      places(body)};
  });
}

bool LoopBodies::carries(const Block *body) {
  std::set<std::string> own;
  walk(body, [&](const Declare &d) { own.insert(d.name); });
  return any<Assign>(body, [&](const Assign &a) {
    const Expr *target = withoutCasts(a.target);
    while (const auto *m = dyn<Member>(target)) target = withoutCasts(m->base);
    const auto *v = dyn<VarRef>(target);
    return v && !own.count(v->name);
  });
}

bool LoopBodies::storesElsewhere(const Node *body) const {
  auto elsewhere = [&](const Expr *place) {
    const std::string *name = isa<VarRef>(withoutCasts(place)) ? nullptr : containerOf(place);
    return name && (containers_.shared(*name) || containers_.isParameter(name));
  };
  return any<Assign>(body, [&](const Assign &a) { return elsewhere(a.target); }) ||
         any<Atomic>(body, [&](const Atomic &a) { return elsewhere(a.target); });
}

bool LoopBodies::storesShared(const Node *body) const {
  return any<Assign>(body,
                     [&](const Assign &a) { return containers_.isShared(a.target) && !isa<Transfer>(a.value); }) ||
         any<Atomic>(body, [&](const Atomic &a) { return containers_.isShared(a.target); });
}

bool LoopBodies::loadsShared(const Node *body) const {
  std::size_t accesses = 0, stores = 0;
  walk(
      body, [&](const Subscript &s) { accesses += containers_.isShared(&s); },
      [&](const Assign &a) { stores += a.op == AssignOp::Set && containers_.isShared(a.target); },
      [&](const Atomic &a) { stores += containers_.isShared(a.target); });
  return accesses > stores;
}

unsigned LoopBodies::turnsInBatch(const Block *body, bool apart) const {
  constexpr unsigned kTurns = 8, kRegisters = 16;
  constexpr std::size_t kNodes = 1000;
  std::uint64_t registers = 0;
  auto far = [&](const Node *node, std::uint64_t &count) {
    walk(node, [&](const Subscript &s) {
      const std::string *name = containerOf(&s);
      if (containers_.isParameter(name)) count += (bytesOfElement(s.type) + 3) / 4;
    });
  };
  far(body, registers);
  const bool possible = walk(body, [&](const Node &n) {
    std::uint64_t inner = 0;
    if (isa<For>(&n)) far(&n, inner);
    const auto *s = dyn<Subscript>(&n);
    const std::string *name = s ? containerOf(s) : nullptr;
    const bool waits = !apart && name && containers_.shared(*name) && !source_.hasElementForEachLane(*name);
    const bool other = isa<While>(&n) || isa<DoWhile>(&n) || isa<Switch>(&n) || isa<Map>(&n) || isa<SpectrumCall>(&n) ||
                       isa<MatrixMultiply>(&n) || isa<Transfer>(&n);
    return inner > 0 || waits || other ? WalkResult::Stop : WalkResult::Advance;
  });
  unsigned batch = possible && registers > 0 ? kTurns : 1;
  while (batch > 1 && (batch * registers > kRegisters || std::size_t{2} * batch * nodeCount(body) > kNodes)) batch /= 2;
  return batch;
}

std::unordered_map<std::string, std::vector<const Expr *>> LoopBodies::written(const Node *body) const {
  std::unordered_map<std::string, std::vector<const Expr *>> result;
  auto changed = [&](const Expr *place) {
    if (const std::string *name = isa<VarRef>(withoutCasts(place)) ? nullptr : containerOf(place))
      result[*name].push_back(place);
  };
  walk(body, [&](const Assign &a) { changed(a.target); }, [&](const Atomic &a) { changed(a.target); });
  return result;
}

std::unordered_set<std::string> LoopBodies::places(const Node *body) const {
  std::unordered_set<std::string> result;
  walk(body, [&](const Subscript &s) {
    const auto *base = dyn<VarRef>(s.base);
    const AccessWork *access = base ? containers_.find(&base->name) : nullptr;
    if (!access || access->parameter || access->elements > kSmallArray) return;
    for (const Expr *index : s.indices) walk(index, [&](const VarRef &v) { result.insert(v.name); });
  });
  return result;
}

} // namespace tangram
