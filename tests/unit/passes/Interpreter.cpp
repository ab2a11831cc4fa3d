#include "Interpreter.h"
#include "tangram/ast/Builtins.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace tangram::test {

using namespace ast;
using Wide = __int128;

Scalar integer(Type type, std::int64_t value) {
  if (type.isBool()) return {type, value != 0, 0};
  unsigned bits = 8 * type.bytes();
  if (bits < 64) {
    std::uint64_t low = static_cast<std::uint64_t>(value) & ((1ull << bits) - 1);
    if (type.isSigned() && (low >> (bits - 1))) low |= ~((1ull << bits) - 1);
    value = static_cast<std::int64_t>(low);
  }
  return {type, value, 0};
}
Scalar real(Type type, double value) {
  return {type, 0, type == Type(ast::Scalar::F32) ? static_cast<float>(value) : value};
}
Scalar convert(const Scalar &v, const Type &type) {
  if (type.isVoid()) return {};
  if (type.isFloating()) {
    if (v.type.isFloating()) return real(type, v.d);
    return real(type, v.type == Type(ast::Scalar::U64) ? static_cast<double>(static_cast<std::uint64_t>(v.i))
                                                       : static_cast<double>(v.i));
  }
  if (v.type.isFloating()) {
    if (type.isBool()) return integer(type, v.d != 0);
    if (type == Type(ast::Scalar::U64))
      return integer(type, static_cast<std::int64_t>(static_cast<std::uint64_t>(v.d)));
    return integer(type, static_cast<std::int64_t>(v.d));
  }
  return integer(type, v.i);
}

Value scalarValue(Scalar s) {
  Value v;
  v.kind = Value::Kind::Scalar;
  v.scalar = std::move(s);
  return v;
}
Value arrayValue(const std::vector<Scalar> &elements, std::vector<std::int64_t> sizes) {
  Value v;
  v.kind = Value::Kind::Array;
  v.array.storage = std::make_shared<std::vector<Scalar>>(elements);
  v.array.strides.assign(sizes.size(), 1);
  for (std::size_t d = sizes.size() - 1; d-- > 0;) v.array.strides[d] = v.array.strides[d + 1] * sizes[d + 1];
  v.array.sizes = std::move(sizes);
  return v;
}

struct Parts {
  Array base;
  struct Sequence {
    Array through;
    bool hasThrough = false, moves = false;
    Wide start = 0, inc = 0, end = 0;
  };
  std::vector<Sequence> starts, incs, ends;
  std::vector<std::int64_t> counts;
};

namespace {

Wide number(const Scalar &s) {
  if (s.type == Type(ast::Scalar::U64)) return static_cast<std::uint64_t>(s.i);
  return s.i;
}
/// As C++ converts to the type of sizes.
Wide sizeNumber(const Scalar &s) { return static_cast<std::uint64_t>(s.i); }
bool truth(const Scalar &s) { return s.type.isFloating() ? s.d != 0 : s.i != 0; }

Wide sequenceAt(const Parts::Sequence &s, std::int64_t i) {
  Wide v = s.start;
  if (s.moves) {
    v = s.start + s.inc * i;
    v = std::min(v, s.end);
  }
  if (!s.hasThrough) return v;
  Wide size = s.through.sizes[0];
  if (size == 0) return 0;
  v = std::min<Wide>(v, size - 1);
  return sizeNumber(s.through.storage->at(
      static_cast<std::size_t>(s.through.offset + static_cast<std::int64_t>(v) * s.through.strides[0])));
}

Array partOf(const Parts &p, const std::vector<std::int64_t> &index) {
  Array a = p.base;
  for (std::size_t d = 0; d < index.size(); ++d) {
    Wide size = p.base.sizes[d];
    Wide start = sequenceAt(p.starts[d], index[d]), end = sequenceAt(p.ends[d], index[d]);
    Wide inc = sequenceAt(p.incs[d], index[d]);
    start = std::min(start, size);
    end = std::min(end, size);
    inc = std::clamp<Wide>(inc, 1, size + 1);
    Wide length = end > start ? (end - start - 1) / inc + 1 : 0;
    a.sizes[d] = static_cast<std::int64_t>(length);
    a.offset += static_cast<std::int64_t>(start) * p.base.strides[d];
    a.strides[d] = p.base.strides[d] * static_cast<std::int64_t>(inc);
  }
  return a;
}

/// A subscript with the leading dimensions taken off.
Value elementOf(const Array &a, const std::vector<std::int64_t> &index) {
  Value v;
  if (a.parts) {
    std::size_t rank = a.parts->counts.size();
    if (index.size() < rank) throw Failure("too few indices for parts");
    std::vector<std::int64_t> which(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(rank));
    for (std::size_t d = 0; d < rank; ++d)
      if (which[d] < 0 || which[d] >= a.parts->counts[d]) throw Failure("part out of bounds");
    Array part = partOf(*a.parts, which);
    std::vector<std::int64_t> rest(index.begin() + static_cast<std::ptrdiff_t>(rank), index.end());
    if (!rest.empty()) return elementOf(part, rest);
    v.kind = Value::Kind::Array;
    v.array = std::move(part);
    return v;
  }
  if (index.size() > a.sizes.size()) throw Failure("too many indices");
  Array rest = a;
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (index[d] < 0 || index[d] >= a.sizes[d])
      throw OutOfRange(fmt::format("index {} of dimension {} is not below {}", index[d], d, a.sizes[d]));
    rest.offset += index[d] * a.strides[d];
  }
  if (index.size() == a.sizes.size()) {
    if (rest.offset < 0 || rest.offset >= static_cast<std::int64_t>(a.storage->size()))
      throw Failure("a container reaches out of its storage");
    v.kind = Value::Kind::Pointer;
    v.storage = a.storage;
    v.offset = rest.offset;
    return v;
  }
  rest.sizes.erase(rest.sizes.begin(), rest.sizes.begin() + static_cast<std::ptrdiff_t>(index.size()));
  rest.strides.erase(rest.strides.begin(), rest.strides.begin() + static_cast<std::ptrdiff_t>(index.size()));
  v.kind = Value::Kind::Array;
  v.array = std::move(rest);
  return v;
}

