#include "Tables.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Tables.h"

#include <algorithm>

namespace tangram::placement {

using namespace ast;

namespace {

class Hoist final : public Mutator {
public:
  Hoist(Arena &arena, const KnownValues &known, std::uint64_t capacity)
      : Mutator(arena), known_(known), left_(capacity) {}

  const Launch *run(const Launch *launch) {
    const auto *result = mutateAs(launch);
    Build b(arena(), launch->range);
    std::vector<const Stmt *> stmts(tables_.begin(), tables_.end());
    // One that there is no room for must not stand at the top.
    bool allFit = constantTables(*result->body).empty();
    if (allFit && tables_.empty()) return launch;
    if (allFit)
      stmts.insert(stmts.end(), result->body->stmts.begin(), result->body->stmts.end());
    else
      stmts.push_back(result->body);
    return arena().derive(result, [&](Launch &copy) { copy.body = b.block(std::move(stmts)); });
  }

private:
  const Node *mutateDeclare(const Declare *d) override {
    if (!isTable(*d)) return rebuild(d);
    auto same = [&](const Declare *other) {
      return other->type == d->type && equal(other->init, d->init) &&
             std::equal(other->extents.begin(), other->extents.end(), d->extents.begin(), d->extents.end(),
                        [](const Expr *a, const Expr *b) { return equal(a, b); });
    };
    auto known = std::find_if(tables_.begin(), tables_.end(), same);
    if (known != tables_.end()) {
      instead_[d->name] = (*known)->name;
      return nullptr;
    }
    std::uint64_t bytes = d->type.bytes();
    for (const Expr *extent : d->extents) {
      std::optional<Int> value = known_.value(extent);
      if (!value || *value < 1 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(*value), &bytes)) return d;
    }
    bytes = (bytes + 15) / 16 * 16;
    if (bytes > left_) return d;
    left_ -= bytes;
    tables_.push_back(d);
    return nullptr;
  }
  const Node *mutateVarRef(const VarRef *v) override {
    auto other = instead_.find(v->name);
    return other == instead_.end() ? v : Build(arena(), v->range).var(other->second, v->type);
  }

  const KnownValues &known_;
  std::uint64_t left_;
  std::vector<const Declare *> tables_;
  std::map<std::string, std::string> instead_;
};

} // namespace

const Launch *tablesFirst(Arena &arena, const hardware::LaunchLevels &levels, const KnownValues &known,
                          const Launch *launch) {
  const hardware::Memory *memory = levels.device->memory("constant");
  return Hoist(arena, known, memory ? memory->bytes : 0).run(launch);
}

} // namespace tangram::placement
