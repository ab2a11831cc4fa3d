#include "Sections.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::promotion {

using namespace ast;

std::vector<Section> Sections::of(const loops::Counted &loop, std::uint64_t most) {
  most_ = most;
  sections_.clear();
  around_.clear();
  changed_ = assignedVariables(loop.body);
  changed_.merge(declaredIn(loop.body));
  changed_.insert(loop.variable);
  written_.clear();
  for (const Storage::Access &access : storage_.accesses(loop.body))
    if (access.writes) written_.insert(access.buffer);
  statement(loop.body);
  return sections_;
}

/// Goes where every turn goes: not into branches, nor into loops that may have no turn.
void Sections::statement(const Stmt *s) {
  if (const auto *block = dyn<Block>(s)) {
    for (const Stmt *inner : block->stmts) statement(inner);
  } else if (const auto *d = dyn<Declare>(s)) {
    if (d->init) reads(d->init);
  } else if (const auto *e = dyn<Evaluate>(s)) {
    reads(e->expr);
  } else if (std::optional<loops::Counted> inner = loops::counted(arena_, s)) {
    std::set<std::string> used;
    const std::optional<Int> first = inner->begin ? known_.value(inner->begin, &used) : std::nullopt;
    const std::optional<Int> last = known_.value(inner->end, &used);
    const Int begin = first.value_or(0), turns = last.value_or(0) - begin;
    if (!first || !last || turns < 1 || turns > static_cast<Int>(most_) || !isLiteral(inner->step, 1)) return;
    around_.push_back({inner->variable, inner->type, begin, turns});
    const std::size_t before = sections_.size();
    statement(inner->body);
    if (sections_.size() > before) frozen_.insert(used.begin(), used.end());
    around_.pop_back();
  }
}

void Sections::reads(const Expr *e) {
  walk(
      e, [](const Conditional &) { return WalkResult::Skip; },
      [](const Binary &b) {
        return b.op == BinaryOp::LogicalAnd || b.op == BinaryOp::LogicalOr ? WalkResult::Skip : WalkResult::Advance;
      },
      [&](const Subscript &read) { found(read); });
}

bool Sections::stays(const Expr *index) const {
  return speculable(index) && !any<VarRef>(index, [&](const VarRef &v) {
           const bool counts =
               std::any_of(around_.begin(), around_.end(), [&](const Inner &l) { return l.variable == v.name; });
           return !counts && changed_.count(v.name);
         });
}

void Sections::found(const Subscript &read) {
  const auto *base = dyn<VarRef>(read.base);
  if (!base || !read.type.isScalar() || changed_.count(base->name)) return;
  const std::string buffer = storage_.bufferOf(base->name);
  const Storage::Kind kind = storage_.kind(buffer);
  if ((kind != Storage::Kind::Param && kind != Storage::Kind::Alloc) || written_.count(buffer)) return;
  if (!std::all_of(read.indices.begin(), read.indices.end(), [&](const Expr *i) { return stays(i); })) return;
  Section section{&read, {}, 1};
  for (const Inner &loop : around_) {
    auto moves = [&](const Expr *index) { return mentions(index, loop.variable); };
    if (std::none_of(read.indices.begin(), read.indices.end(), moves)) continue;
    section.loops.push_back(loop);
    section.elements *= static_cast<std::uint64_t>(loop.turns);
    if (section.elements > most_) return;
  }
  // One element is the compiler's of the output language to keep.
  if (section.elements < 2) return;
  if (std::none_of(sections_.begin(), sections_.end(), [&](const Section &s) { return equal(s.read, &read); }))
    sections_.push_back(std::move(section));
}

} // namespace tangram::promotion