Scalar arithmetic(BinaryOp op, const Scalar &a, const Scalar &b) {
  auto boolean = [](bool v) { return integer(ast::Scalar::Bool, v); };
  if (a.type.isFloating()) {
    double x = a.d, y = b.d;
    switch (op) {
    case BinaryOp::Add: return real(a.type, x + y);
    case BinaryOp::Sub: return real(a.type, x - y);
    case BinaryOp::Mul: return real(a.type, x * y);
    case BinaryOp::Div: return real(a.type, x / y);
    case BinaryOp::Eq: return boolean(x == y);
    case BinaryOp::Ne: return boolean(x != y);
    case BinaryOp::Lt: return boolean(x < y);
    case BinaryOp::Le: return boolean(x <= y);
    case BinaryOp::Gt: return boolean(x > y);
    case BinaryOp::Ge: return boolean(x >= y);
    default: throw Failure("an integer operator on floating-point numbers");
    }
  }
  Wide x = number(a), y = number(b);
  auto wrapped = [&](Wide v) { return integer(a.type, static_cast<std::int64_t>(static_cast<std::uint64_t>(v))); };
  switch (op) {
  case BinaryOp::Add: return wrapped(x + y);
  case BinaryOp::Sub: return wrapped(x - y);
  case BinaryOp::Mul:
    return wrapped(static_cast<Wide>(static_cast<std::uint64_t>(a.i) * static_cast<std::uint64_t>(b.i)));
  case BinaryOp::Div:
  case BinaryOp::Rem:
    if (y == 0) throw Failure("division by zero");
    return wrapped(op == BinaryOp::Div ? x / y : x % y);
  case BinaryOp::Shl: return wrapped(static_cast<Wide>(static_cast<std::uint64_t>(a.i) << (y & 63)));
  case BinaryOp::Shr: return wrapped(x >> static_cast<int>(y & 63));
  case BinaryOp::And: return wrapped(x & y);
  case BinaryOp::Or: return wrapped(x | y);
  case BinaryOp::Xor: return wrapped(x ^ y);
  case BinaryOp::Eq: return boolean(x == y);
  case BinaryOp::Ne: return boolean(x != y);
  case BinaryOp::Lt: return boolean(x < y);
  case BinaryOp::Le: return boolean(x <= y);
  case BinaryOp::Gt: return boolean(x > y);
  case BinaryOp::Ge: return boolean(x >= y);
  default: throw Failure("an operator that is no arithmetic");
  }
}

class Machine {
public:
  Machine(const Module &module, const hardware::Hardware &hardware, std::uint64_t steps)
      : hardware_(hardware), steps_(steps) {
    for (const Function *f : module.functions) functions_[f->name] = f;
  }

  using Mask = std::vector<bool>;
  /// One activation: variables of each lane.
  struct Frame {
    std::vector<std::map<std::string, Value>> lanes{1};
    std::vector<Scalar> returned{1};
    std::string level;
    std::map<std::string, Value> constants;
  };
  struct Loop { // lanes that have left, or go on with the next iteration
    Mask broke, continued;
  };

  void body(const Block *block, Frame &frame) {
    Mask mask(frame.lanes.size(), true);
    Frame *outer = std::exchange(frame_, &frame);
    exec(block, mask, nullptr);
    frame_ = outer;
  }
  Scalar evalIn(Frame &frame, const Expr *e) {
    Frame *outer = std::exchange(frame_, &frame);
    Scalar result = scalar(e, 0);
    frame_ = outer;
    return result;
  }

private:
  static bool none(const Mask &m) {
    return std::none_of(m.begin(), m.end(), [](bool b) { return b; });
  }
  void step() {
    if (steps_-- == 0) throw Failure("too many steps");
  }
  template <class F> void each(const Mask &mask, F f) {
    for (std::size_t lane = 0; lane < mask.size(); ++lane)
      if (mask[lane]) f(lane);
  }

