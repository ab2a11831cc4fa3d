#include "Scratchpad.h"

#include "tangram/ast/Walk.h"

#include <algorithm>
#include <set>

namespace tangram::staging {

using namespace ast;

namespace {
constexpr std::uint64_t kBank = 4; // bytes

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 15) / 16 * 16; }
} // namespace

Scratchpad::Scratchpad(const hardware::LaunchLevels &levels, const KnownValues &known, const Launch &launch,
                       std::uint64_t most)
    : levels_(&levels) {
  const hardware::Memory *scratchpad = levels.group->memory("scratchpad");
  if (!scratchpad) return;
  banks_ = scratchpad->banks > 1;
  std::uint64_t used = 0;
  walk(launch.body, [&](const Alloc &a) {
    if (a.memory != "scratchpad") return;
    Array array{a.name, a.element, 1};
    for (const Expr *extent : a.extents)
      array.elements *= static_cast<std::uint64_t>(known.value(extent).value_or(0)); // data-placement knew it
    used += bytes(array, a.level);
  });
  left_ = std::min(most, scratchpad->bytes > used ? scratchpad->bytes - used : 0);
}

std::uint64_t Scratchpad::bytes(const Array &array, const std::string &level) const {
  return aligned(array.elements * array.element.bytes()) * (levels_->groupWorkers / levels_->workers(level));
}

std::uint64_t Scratchpad::pitch(const Type &element, std::uint64_t columns) const {
  return banks_ ? columns + std::max<std::uint64_t>(1, kBank / element.bytes()) : columns;
}

std::optional<std::vector<std::string>> Scratchpad::reserve(Names &names, const std::string &level,
                                                            const std::vector<Array> &wanted) {
  std::uint64_t needed = 0;
  std::set<std::string> taken;
  std::vector<const Placed *> found;
  for (const Array &array : wanted) {
    const Placed *best = nullptr;
    for (const Placed &p : placed_) {
      bool fits = p.level == level && p.array.element == array.element && p.array.elements >= array.elements;
      if (fits && !taken.count(p.array.name) && (!best || p.array.elements < best->array.elements)) best = &p;
    }
    found.push_back(best);
    if (best)
      taken.insert(best->array.name);
    else
      needed += bytes(array, level);
  }
  if (needed > left_) return {};
  left_ -= needed;
  std::vector<std::string> result;
  std::vector<Placed> added;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!found[i]) added.push_back({{names.fresh(wanted[i].name), wanted[i].element, wanted[i].elements}, level});
    result.push_back(found[i] ? found[i]->array.name : added.back().array.name);
  }
  placed_.insert(placed_.end(), added.begin(), added.end());
  return result;
}

std::vector<const Stmt *> Scratchpad::allocs(const Build &b) const {
  std::vector<const Stmt *> result;
  for (const Placed &p : placed_)
    result.push_back(b.arena().make<Alloc>(SourceRange{}, p.array.name, p.array.element,
                                           std::vector<const Expr *>{b.u64(p.array.elements)}, p.level, "scratchpad"));
  return result;
}

} // namespace tangram::staging
