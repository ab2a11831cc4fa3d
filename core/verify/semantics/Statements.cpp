#include "Interpreter.h"

#include "tangram/ast/Kinds.h"
#include "tangram/ast/Shapes.h"

#include <algorithm>
#include <utility>

namespace tangram::semantics {

using namespace ast;

namespace {

constexpr std::int64_t kMostElements = 10'000'000; // of an array

std::int64_t product(const std::vector<std::int64_t> &sizes) {
  std::int64_t all = 1;
  for (std::int64_t size : sizes) {
    if (size < 0 || size > kMostElements) throw TooLong(fmt::format("an array of {} elements", size));
    all *= size;
    if (all > kMostElements) throw TooLong(fmt::format("an array of {} elements", all));
  }
  return all;
}

} // namespace

bool Interpreter::none(const Mask &m) {
  return std::none_of(m.begin(), m.end(), [](bool b) { return b; });
}

void Interpreter::step(const Node *node) {
  if (node && node->range.valid()) range_ = node->range;
  if (steps_-- == 0) throw TooLong("too many steps");
}

void Interpreter::body(const Block *block, Frame &frame) {
  Mask mask(frame.lanes.size(), true);
  Frame *outer = std::exchange(frame_, &frame);
  exec(block, mask, nullptr);
  frame_ = outer;
}

void Interpreter::exec(const Stmt *s, Mask &mask, Loop *loop) {
  if (!s || none(mask)) return;
  step(s);
  switch (stmtKind(*s)) {
  case StmtKind::Block:
    for (const Stmt *inner : as<Block>(s)->stmts) exec(inner, mask, loop);
    return;
  case StmtKind::Declare: return declare(as<Declare>(s), mask);
  case StmtKind::Evaluate: return evaluate(as<Evaluate>(s)->expr, mask);
  case StmtKind::If: return branch(as<If>(s), mask, loop);
  case StmtKind::For: {
    const auto *n = as<For>(s);
    exec(n->init, mask, loop);
    return iterate(mask, n->cond, n->body, n->step, false);
  }
  case StmtKind::While: return iterate(mask, as<While>(s)->cond, as<While>(s)->body, nullptr, false);
  case StmtKind::DoWhile: return iterate(mask, as<DoWhile>(s)->cond, as<DoWhile>(s)->body, nullptr, true);
  case StmtKind::Switch: return choose(as<Switch>(s), mask, loop);
  case StmtKind::Break:
    each(mask, [&](std::size_t l) { loop->broke[l] = true; });
    mask.assign(mask.size(), false);
    return;
  case StmtKind::Continue:
    each(mask, [&](std::size_t l) { loop->continued[l] = true; });
    mask.assign(mask.size(), false);
    return;
  case StmtKind::Return:
    each(mask, [&](std::size_t l) {
      if (const Expr *value = as<Return>(s)->value) frame_->returned[l] = scalar(value, l);
    });
    mask.assign(mask.size(), false);
    return;
  case StmtKind::Loop: return this->loop(as<ast::Loop>(s), mask);
  case StmtKind::Cooperate: return cooperate(as<Cooperate>(s));
  case StmtKind::Sync:
  case StmtKind::Await: return; // statements end before the next begins
  case StmtKind::View: return view(as<View>(s));
  case StmtKind::Alloc: return allocate(as<Alloc>(s));
  case StmtKind::Report: {
    const auto *n = as<Report>(s);
    if (std::int64_t site = read(pointer(n->record, 0)).i)
      throw Reported(n->sites.at(static_cast<std::size_t>(site) - 1));
    return;
  }
  case StmtKind::Launch: // what devices and vector units have
  case StmtKind::Single:
  case StmtKind::VectorStore: break;
  }
  throw Unknown(fmt::format("a {}", name(s->kind())));
}

void Interpreter::branch(const If *n, Mask &mask, Loop *loop) {
  Mask then(mask.size()), other(mask.size());
  each(mask, [&](std::size_t l) { (truth(scalar(n->cond, l)) ? then : other)[l] = true; });
  exec(n->then, then, loop);
  exec(n->otherwise, other, loop);
  for (std::size_t l = 0; l < mask.size(); ++l) mask[l] = then[l] || other[l];
}

void Interpreter::iterate(Mask &mask, const Expr *cond, const Block *body, const Expr *next, bool bodyFirst) {
  Mask active = mask, done(mask.size(), false);
  for (bool first = true;; first = false) {
    step(nullptr);
    if (cond && !(first && bodyFirst))
      each(active, [&](std::size_t l) {
        if (!truth(scalar(cond, l))) {
          active[l] = false;
          done[l] = true;
        }
      });
    if (none(active)) break;
    Loop loop{Mask(mask.size()), Mask(mask.size())};
    exec(body, active, &loop);
    for (std::size_t l = 0; l < mask.size(); ++l) {
      done[l] = done[l] || loop.broke[l];
      active[l] = active[l] || loop.continued[l];
    }
    if (next) evaluate(next, active);
  }
  mask = done;
}

void Interpreter::choose(const Switch *n, Mask &mask, Loop *outer) {
  Mask done(mask.size(), false), running(mask.size(), false);
  std::vector<Scalar> values(mask.size());
  each(mask, [&](std::size_t l) { values[l] = scalar(n->value, l); });
  std::vector<std::size_t> start(mask.size(), n->cases.size());
  each(mask, [&](std::size_t l) {
    for (std::size_t pass = 0; pass < 2 && start[l] == n->cases.size(); ++pass)
      for (std::size_t c = 0; c < n->cases.size(); ++c) {
        bool hit = pass == 1 && n->cases[c]->isDefault;
        if (pass == 0)
          for (const Expr *label : n->cases[c]->labels) hit |= number(scalar(label, l)) == number(values[l]);
        if (hit) {
          start[l] = c;
          break;
        }
      }
    if (start[l] == n->cases.size()) done[l] = true;
  });
  for (std::size_t c = 0; c < n->cases.size(); ++c) {
    each(mask, [&](std::size_t l) {
      if (start[l] == c) running[l] = true;
    });
    Loop loop{Mask(mask.size()), Mask(mask.size())};
    exec(n->cases[c]->body, running, &loop);
    for (std::size_t l = 0; l < mask.size(); ++l) {
      done[l] = done[l] || loop.broke[l];
      if (loop.continued[l]) outer->continued[l] = true;
    }
  }
  for (std::size_t l = 0; l < mask.size(); ++l) mask[l] = done[l] || running[l];
}

void Interpreter::loop(const ast::Loop *n, const Mask &mask) {
  if (mask.size() != 1) throw Failure("a Loop inside a Cooperate");
  const Wide end = number(scalar(n->end, 0));
  for (Wide i = number(scalar(n->begin, 0)); i < end; ++i) {
    step(nullptr);
    frame_->lanes[0][n->var] = scalarValue(integer(n->varType, static_cast<std::int64_t>(i)));
    Mask inner{true};
    Loop left{{false}, {false}};
    exec(n->body, inner, &left);
    if (left.broke[0] || left.continued[0]) throw Failure("a parallel loop is left");
  }
}

void Interpreter::cooperate(const Cooperate *n) {
  const auto width = static_cast<std::size_t>(scalar(n->width, 0).i);
  const std::map<std::string, Value> outside = frame_->lanes[0];
  frame_->lanes.assign(width, outside); // scalars of outside are one storage: shared
  frame_->returned.assign(width, {});
  for (std::size_t l = 0; l < width; ++l)
    frame_->lanes[l][n->lane] = variable(integer(ast::Scalar::U32, static_cast<std::int64_t>(l)));
  Mask lanes(width, true);
  exec(n->body, lanes, nullptr);
  frame_->lanes.assign(1, outside);
  frame_->returned.assign(1, {});
}

void Interpreter::view(const View *n) {
  Value v;
  v.kind = Value::Kind::Array;
  v.array = lookup(n->base, 0).array;
  if (!v.array.cells->empty() && !((*v.array.cells)[0].type == n->element)) throw Unknown("a View of a struct's field");
  v.array.offset += scalar(n->offset, 0).i;
  v.array.sizes.clear();
  v.array.strides.clear();
  for (const Expr *e : n->sizes) v.array.sizes.push_back(scalar(e, 0).i);
  for (const Expr *e : n->strides) v.array.strides.push_back(scalar(e, 0).i);
  frame_->lanes[0][n->name] = std::move(v);
}

void Interpreter::allocate(const Alloc *n) {
  std::vector<std::int64_t> sizes;
  for (const Expr *e : n->extents) sizes.push_back(scalar(e, 0).i);
  const auto all = static_cast<std::size_t>(product(sizes));
  frame_->lanes[0][n->name] = arrayValue(std::vector<Scalar>(all, unset(n->element, structs_)), sizes);
}

/// Every lane reads before any lane writes.
void Interpreter::evaluate(const Expr *e, const Mask &mask) {
  const auto *assign = dyn<Assign>(e);
  if (!assign || mask.size() == 1) return each(mask, [&](std::size_t l) { eval(e, l); });
  std::vector<std::pair<Value, Scalar>> writes;
  each(mask, [&](std::size_t l) {
    Scalar value = scalar(assign->value, l);
    Value target = place(assign->target, l);
    if (assign->op != AssignOp::Set) value = compound(assign->op, read(target), value);
    writes.emplace_back(target, convert(value, assign->target->type));
  });
  // Of lanes that write one place, the first one's value stays.
  for (auto it = writes.rbegin(); it != writes.rend(); ++it) write(it->first, it->second);
}

/// The elements of a container of one dimension, row by row.
void Interpreter::reshape(Array &array, const Declare &as, std::size_t lane) {
  const std::int64_t step = array.strides[0];
  std::vector<std::int64_t> sizes, strides(as.extents.size(), step);
  for (const Expr *e : as.extents) sizes.push_back(scalar(e, lane).i);
  for (std::size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
  array.sizes = std::move(sizes);
  array.strides = std::move(strides);
}

void Interpreter::declare(const Declare *n, const Mask &mask) {
  Value shared;
  bool made = false;
  each(mask, [&](std::size_t l) {
    if (n->shared && made) {
      frame_->lanes[l][n->name] = shared;
      return;
    }
    Value v;
    if (n->type.isArray() && (n->extents.empty() || isReshaped(*n))) {
      v = eval(n->init, l);
      if (isReshaped(*n)) reshape(v.array, *n, l);
    } else if (!n->extents.empty()) {
      std::vector<std::int64_t> sizes;
      for (const Expr *e : n->extents) sizes.push_back(scalar(e, l).i);
      const auto all = static_cast<std::size_t>(product(sizes));
      const Type element = n->type.leaf();
      std::vector<Scalar> values(all, n->init ? zero(element, structs_) : unset(element, structs_));
      if (const auto *list = dyn<InitList>(n->init)) {
        std::size_t at = 0;
        fill(list, values, at, sizes, 0, l, element);
      }
      v = arrayValue(values, sizes);
    } else if (n->init && n->type.isPointer()) {
      v = eval(n->init, l);
      v.variable = false;
    } else {
      v = variable(n->init ? convert(scalar(n->init, l), n->type) : unset(n->type, structs_));
    }
    frame_->lanes[l][n->name] = v;
    shared = v;
    made = true;
  });
}

void Interpreter::fill(const InitList *list, std::vector<Scalar> &values, std::size_t &at,
                       const std::vector<std::int64_t> &sizes, std::size_t d, std::size_t lane, const Type &element) {
  std::size_t length = 1;
  const std::size_t start = at;
  for (std::size_t k = d; k < sizes.size(); ++k) length *= static_cast<std::size_t>(sizes[k]);
  for (const Expr *e : list->values) {
    const auto *inner = dyn<InitList>(e);
    if (inner && !inner->type.isStruct())
      fill(inner, values, at, sizes, d + 1, lane, element);
    else
      values.at(at++) = convert(scalar(e, lane), element);
  }
  if (d > 0) at = start + length;
}

} // namespace tangram::semantics
