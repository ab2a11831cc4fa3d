// Fragments of tiles that units of lanes multiply.
#include "PatchWriter.h"

#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::tile {

using namespace ast;

PatchWriter::Operands PatchWriter::operands(Stmts &declarations, const char *a, const char *b) {
  const Type type = options_.shape->type;
  Operands result{names_.fresh(a), names_.fresh(b)};
  const auto deep = static_cast<Int>(options_.shape->depthBlocks());
  declarations.push_back(array(result.a, type, build_.mul(lanes_->points(0), number(deep))));
  declarations.push_back(array(result.b, type, build_.mul(lanes_->fragments(1), number(deep))));
  return result;
}

const Expr *PatchWriter::ofA(const Operands &of, const Expr *fragment, Int block, Int row) const {
  const auto rows = static_cast<Int>(options_.shape->rowBlocks()),
             deep = static_cast<Int>(options_.shape->depthBlocks());
  return element(of.a, options_.shape->type,
                 build_.add(build_.mul(fragment, number(rows * deep)), number(block * rows + row)));
}

const Expr *PatchWriter::ofB(const Operands &of, const Expr *fragment, Int block) const {
  const auto deep = static_cast<Int>(options_.shape->depthBlocks());
  return element(of.b, options_.shape->type, build_.add(build_.mul(fragment, number(deep)), number(block)));
}

Stmts PatchWriter::loadOperands(const Contraction &product, const Operands &to, const std::deque<Staged *> &tiles,
                                const Expr *turn, const Expr *turns) {
  const hardware::MatrixShape &shape = *options_.shape;
  const auto rows = static_cast<Int>(shape.rowBlocks()), deep = static_cast<Int>(shape.depthBlocks());
  auto value = [&](const std::vector<const Expr *> &factors, const std::vector<const Expr *> &at) {
    std::map<const Subscript *, const Expr *> elements;
    for (const Staged *t : tiles)
      for (const Reference &r : t->tile().references) elements[r.node] = t->element(r, at);
    const Expr *all = nullptr;
    for (const Expr *factor : factors) {
      const Expr *one = substituted(
          arena_, factor, [](const VarRef *v) -> const Expr * { return v; },
          [&](const Subscript *e) -> const Expr * { return elements.at(e); });
      all = all ? build_.mul(all, one) : one;
    }
    return turns ? build_.select(build_.less(at.back(), turns), all, build_.zero(shape.type)) : all;
  };
  // Which turns a lane has is all the same where it has them of both: of small numbers, those of a word side by side.
  const Int together = std::max<Int>(1, 4 / static_cast<Int>(Type(shape.type).bytes()));
  auto depthOf = [&](Int block) {
    const Int word = block / together * together * hardware::MatrixShape::kDepth;
    const Expr *own = build_.add(build_.mul(lanes_->matrixDepth(), number(together)), number(block % together));
    return build_.add(turn, build_.add(number(word), own));
  };
  const Expr *f = build_.var(names_.fresh("fragment"), kNumber), *g = build_.var(names_.fresh("fragment"), kNumber);
  Stmts ofRows, ofColumns;
  for (Int s = 0; s < deep; ++s)
    for (Int r = 0; r < rows; ++r) {
      const Expr *point = build_.add(build_.mul(f, number(rows)), number(r));
      ofRows.push_back(
          build_.assign(ofA(to, f, s, r), value(product.a, {lanes_->position(0, point), number(0), depthOf(s)})));
    }
  for (Int s = 0; s < deep; ++s)
    ofColumns.push_back(
        build_.assign(ofB(to, g, s), value(product.b, {number(0), lanes_->matrixColumn(g), depthOf(s)})));
  return {counted(f, lanes_->fragments(0), std::move(ofRows)), counted(g, lanes_->fragments(1), std::move(ofColumns))};
}

