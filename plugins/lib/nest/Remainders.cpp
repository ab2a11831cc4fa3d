#include "tangram/nest/Remainders.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Read.h"

#include <isl/set.h>

namespace tangram::nest {

using namespace ast;

namespace {

class Differences : public Mutator {
public:
  Differences(const Nest &nest, Arena &arena) : Mutator(arena), nest_(nest) {}

private:
  const Node *mutateBinary(const Binary *b) override {
    const auto known = nest_.remainders.find(b);
    if (known == nest_.remainders.end() || known->second == 0 || hasEffects(b)) return Mutator::mutateBinary(b);
    const Build build(arena(), b->range);
    const Expr *x = mutateAs(b->lhs), *n = mutateAs(b->rhs);
    std::vector<const Expr *> values{x}; // what is left of it
    while (values.size() < known->second) values.push_back(build.sub(values.back(), n));
    const Expr *result = values.back();
    for (std::size_t v = values.size() - 1; v-- > 0;)
      result = build.select(build.less(values[v], n), values[v], result);
    return result;
  }

  const Nest &nest_;
};

/// What the one is right for the other is, too.
bool isWithin(const Nest &one, const Nest &other) {
  std::unique_ptr<char, decltype(&std::free)> text(isl_set_to_str(one.assumed.get()), std::free);
  const auto within = other.isl.limited([&] { return isl::set(other.isl.get(), text.get()).is_subset(other.assumed); });
  return within && *within;
}

} // namespace

const Codelet *withoutRemainders(Nests &nests, const Codelet *codelet, Arena &arena) {
  if (!any<Binary>(codelet->body, [](const Binary &b) { return b.op == BinaryOp::Rem && !isa<IntLit>(b.rhs); }))
    return codelet;
  const Nest *const nest = nests.of(*codelet);
  if (!nest) return codelet;
  const auto *changed = as<Codelet>(Differences(*nest, arena).mutate(codelet));
  if (changed == codelet) return codelet;
  const Nest *const again = nests.of(*changed);
  return again && isWithin(*again, *nest) ? changed : codelet;
}

} // namespace tangram::nest