  // ---- statements ----

  void exec(const Stmt *s, Mask &mask, Loop *loop) {
    if (!s || none(mask)) return;
    step();
    switch (s->kind()) {
    case Kind::Block:
      for (const Stmt *inner : as<Block>(s)->stmts) exec(inner, mask, loop);
      return;
    case Kind::Declare: return declare(as<Declare>(s), mask);
    case Kind::Evaluate: return evaluate(as<Evaluate>(s)->expr, mask);
    case Kind::If: {
      const auto *n = as<If>(s);
      Mask then(mask.size()), other(mask.size());
      each(mask, [&](std::size_t l) { (truth(scalar(n->cond, l)) ? then : other)[l] = true; });
      exec(n->then, then, loop);
      exec(n->otherwise, other, loop);
      for (std::size_t l = 0; l < mask.size(); ++l) mask[l] = then[l] || other[l];
      return;
    }
    case Kind::For: {
      const auto *n = as<For>(s);
      exec(n->init, mask, loop);
      return iterate(mask, n->cond, n->body, n->step, false);
    }
    case Kind::While: return iterate(mask, as<While>(s)->cond, as<While>(s)->body, nullptr, false);
    case Kind::DoWhile: return iterate(mask, as<DoWhile>(s)->cond, as<DoWhile>(s)->body, nullptr, true);
    case Kind::Switch: return choose(as<Switch>(s), mask, loop);
    case Kind::Break:
      each(mask, [&](std::size_t l) { loop->broke[l] = true; });
      mask.assign(mask.size(), false);
      return;
    case Kind::Continue:
      each(mask, [&](std::size_t l) { loop->continued[l] = true; });
      mask.assign(mask.size(), false);
      return;
    case Kind::Return:
      each(mask, [&](std::size_t l) {
        if (const Expr *value = as<Return>(s)->value) frame_->returned[l] = scalar(value, l);
      });
      mask.assign(mask.size(), false);
      return;
    case Kind::Loop: {
      const auto *n = as<ast::Loop>(s);
      if (mask.size() != 1) throw Failure("a Loop inside a Cooperate");
      Wide end = number(scalar(n->end, 0));
      for (Wide i = number(scalar(n->begin, 0)); i < end; ++i) {
        frame_->lanes[0][n->var] = scalarValue(integer(n->varType, static_cast<std::int64_t>(i)));
        Mask inner{true};
        Loop ignored{{false}, {false}};
        exec(n->body, inner, &ignored);
        if (ignored.broke[0] || ignored.continued[0]) throw Failure("a parallel loop is left");
      }
      return;
    }
    case Kind::Cooperate: {
      const auto *n = as<Cooperate>(s);
      std::size_t width = static_cast<std::size_t>(scalar(n->width, 0).i);
      std::map<std::string, Value> outside = frame_->lanes[0];
      frame_->lanes.assign(width, outside); // scalars of outside are one storage: shared
      frame_->returned.assign(width, {});
      for (std::size_t l = 0; l < width; ++l)
        frame_->lanes[l][n->lane] = variable(integer(ast::Scalar::U32, static_cast<std::int64_t>(l)));
      Mask lanes(width, true);
      exec(n->body, lanes, nullptr);
      frame_->lanes.assign(1, outside);
      frame_->returned.assign(1, {});
      return;
    }
    case Kind::Sync:
    case Kind::Await: return;
    case Kind::View: {
      const auto *n = as<View>(s);
      Array a = lookup(n->base, 0).array;
      a.offset += scalar(n->offset, 0).i;
      a.sizes.clear();
      a.strides.clear();
      for (const Expr *e : n->sizes) a.sizes.push_back(scalar(e, 0).i);
      for (const Expr *e : n->strides) a.strides.push_back(scalar(e, 0).i);
      Value v;
      v.kind = Value::Kind::Array;
      v.array = std::move(a);
      frame_->lanes[0][n->name] = std::move(v);
      return;
    }
    case Kind::Alloc: {
      const auto *n = as<Alloc>(s);
      std::vector<std::int64_t> sizes;
      std::int64_t all = 1;
      for (const Expr *e : n->extents) {
        sizes.push_back(scalar(e, 0).i);
        all *= sizes.back();
      }
      if (all < 0 || all > 10'000'000) throw Failure(fmt::format("an allocation of {} elements", all));
      frame_->lanes[0][n->name] =
          arrayValue(std::vector<Scalar>(static_cast<std::size_t>(all), zero(n->element)), sizes);
      return;
    }
    case Kind::Report: {
      const auto *n = as<Report>(s);
      if (std::int64_t site = read(pointer(n->record, 0)).i)
        throw Reported(n->sites.at(static_cast<std::size_t>(site) - 1));
      return;
    }
    default: throw Failure(fmt::format("a {} cannot be run", name(s->kind())));
    }
  }