const Stmt *PatchWriter::multiplyOperands(const Contraction &product, const Operands &of) {
  const hardware::MatrixShape &shape = *options_.shape;
  const auto rows = static_cast<Int>(shape.rowBlocks()), deep = static_cast<Int>(shape.depthBlocks());
  const Expr *i = build_.var(names_.fresh("fragment"), kNumber), *j = build_.var(names_.fresh("fragment"), kNumber);
  std::vector<const Expr *> c, left, right;
  const Kept &kept = kept_.at(product.sum->name);
  for (Int r = 0; r < rows; ++r)
    for (Int h = 0; h < 2; ++h) {
      const Expr *row = build_.add(build_.mul(i, number(rows)), number(r));
      const Expr *column = build_.add(build_.mul(j, number(2)), number(h));
      c.push_back(element(kept.array, shape.sum(), build_.add(build_.mul(row, lanes_->points(1)), column)));
    }
  for (Int s = 0; s < deep; ++s) {
    for (Int r = 0; r < rows; ++r) left.push_back(ofA(of, i, s, r));
    right.push_back(ofB(of, j, s));
  }
  const Expr *engine = arena_.make<MatrixMultiply>(
      nest_.loops[0].where, Type(), static_cast<Int>(shape.m), static_cast<Int>(shape.n), static_cast<Int>(shape.k),
      Type(shape.type), std::move(c), std::move(left), std::move(right), options_.engine->name);
  const Stmt *columns = counted(j, lanes_->fragments(1), {arena_.make<Evaluate>(nest_.loops[0].where, engine)});
  return counted(i, lanes_->fragments(0), {columns});
}

Stmts PatchWriter::multiply(const Contraction &product, const std::deque<Staged *> &tiles, const Expr *turns,
                            bool part) {
  const Expr *turn = build_.var(names_.fresh("turn"), kNumber);
  Stmts body;
  const Operands all = operands(body, "a_of", "b_of");
  for (const Stmt *s : loadOperands(product, all, tiles, turn, part ? turns : nullptr)) body.push_back(s);
  body.push_back(multiplyOperands(product, all));
  return {count(as<VarRef>(turn)->name, kNumber, turns, std::move(body), number(static_cast<Int>(options_.shape->k)))};
}

Stmts PatchWriter::multiplyAhead(const Contraction &product, const std::deque<Staged *> &tiles, const Expr *depth,
                                 const Expr *size, const Expr *wide, const Expr *from, const Stages &stages) {
  const auto k = static_cast<Int>(options_.shape->k), deep = static_cast<Int>(options_.shape->depthBlocks());
  Stmts stmts{await(stages.ahead)};
  const Operands now = operands(stmts, "a_of", "b_of"), next = operands(stmts, "a_ahead", "b_ahead");
  for (const Stmt *s : loadOperands(product, now, tiles, number(0), nullptr)) stmts.push_back(s);
  auto step = [&](const Expr *turn) {
    Stmts all = loadOperands(product, next, tiles, turn, nullptr);
    all.push_back(multiplyOperands(product, now));
    auto onward = [&](const std::string &to, const std::string &of, const Expr *many) {
      const Expr *f = build_.var(names_.fresh("fragment"), kNumber);
      const Type type = options_.shape->type;
      all.push_back(
          counted(f, build_.mul(many, number(deep)), {build_.assign(element(to, type, f), element(of, type, f))}));
    };
    onward(now.a, next.a, lanes_->points(0));
    onward(now.b, next.b, lanes_->fragments(1));
    return all;
  };
  const Expr *turn = build_.var(names_.fresh("turn"), kNumber);
  const Expr *whole = build_.var(names_.fresh("whole"), kSize);
  Stmts panel = stages.next;
  panel.push_back(count(as<VarRef>(turn)->name, kNumber, build_.sub(depth, number(k)),
                        step(build_.add(turn, number(k))), number(k)));
  panel.push_back(await(stages.ahead));
  panel.insert(panel.end(), stages.onward.begin(), stages.onward.end());
  for (const Stmt *s : step(number(0))) panel.push_back(s);
  stmts.push_back(build_.declare(as<VarRef>(whole)->name, kSize, build_.mul(build_.div(size, wide), wide)));
  stmts.push_back(count(as<VarRef>(from)->name, kSize, whole, std::move(panel), wide));
  const Expr *turns = build_.var(names_.fresh("turns"), kNumber);
  Stmts rest{build_.declare(as<VarRef>(turns)->name, kNumber, build_.cast(kNumber, build_.sub(size, whole)))};
  for (const Stmt *s : multiply(product, tiles, turns, true)) rest.push_back(s);
  stmts.push_back(build_.when(build_.less(whole, size), std::move(rest)));
  return stmts;
}

} // namespace tangram::tile
