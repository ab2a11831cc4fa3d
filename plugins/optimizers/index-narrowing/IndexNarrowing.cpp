#include "IndexNarrowing.h"
#include "Narrowing.h"

#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Tables.h"
#include "tangram/ast/Walk.h"

#include <map>

namespace tangram::narrowing {

using namespace ast;

namespace {

class Versions final : public Mutator {
public:
  Versions(PassContext &context, const hardware::LaunchLevels &levels, const Kernel &kernel, unsigned bits,
           unsigned least)
      : Mutator(context.arena), levels_(levels), kernel_(kernel), known_(context.analyses.of<KnownValues>(kernel)),
        bits_(bits), least_(least) {
    names_.reserveAll(&kernel);
    walk(kernel.body, [&](const Launch &launch) { tables_ += tablesOf(launch); });
  }

private:
  const Node *mutateLaunch(const Launch *launch) override {
    Ranges ranges(arena(), kernel_, *launch, levels_);
    Narrowing narrowing(arena(), ranges, *launch, bits_);
    const Block *body = narrowing.run();
    if (narrowing.saved() < least_) return launch;
    auto with = [&](const Block *b) { return arena().derive(launch, [&](Launch &copy) { copy.body = b; }); };
    if (narrowing.needs().empty()) return with(body);
    const hardware::Memory *constant = levels_.device->memory("constant");
    if (std::uint64_t again = tablesOf(*launch)) {
      if (!constant || tables_ + again > constant->bytes) return launch;
      tables_ += again;
    }
    Build b(arena(), launch->range);
    const Expr *small = nullptr;
    for (const Bound &bound : narrowing.needs()) {
      const Expr *one = bound.atMost(narrowing.most(), b);
      small = small ? b.both(small, one) : one;
    }
    return b.when(small, {with(as<Block>(withOwnNames(arena(), body, names_, "_narrow")))}, {launch});
  }

  /// Bytes of constant memory.
  std::uint64_t tablesOf(const Launch &launch) const {
    std::uint64_t all = 0;
    for (const Declare *table : constantTables(*launch.body)) {
      std::uint64_t bytes = table->type.bytes();
      for (const Expr *extent : table->extents) bytes *= static_cast<std::uint64_t>(known_.value(extent).value_or(1));
      all += (bytes + 15) / 16 * 16;
    }
    return all;
  }

  const hardware::LaunchLevels &levels_;
  const Kernel &kernel_;
  const KnownValues &known_;
  Names names_;
  std::uint64_t tables_ = 0; // bytes of constant memory that all launches have
  unsigned bits_, least_;
};

} // namespace

const Kernel *IndexNarrowing::kernel(const Kernel *kernel, PassContext &context, const hardware::LaunchLevels &levels) {
  return Versions(context, levels, *kernel, bits_, least_)(kernel);
}

} // namespace tangram::narrowing
