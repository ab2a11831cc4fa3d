// What lanes keep of tiles in registers, for several points or turns.
#include "PatchWriter.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::tile {

using namespace ast;

void PatchWriter::fragment(const Fragment &f, const Context &context, Stmts &out, const PerPointValue &value) {
  bool one = std::none_of(f.along.begin(), f.along.end(), [](bool b) { return b; });
  if (one) {
    out.push_back(build_.declare(f.array, f.type, value(context, std::vector<const Expr *>(dims_.size()))));
    return;
  }
  out.push_back(array(f.array, f.type, pointsOf(f.along)));
  for (const Stmt *s :
       points(context, f.along, false, [&](const Context &here, const std::vector<const Expr *> &point) {
         return Stmts{build_.assign(ofFragment(f, point), value(here, point))};
       }))
    out.push_back(s);
}

const Expr *PatchWriter::extentOf(const Fragment &f, std::size_t d) const {
  if (!f.slides(d)) return f.ofBlock ? many(d) : lanes_->points(d);
  return build_.mul(build_.div(many(d), lanes_->vector(d)), windowOf(f, d));
}

const Expr *PatchWriter::placeIn(const Fragment &f, std::size_t d, const Expr *point) const {
  if (!f.slides(d)) return f.ofBlock ? point : ofAll(d, point);
  const Expr *group = build_.mul(build_.div(point, lanes_->vector(d)), windowOf(f, d));
  return build_.add(group, build_.add(build_.rem(point, lanes_->vector(d)), f.turn[d]));
}

const Expr *PatchWriter::ofFragment(const Fragment &f, const std::vector<const Expr *> &point) const {
  const Expr *index = nullptr;
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    if (!f.along[d]) continue;
    const Expr *own = placeIn(f, d, point[d]);
    index = index ? build_.add(build_.mul(index, extentOf(f, d)), own) : own;
  }
  return index ? element(f.array, f.type, index) : build_.var(f.array, f.type);
}

std::size_t PatchWriter::firstWrittenOut(const Segment &segment, bool whole) {
  constexpr std::int64_t kLong = 16, kShort = 4;
  std::size_t first = segment.loops.size() - segment.panel;
  auto isAtMost = [&](std::size_t l, std::int64_t most) {
    const std::int64_t turns = segment.turns[segment.panel + l];
    return l > 0 ? turns <= most : whole && (turns > 0 ? turns <= most : most == kLong);
  };
  if (!isAtMost(first - 1, kLong)) return first;
  for (--first; first > 0 && isAtMost(first - 1, kShort);) --first;
  return first;
}

std::optional<PatchWriter::Sliding> PatchWriter::sliding(const Tile &tile, std::size_t least) const {
  const std::size_t dims = dims_.size();
  auto only = [&](std::size_t l) -> std::optional<std::size_t> { // the dimension of the container that it moves along
    std::optional<std::size_t> found;
    for (std::size_t c = 0; c < tile.strides[l].size(); ++c) {
      if (tile.strides[l][c] == 0) continue;
      if (found) return {};
      found = c;
    }
    return found;
  };
  Sliding result{std::vector<std::optional<std::size_t>>(dims), tile.strides.size() - dims};
  while (result.first > least) {
    const std::size_t l = result.first - 1, of = dims + l;
    if (moves(tile.strides, of)) {
      std::optional<std::size_t> along;
      for (std::size_t d = 0; d < dims; ++d)
        if (const auto c = only(of); c && only(d) == c && tile.strides[d][*c] == tile.strides[of][*c]) along = d;
      if (!along || result.loop[*along]) break;
      result.loop[*along] = l;
    }
    --result.first;
  }
  const bool any = std::any_of(result.loop.begin(), result.loop.end(), [](const auto &l) { return l.has_value(); });
  return any ? std::optional(result) : std::nullopt;
}

PatchWriter::Fragment PatchWriter::window(const Staged &tile, const Reference &r, const Sliding &sliding,
                                          const Turning &turning, Stmts &out) {
  Fragment f{names_.fresh(r.container->name + "_of"), r.node->type, alongOf(r), true, {}, {}};
  std::vector<const Expr *> at(dims_.size(), number(0)), turns = turning.turn;
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    const auto &loop = sliding.loop[d];
    f.turn.push_back(loop ? turning.turn[*loop] : nullptr);
    f.turns.push_back(loop ? turning.turns[*loop] : nullptr);
    if (loop) turns[*loop] = number(0);
  }
  const Expr *index = nullptr, *all = number(1);
  std::vector<std::pair<const Expr *, const Expr *>> counters;
  auto counter = [&](const Expr *end) {
    counters.emplace_back(build_.var(names_.fresh("point"), kNumber), end);
    return counters.back().first;
  };
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    if (!f.along[d]) continue;
    const Expr *own = nullptr;
    if (f.slides(d)) {
      const Expr *group = counter(build_.div(many(d), lanes_->vector(d))), *place = counter(windowOf(f, d));
      own = build_.add(build_.mul(group, windowOf(f, d)), place);
      at[d] = build_.add(lanes_->position(d, ofAll(d, build_.mul(group, lanes_->vector(d)))), place);
    } else {
      own = counter(many(d));
      at[d] = lanes_->position(d, ofAll(d, own));
    }
    index = index ? build_.add(build_.mul(index, extentOf(f, d)), own) : own;
    all = build_.mul(all, extentOf(f, d));
  }
  at.insert(at.end(), turns.begin(), turns.end());
  Stmts fill{build_.assign(element(f.array, f.type, index), tile.element(r, at))};
  for (std::size_t c = counters.size(); c-- > 0;)
    fill = {counted(counters[c].first, counters[c].second, std::move(fill))};
  out.push_back(array(f.array, f.type, all));
  out.insert(out.end(), fill.begin(), fill.end());
  return f;
}

std::vector<bool> PatchWriter::alongOf(const Reference &r) const {
  std::vector<bool> along;
  for (std::size_t d = 0; d < dims_.size(); ++d) along.push_back(moves(*r.strides, d));
  return along;
}

const PatchWriter::Fragment *PatchWriter::sameFragment(const Reference &r) const {
  for (const auto &[node, fragment] : fragments_)
    if (equal(node, r.node)) return &fragment;
  return nullptr;
}

void PatchWriter::use(const Reference &r, const Fragment &f, Context &context) {
  fragments_[r.node] = f;
  context.elements[r.node] = nullptr; // as the point says
}

} // namespace tangram::tile