  void iterate(Mask &mask, const Expr *cond, const Block *body, const Expr *step, bool bodyFirst) {
    Mask active = mask, done(mask.size(), false);
    for (bool first = true;; first = false) {
      this->step();
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
      if (step) evaluate(step, active);
    }
    mask = done;
  }

  void choose(const Switch *n, Mask &mask, Loop *outer) {
    Mask done(mask.size(), false), running(mask.size(), false), waiting = mask;
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

  /// Every lane reads before any lane writes.
  void evaluate(const Expr *e, const Mask &mask) {
    const auto *assign = dyn<Assign>(e);
    if (!assign || mask.size() == 1) return each(mask, [&](std::size_t l) { eval(e, l); });
    std::vector<std::pair<Value, Scalar>> writes;
    each(mask, [&](std::size_t l) {
      Scalar value = scalar(assign->value, l);
      Value target = place(assign->target, l);
      if (assign->op != AssignOp::Set) value = compound(assign, read(target), value);
      writes.emplace_back(target, convert(value, assign->target->type));
    });
    // Of lanes that write one place, the first one's value stays.
    for (auto it = writes.rbegin(); it != writes.rend(); ++it) write(it->first, it->second);
  }

  void declare(const Declare *n, const Mask &mask) {
    Value shared;
    bool made = false;
    each(mask, [&](std::size_t l) {
      if (n->shared && made) {
        frame_->lanes[l][n->name] = shared;
        return;
      }
      Value v;
      if (n->type.isArray() && n->extents.empty()) {
        v = eval(n->init, l);
      } else if (!n->extents.empty()) {
        std::vector<std::int64_t> sizes;
        std::int64_t all = 1;
        for (const Expr *e : n->extents) {
          sizes.push_back(scalar(e, l).i);
          all *= sizes.back();
        }
        Type element = n->type.leaf();
        std::vector<Scalar> values(static_cast<std::size_t>(all), zero(element));
        if (const auto *list = dyn<InitList>(n->init)) {
          std::size_t at = 0;
          fill(list, values, at, sizes, 0, l, element);
        }
        v = arrayValue(values, sizes);
      } else if (n->init && n->type.isPointer()) {
        v = eval(n->init, l);
      } else {
        v = variable(n->init ? convert(scalar(n->init, l), n->type) : zero(n->type));
      }
      frame_->lanes[l][n->name] = v;
      shared = v;
      made = true;
    });
  }
  void fill(const InitList *list, std::vector<Scalar> &values, std::size_t &at, const std::vector<std::int64_t> &sizes,
            std::size_t d, std::size_t lane, const Type &element) {
    std::size_t length = 1, start = at;
    for (std::size_t k = d; k < sizes.size(); ++k) length *= static_cast<std::size_t>(sizes[k]);
    for (const Expr *e : list->values) {
      if (const auto *inner = dyn<InitList>(e))
        fill(inner, values, at, sizes, d + 1, lane, element);
      else
        values.at(at++) = convert(scalar(e, lane), element);
    }
    if (d > 0) at = start + length;
  }

  // ---- places and values ----

  static Scalar zero(const Type &type) { return type.isFloating() ? real(type, 0) : integer(type, 0); }
  static Value variable(const Scalar &s) {
    Value v;
    v.kind = Value::Kind::Pointer;
    v.storage = std::make_shared<std::vector<Scalar>>(1, s);
    v.scalar.i = 1; // a variable, not a pointer that the program has
    return v;
  }
  static Scalar read(const Value &place) {
    if (place.offset < 0 || place.offset >= static_cast<std::int64_t>(place.storage->size()))
      throw Failure(fmt::format("read at {} of {}", place.offset, place.storage->size()));
    return (*place.storage)[static_cast<std::size_t>(place.offset)];
  }
  static void write(const Value &place, const Scalar &s) {
    if (place.offset < 0 || place.offset >= static_cast<std::int64_t>(place.storage->size()))
      throw Failure(fmt::format("write at {} of {}", place.offset, place.storage->size()));
    (*place.storage)[static_cast<std::size_t>(place.offset)] = s;
  }
  const Value &lookup(const std::string &name, std::size_t lane) {
    auto found = frame_->lanes[lane].find(name);
    if (found != frame_->lanes[lane].end()) return found->second;
    auto constant = frame_->constants.find(name);
    if (constant == frame_->constants.end()) throw Failure(fmt::format("'{}' is not declared", name));
    return constant->second;
  }

  Value place(const Expr *e, std::size_t lane) {
    if (const auto *v = dyn<VarRef>(e)) return lookup(v->name, lane);
    if (const auto *u = dyn<Unary>(e); u && u->op == UnaryOp::Deref) return pointer(u->operand, lane);
    const auto *s = dyn<Subscript>(e);
    if (!s) throw Failure(fmt::format("a {} is no place", name(e->kind())));
    Value base = eval(s->base, lane);
    std::vector<std::int64_t> index;
    for (const Expr *i : s->indices) index.push_back(scalar(i, lane).i);
    if (base.kind == Value::Kind::Array) return elementOf(base.array, index);
    if (base.kind != Value::Kind::Pointer || index.size() != 1) throw Failure("a subscript of something else");
    base.offset += index[0];
    return base;
  }
  Value pointer(const Expr *e, std::size_t lane) {
    Value v = eval(e, lane);
    if (v.kind == Value::Kind::Array) { // decays
      Value p;
      p.kind = Value::Kind::Pointer;
      p.storage = v.array.storage;
      p.offset = v.array.offset;
      return p;
    }
    if (v.kind != Value::Kind::Pointer) throw Failure("not a pointer");
    return v;
  }
  Scalar scalar(const Expr *e, std::size_t lane) {
    Value v = eval(e, lane);
    if (v.kind != Value::Kind::Scalar) throw Failure(fmt::format("a {} is no scalar", name(e->kind())));
    if (!(v.scalar.type == e->type))
      throw Failure(
          fmt::format("a {} of type {} has a value of type {}", name(e->kind()), e->type.text(), v.scalar.type.text()));
    return v.scalar;
  }
  Scalar compound(const Assign *n, const Scalar &old, const Scalar &value) {
    // C++ computes in the common type and converts back.
    Type common =
        value.type.isFloating() || old.type.isFloating()
            ? (old.type == Type(ast::Scalar::F64) || value.type == Type(ast::Scalar::F64) ? Type(ast::Scalar::F64)
                                                                                          : Type(ast::Scalar::F32))
            : (old.type.bytes() >= value.type.bytes() ? old.type : value.type);
    return convert(arithmetic(binaryOf(n->op), convert(old, common), convert(value, common)), old.type);
  }

  Value eval(const Expr *e, std::size_t lane) {
    step();
    switch (e->kind()) {
    case Kind::IntLit: return scalarValue(integer(e->type, as<IntLit>(e)->value));
    case Kind::FloatLit: return scalarValue(real(e->type, as<FloatLit>(e)->value));
    case Kind::VarRef: {
      const Value &v = lookup(as<VarRef>(e)->name, lane);
      if (v.kind != Value::Kind::Pointer || e->type.isPointer() || v.scalar.i != 1) return v;
      return scalarValue(read(v));
    }
    case Kind::Unary: return unary(as<Unary>(e), lane);
    case Kind::Binary: return binary(as<Binary>(e), lane);
    case Kind::Assign: {
      const auto *n = as<Assign>(e);
      if (const auto *t = dyn<Transfer>(n->value); t && t->count > 1) throw Failure("a Transfer of several elements");
      Scalar value = scalar(n->value, lane);
      Value target = place(n->target, lane);
      if (n->op != AssignOp::Set) value = compound(n, read(target), value);
      write(target, convert(value, n->target->type));
      return scalarValue(convert(value, e->type));
    }
    case Kind::Conditional: {
      const auto *n = as<Conditional>(e);
      return eval(truth(scalar(n->cond, lane)) ? n->then : n->otherwise, lane);
    }
    case Kind::Transfer: { // there at once
      const auto *n = as<Transfer>(e);
      if (n->cond && !truth(scalar(n->cond, lane))) return scalarValue(zero(e->type));
      return eval(n->source, lane);
    }
    case Kind::Cast: {
      Value v = eval(as<Cast>(e)->operand, lane);
      if (e->type.isVoid()) return {};
      return v.kind == Value::Kind::Scalar ? scalarValue(convert(v.scalar, e->type)) : v;
    }
    case Kind::Subscript: {
      Value v = place(e, lane);
      return v.kind == Value::Kind::Array ? v : scalarValue(read(v));
    }
    case Kind::Size: {
      const auto *n = as<Size>(e);
      Array a = eval(n->container, lane).array;
      const std::vector<std::int64_t> &sizes = a.parts ? a.parts->counts : a.sizes;
      std::int64_t result = 1;
      if (n->dim)
        result = sizes.at(static_cast<std::size_t>(scalar(n->dim, lane).i));
      else
        for (std::int64_t s : sizes) result *= s;
      return scalarValue(integer(e->type, result));
    }
    case Kind::Pitch: {
      const auto *n = as<Pitch>(e);
      Array a = eval(n->container, lane).array;
      return scalarValue(integer(e->type, a.strides.at(static_cast<std::size_t>(scalar(n->dim, lane).i))));
    }
    case Kind::CoopIdx: return scalarValue(integer(e->type, static_cast<std::int64_t>(lane)));
    case Kind::CoopDim: {
      std::size_t width = frame_->lanes.size();
      if (guardLevel_) width = lanesAt(*guardLevel_);
      return scalarValue(integer(e->type, static_cast<std::int64_t>(width)));
    }
    case Kind::Atomic: {
      const auto *n = as<Atomic>(e);
      Value target = place(n->target, lane);
      Scalar old = read(target), operand = scalar(n->operands[0], lane);
      if (n->op != AtomicOp::Add) throw Failure("only atomic add");
      write(target, arithmetic(BinaryOp::Add, old, operand));
      return scalarValue(old);
    }
    case Kind::Check: {
      const auto *n = as<Check>(e);
      auto index = static_cast<std::uint64_t>(scalar(n->index, lane).i);
      bool fits = index < static_cast<std::uint64_t>(scalar(n->bound, lane).i);
      if (!n->record) throw Failure("a Check without a record");
      Value record = pointer(n->record, lane);
      if (!fits && read(record).i == 0) write(record, integer(ast::Scalar::U32, n->site));
      return scalarValue(integer(e->type, fits));
    }
    case Kind::Faulted: return scalarValue(integer(e->type, read(pointer(as<Faulted>(e)->record, lane)).i != 0));
    case Kind::Call: return call(as<Call>(e), lane);
    case Kind::SpectrumCall: {
      const auto *n = as<SpectrumCall>(e);
      std::vector<Value> args;
      std::vector<const Expr *> exprs = n->args;
      for (std::size_t i = 0; i < exprs.size(); ++i)
        args.push_back(n->codelet->params[i]->access != Access::In && !exprs[i]->type.isArray() ? place(exprs[i], lane)
                                                                                                : eval(exprs[i], lane));
      return spectrum(n, args);
    }
    case Kind::Map: return map(as<Map>(e), lane);
    case Kind::Partition: return partition(as<Partition>(e), lane);
    default: throw Failure(fmt::format("a {} cannot be evaluated", name(e->kind())));
    }
  }

  Value unary(const Unary *n, std::size_t lane) {
    if (n->op == UnaryOp::AddressOf) {
      Value v = place(n->operand, lane);
      v.scalar.i = 0;
      return v;
    }
    if (n->op == UnaryOp::Deref) return scalarValue(read(pointer(n->operand, lane)));
    bool changes = n->op >= UnaryOp::PreInc && n->op <= UnaryOp::PostDec;
    if (changes) {
      Value p = place(n->operand, lane);
      Scalar old = read(p), one = convert(integer(ast::Scalar::I32, 1), old.type);
      bool up = n->op == UnaryOp::PreInc || n->op == UnaryOp::PostInc;
      Scalar now = arithmetic(up ? BinaryOp::Add : BinaryOp::Sub, old, one);
      write(p, now);
      return scalarValue(n->op == UnaryOp::PreInc || n->op == UnaryOp::PreDec ? now : old);
    }
    Scalar v = scalar(n->operand, lane);
    switch (n->op) {
    case UnaryOp::Plus: return scalarValue(v);
    case UnaryOp::Minus: return scalarValue(v.type.isFloating() ? real(v.type, -v.d) : integer(v.type, -v.i));
    case UnaryOp::BitNot: return scalarValue(integer(v.type, ~v.i));
    default: return scalarValue(integer(ast::Scalar::Bool, !truth(v)));
    }
  }

  Value binary(const Binary *n, std::size_t lane) {
    switch (n->op) {
    case BinaryOp::LogicalAnd:
      return scalarValue(integer(ast::Scalar::Bool, truth(scalar(n->lhs, lane)) && truth(scalar(n->rhs, lane))));
    case BinaryOp::LogicalOr:
      return scalarValue(integer(ast::Scalar::Bool, truth(scalar(n->lhs, lane)) || truth(scalar(n->rhs, lane))));
    case BinaryOp::Comma: eval(n->lhs, lane); return eval(n->rhs, lane);
    default: break;
    }
    if (n->lhs->type.isPointer()) {
      Value p = pointer(n->lhs, lane);
      p.offset += scalar(n->rhs, lane).i;
      p.scalar.i = 0;
      return p;
    }
    Scalar a = scalar(n->lhs, lane), b = scalar(n->rhs, lane);
    bool shift = n->op == BinaryOp::Shl || n->op == BinaryOp::Shr;
    if (!shift && !(a.type == b.type)) throw Failure("operands of different types");
    return scalarValue(arithmetic(n->op, a, b));
  }

  Value call(const Call *n, std::size_t lane) {
    auto found = functions_.find(n->callee);
    if (found == functions_.end()) {
      if (n->callee == "fabs") return scalarValue(real(n->type, std::fabs(scalar(n->args[0], lane).d)));
      if (n->callee == "sqrtf") return scalarValue(real(n->type, std::sqrt(scalar(n->args[0], lane).d)));
      if (n->callee == ast::kReciprocalRoot)
        return scalarValue(real(n->type, 1 / std::sqrt(scalar(n->args[0], lane).d)));
      throw Failure(fmt::format("unknown function '{}'", n->callee));
    }
    Frame frame;
    const Function *f = found->second;
    if (n->args.size() != f->params.size())
      throw Failure(fmt::format("'{}' with a wrong number of arguments", n->callee));
    for (std::size_t i = 0; i < n->args.size(); ++i) {
      Value v;
      if (f->params[i]->type.isPointer())
        v = pointer(n->args[i], lane), v.scalar.i = 0;
      else if (f->params[i]->access != Access::In && !f->params[i]->type.isArray())
        v = place(n->args[i], lane);
      else
        v = eval(n->args[i], lane);
      if (v.kind == Value::Kind::Scalar) v = variable(convert(v.scalar, f->params[i]->type));
      frame.lanes[0][f->params[i]->name] = std::move(v);
    }
    if (++depth_ > 100) throw Failure("too deep");
    body(f->body, frame);
    --depth_;
    return n->type.isVoid() ? Value{} : scalarValue(convert(frame.returned[0], n->type));
  }

  // ---- the language ----

  std::size_t lanesAt(const std::string &level) {
    return std::max<std::size_t>(1, hardware_.lanes(*hardware_.find(level)));
  }

  Value spectrum(const SpectrumCall *n, const std::vector<Value> &args) {
    const Codelet *c = n->codelet;
    std::string level = n->devolved.empty() ? n->level : n->devolved.back();
    Frame frame;
    frame.level = level;
    frame.constants = frame_->constants;
    std::size_t width = c->coop ? lanesAt(level) : 1;
    frame.lanes.resize(width);
    frame.returned.resize(width);
    for (std::size_t l = 0; l < width; ++l)
      for (std::size_t i = 0; i < args.size(); ++i) {
        Value v = args[i];
        if (v.kind == Value::Kind::Scalar) v = variable(convert(v.scalar, c->params[i]->type));
        frame.lanes[l][c->params[i]->name] = std::move(v);
      }
    bool promoted = c->params.size() == args.size() + 1;
    Value result;
    if (promoted) {
      result = variable(zero(c->params.back()->type));
      for (auto &lane : frame.lanes) lane[c->params.back()->name] = result;
    }
    guardLevel_ = &level;
    bool holds = std::all_of(n->guard.begin(), n->guard.end(), [&](const Expr *g) { return truth(evalIn(frame, g)); });
    guardLevel_ = nullptr;
    if (!holds) return spectrum(n->fallback, args);
    body(c->body, frame);
    if (promoted) return scalarValue(read(result));
    if (frame.returned[0].type.isVoid()) return {};
    return scalarValue(frame.returned[0]);
  }

  Value map(const Map *n, std::size_t lane) {
    const Map *innermost = n;
    while (!innermost->call) innermost = innermost->inner;
    const SpectrumCall *call = innermost->call;
    std::vector<Value> args;
    std::vector<std::size_t> dims;
    std::vector<std::int64_t> extents;
    for (std::size_t i = 0; i < n->args.size(); ++i) {
      args.push_back(eval(n->args[i], lane));
      const Type &a = n->args[i]->type, &p = call->codelet->params[i]->type;
      std::size_t d = a == p || !a.isArray() ? 0 : a.element() == p ? a.rank() : a.rank() - p.rank();
      dims.push_back(d);
      if (!d) continue;
      const Array &array = args.back().array;
      std::vector<std::int64_t> sizes = array.parts ? array.parts->counts : array.sizes;
      sizes.resize(d);
      if (extents.empty()) extents = sizes;
      for (std::size_t k = 0; k < d; ++k) extents[k] = std::min(extents[k], sizes[k]);
    }
    std::vector<std::int64_t> index(extents.size(), 0);
    std::vector<Scalar> results;
    std::int64_t total = 1;
    for (std::int64_t e : extents) total *= e;
    for (std::int64_t k = 0; k < total; ++k) {
      std::int64_t rest = k;
      for (std::size_t d = extents.size(); d-- > 0; rest /= extents[d]) index[d] = rest % extents[d];
      std::vector<Value> own = args;
      for (std::size_t i = 0; i < args.size(); ++i)
        if (dims[i]) {
          own[i] = elementOf(args[i].array, index);
          bool value = own[i].kind == Value::Kind::Pointer && call->codelet->params[i]->access == Access::In;
          if (value)
            own[i] = scalarValue(read(own[i]));
          else if (own[i].kind == Value::Kind::Pointer)
            own[i].scalar.i = 1;
        }
      Value r = spectrum(call, own);
      if (r.kind == Value::Kind::Scalar) results.push_back(r.scalar);
    }
    if (n->type.isVoid()) return {};
    return arrayValue(results, extents);
  }

  Wide writtenNumber(const Expr *e, std::size_t lane) {
    while (isa<Cast>(e) && e->type == Type(ast::Scalar::U64) && as<Cast>(e)->operand->type.isInteger())
      e = as<Cast>(e)->operand;
    return number(scalar(e, lane));
  }
  Parts::Sequence sequence(const Sequence *n, std::size_t lane) {
    Parts::Sequence s;
    if (n->container) {
      s.hasThrough = true;
      s.through = eval(n->container, lane).array;
    }
    s.start = sizeNumber(scalar(n->start, lane));
    if (n->inc) {
      s.moves = true;
      s.inc = sizeNumber(scalar(n->inc, lane));
      s.end = sizeNumber(scalar(n->end, lane));
    }
    return s;
  }
  Value partition(const Partition *n, std::size_t lane) {
    auto parts = std::make_shared<Parts>();
    parts->base = eval(n->container, lane).array;
    for (const Expr *count : n->counts) {
      Wide c = writtenNumber(count, lane);
      if (c > 1'000'000) throw Failure("too many parts");
      parts->counts.push_back(static_cast<std::int64_t>(std::max<Wide>(c, 0)));
    }
    for (const Sequence *s : n->starts) parts->starts.push_back(sequence(s, lane));
    for (const Sequence *s : n->incs) parts->incs.push_back(sequence(s, lane));
    for (const Sequence *s : n->ends) parts->ends.push_back(sequence(s, lane));
    Value v;
    v.kind = Value::Kind::Array;
    v.array.parts = std::move(parts);
    return v;
  }

  const hardware::Hardware &hardware_;
  std::map<std::string, const Function *> functions_;
  Frame *frame_ = nullptr;
  const std::string *guardLevel_ = nullptr;
  std::uint64_t steps_; // that are left
  int depth_ = 0;
};

/// The kernel's parameters bound to the spectrum's arguments, in either form.
Machine::Frame bound(const Module &module, const Kernel &kernel, const std::vector<Value> &args, Value &result) {
  (void)module;
  Machine::Frame frame;
  auto variable = [](Scalar s) {
    Value v;
    v.kind = Value::Kind::Pointer;
    v.storage = std::make_shared<std::vector<Scalar>>(1, std::move(s));
    v.scalar.i = 1;
    return v;
  };
  std::size_t p = 0;
  auto &vars = frame.lanes[0];
  for (const Value &arg : args) {
    const Param *param = kernel.params.at(p++);
    if (arg.kind == Value::Kind::Array && param->type.isPointer()) {
      Value pointer;
      pointer.kind = Value::Kind::Pointer;
      pointer.storage = arg.array.storage;
      pointer.offset = arg.array.offset;
      vars[param->name] = pointer;
      auto extra = [&](std::int64_t v) { vars[kernel.params.at(p++)->name] = variable(integer(ast::Scalar::U64, v)); };
      for (std::int64_t s : arg.array.sizes) extra(s);
      for (std::size_t d = 0; d + 1 < arg.array.strides.size(); ++d) extra(arg.array.strides[d]);
    } else if (arg.kind == Value::Kind::Scalar) {
      vars[param->name] = variable(arg.scalar);
    } else {
      vars[param->name] = arg;
    }
  }
  if (p < kernel.params.size()) {
    const Param *param = kernel.params[p];
    result = variable(convert(integer(ast::Scalar::I32, 0), kernel.result));
    if (param->type.isPointer()) result.scalar.i = 0;
    vars[param->name] = result;
  }
  return frame;
}

} // namespace

Scalar run(const Module &module, const Kernel &kernel, const hardware::Hardware &hardware,
           const std::vector<Value> &args, std::uint64_t steps) {
  Machine machine(module, hardware, steps);
  Value result;
  Machine::Frame frame = bound(module, kernel, args, result);
  for (std::size_t i = 0; i < kernel.constants.size(); ++i)
    frame.constants[kernel.constants[i]->name] = scalarValue(machine.evalIn(frame, kernel.defaults[i]));
  frame.level = hardware.top().name;
  machine.body(kernel.body, frame);
  if (kernel.result.isVoid()) return {};
  return result.storage ? (*result.storage)[0] : convert(frame.returned[0], kernel.result);
}

bool accepts(const Module &module, const Kernel &kernel, const hardware::Hardware &hardware,
             const std::vector<Value> &args) {
  Machine machine(module, hardware, kManySteps);
  Value result;
  Machine::Frame frame = bound(module, kernel, args, result);
  return std::all_of(kernel.conditions.begin(), kernel.conditions.end(),
                     [&](const Expr *c) { return truth(machine.evalIn(frame, c)); });
}

} // namespace tangram::test
