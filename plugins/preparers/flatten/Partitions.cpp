#include "Flattener.h"

#include "tangram/ast/Compare.h"

#include <limits>

namespace tangram::flatten {

using namespace ast;

namespace {
constexpr DiagnosticKind kParts{"flatten.partition-of-parts", DiagnosticClass::Limitation,
                                "a partition of a partition", "partition the parts in a codelet of their own"};
constexpr DiagnosticKind kDimensions{"flatten.partition-dimensions", DiagnosticClass::User,
                                     "a container of rank {} is cut in {} dimensions ({} starts, {} strides, {} ends)",
                                     "give one count, start, stride and end for each dimension that is cut"};
constexpr DiagnosticKind kSequence{"flatten.sequence", DiagnosticClass::User, "a sequence has {} but no {}",
                                   "write sequence(a), sequence(start, inc, end) or sequence(c, start, inc, end)"};
constexpr DiagnosticKind kThrough{"flatten.sequence-container", DiagnosticClass::User,
                                  "a sequence through a container of type {}", "use a container of rank 1 of integers"};

bool mayBeNegative(const Expr *e) {
  if (std::optional<Int> value = literal(e)) return e->type.isSigned() && *value < 0;
  return e->type.isSigned();
}

/// The operand as it was written: C++ converts it to the unsigned type of sizes, in which a negative one would be huge.
const Expr *written(const Expr *e) {
  while (const auto *cast = dyn<Cast>(e)) {
    if (!(cast->type == Type(Scalar::U64)) || !cast->operand->type.isInteger()) break;
    e = cast->operand;
  }
  return e;
}

/// Whether the value of an integer expression is known to need no more than 32 bits.
bool isNarrow(const Expr *e) {
  e = written(e);
  if (const auto *choice = dyn<Conditional>(e)) return isNarrow(choice->then) && isNarrow(choice->otherwise);
  if (std::optional<Int> value = literal(e); value && e->type == Type(Scalar::U64) && *value < 0) return false;
  if (std::optional<Int> value = literal(e))
    return *value >= std::numeric_limits<std::int32_t>::min() && *value <= std::numeric_limits<std::uint32_t>::max();
  return e->type.isInteger() && e->type.bytes() <= 4;
}
} // namespace

const Expr *Flattener::widened(const Expr *value, const Type &domain) {
  // An unsigned value that is too large for i64 stands for "beyond everything".
  if (domain == Type(Scalar::I64) && value->type == Type(Scalar::U64) && !isNarrow(value)) {
    const Expr *top = b().u64(static_cast<std::uint64_t>(std::numeric_limits<Int>::max()));
    value = b().min(simple(value, "t"), top);
  }
  return b().cast(domain, value);
}

// ---- sequences -----------------------------------------------------------------------------------------

SequenceValue Flattener::sequence(const Sequence *node, const Expr *count) {
  SequenceValue s;
  if (node->container) {
    s.through = std::make_shared<Container>(container(node->container));
    if (s.through->parts || s.through->type.rank() != 1 || !s.through->type.element().isInteger())
      fail(kThrough, node->range, s.through->type.text());
  }
  if (!node->inc != !node->end) fail(kSequence, node->range, node->inc ? "a step" : "an end", node->inc ? "end" : "step");
  std::vector<const Expr *> values{node->start};
  if (node->inc) values.insert(values.end(), {node->inc, node->end});
  values = operands(values);
  for (const Expr *&value : values) {
    if (!value->type.isInteger()) value = b().cast(Scalar::I64, value);
    value = keep(written(value), "bound");
  }

  bool negative = false, narrow = isNarrow(count);
  for (const Expr *value : values) {
    negative |= mayBeNegative(value);
    narrow &= isNarrow(value);
  }
  s.domain = negative ? Scalar::I64 : Scalar::U64;
  const Expr *end = node->inc ? values[2] : nullptr;
  for (const Expr *&value : values) value = widened(value, s.domain);
  s.start = values[0];
  if (!node->inc) return s;
  s.inc = values[1];
  s.end = values[2];
  s.always = isLiteral(s.start, 0) && isLiteral(s.inc, 1) && equal(b().cast(Scalar::U64, end), count);
  if (!narrow && !s.always && !isLiteral(s.inc, 0)) s.reach = simple(reach(s), "reach");
  return s;
}

/// ceil((end - start) / inc) where a step leads from start towards end, else 0; all of them where there is no step.
const Expr *Flattener::reach(const SequenceValue &s) {
  const Expr *start = simple(s.start, "start"), *inc = simple(s.inc, "step"), *end = simple(s.end, "end");
  auto u64 = [&](const Expr *e) { return b().cast(Scalar::U64, e); };
  const Expr *zero = b().u64(0), *one = b().u64(1), *every = b().u64(std::numeric_limits<std::uint64_t>::max());
  auto steps = [&](const Expr *from, const Expr *to, const Expr *step) {
    const Expr *distance = b().sub(u64(to), u64(from));
    return isLiteral(step, 1) ? distance : b().add(b().div(b().sub(distance, one), step), one);
  };
  const Expr *up = steps(start, end, u64(inc));
  if (s.domain == Type(Scalar::U64)) {
    if (!literal(inc)) up = b().select(b().equal(inc, zero), every, up);
    return isLiteral(start, 0) && isLiteral(inc, 1) ? end : b().select(b().less(start, end), up, zero);
  }
  const Expr *none = b().integer(Scalar::I64, 0);
  const Expr *rising = b().select(b().less(start, end), up, zero);
  const Expr *falling = b().select(b().less(end, start), steps(end, start, b().sub(zero, u64(inc))), zero);
  const Expr *moving = b().select(b().less(inc, none), falling, rising);
  const Expr *standing = b().select(b().less(start, end), every, zero);
  return literal(inc) ? moving : b().select(b().equal(inc, none), standing, moving);
}

const Expr *Flattener::sequenceAt(const SequenceValue &s, const Expr *index, const std::string &hint) {
  const Expr *value = s.start;
  if (s.inc && (s.always || s.reach)) {
    const Expr *moved = b().add(b().cast(Scalar::U64, s.start), b().mul(index, b().cast(Scalar::U64, s.inc)));
    moved = b().cast(s.domain, moved);
    value = s.always ? moved : b().select(b().less(index, s.reach), moved, s.end);
  } else if (s.inc) {
    const Expr *moved = b().add(s.start, b().mul(b().cast(s.domain, index), s.inc));
    moved = simpleCalled(moved, hint + "_start");
    const Expr *end = simpleCalled(s.end, hint + "_limit");
    if (s.domain == Type(Scalar::U64)) {
      value = b().min(moved, end);
    } else {
      const Expr *inc = simpleCalled(s.inc, hint + "_step");
      value = b().select(b().less(inc, b().integer(Scalar::I64, 0)), b().max(moved, end), b().min(moved, end));
    }
  }
  if (!s.through) return value;

  // An index is cut to the container; there is nothing to read where that is empty.
  const Expr *size = s.through->sizes[0];
  if (s.domain == Type(Scalar::I64)) {
    value = simpleCalled(value, hint + "_index");
    value = b().select(b().less(value, b().integer(Scalar::I64, 0)), b().u64(0), b().cast(Scalar::U64, value));
  }
  value = simpleCalled(value, hint + "_index");
  const Type &type = s.through->type.element();
  const Expr *last = b().sub(size, b().u64(1));
  const Expr *read = b().element(reference(*s.through), {b().select(b().less(value, size), value, last)}, type);
  read = b().select(b().equal(size, b().u64(0)), b().integer(type, 0), read);
  return widened(simpleCalled(read, hint + "_value"), type.isSigned() ? Scalar::I64 : Scalar::U64);
}

// ---- parts ---------------------------------------------------------------------------------------------

Container Flattener::partition(const Partition *node) {
  auto parts = std::make_shared<Parts>();
  parts->base = container(node->container);
  if (parts->base.parts) fail(kParts, node->range);
  std::size_t dims = node->counts.size();
  if (dims == 0 || dims > parts->base.type.rank() || node->starts.size() != dims || node->incs.size() != dims ||
      node->ends.size() != dims)
    fail(kDimensions, node->range, parts->base.type.rank(), dims, node->starts.size(), node->incs.size(),
         node->ends.size());

  Container c;
  c.type = Type::array(static_cast<unsigned>(dims), parts->base.type);
  c.isConst = parts->base.isConst;
  for (const Expr *count : operands(node->counts)) {
    if (!count->type.isInteger()) count = b().cast(Scalar::I64, count);
    count = keep(written(count), "count");
    if (mayBeNegative(count)) {
      count = simple(count, "count");
      const Expr *none = b().integer(count->type, 0);
      count = b().select(b().less(count, none), none, count);
    }
    c.sizes.push_back(keep(b().cast(Scalar::U64, count), "count"));
  }
  for (std::size_t d = 0; d < dims; ++d) {
    parts->starts.push_back(sequence(node->starts[d], c.sizes[d]));
    parts->incs.push_back(sequence(node->incs[d], c.sizes[d]));
    parts->ends.push_back(sequence(node->ends[d], c.sizes[d]));
  }
  c.parts = std::move(parts);
  return c;
}

bool Flattener::atMost(const Expr *value, const Expr *bound) const {
  for (;;) {
    if (equal(value, bound) || isLiteral(value, 0)) return true;
    if (const auto *cast = dyn<Cast>(value)) {
      // Unsigned to unsigned keeps the value or makes it smaller.
      const Type &from = cast->operand->type;
      if (!from.isInteger() || from.isSigned() || !cast->type.isInteger() || cast->type.isSigned()) return false;
      value = cast->operand;
    } else if (const auto *variable = dyn<VarRef>(value)) {
      auto known = constants_.find(variable->name);
      if (known == constants_.end()) return false;
      value = known->second;
    } else {
      return false;
    }
  }
}

Container Flattener::part(const Container &c, const std::vector<const Expr *> &index, bool isConst,
                          const std::string &hint) {
  const Parts &parts = *c.parts;
  const Container &base = parts.base;
  const Type u64 = Scalar::U64, i64 = Scalar::I64;
  const Expr *offset = b().u64(0), *none = b().integer(i64, 0);
  std::vector<const Expr *> sizes = base.sizes, strides = base.strides;
  for (std::size_t d = 0; d < index.size(); ++d) {
    std::string dim = index.size() > 1 ? hint + std::to_string(d) : hint;
    const Expr *size = base.sizes[d];

    // A negative start is beyond the container, as a huge one is; a negative end is in front of it.
    const SequenceValue &starts = parts.starts[d], &ends = parts.ends[d];
    const Expr *start = b().cast(u64, sequenceAt(starts, index[d], dim));
    bool within = !starts.through && starts.domain == u64 && atMost(starts.end ? starts.end : starts.start, size);
    if (!within) start = b().min(simpleCalled(start, dim + "_start"), size);
    start = simpleCalled(start, dim + "_begin");

    const Expr *end = sequenceAt(ends, index[d], dim + "_end");
    if (end->type == i64) {
      end = simpleCalled(end, dim + "_stop");
      end = b().select(b().less(end, none), b().u64(0), b().cast(u64, end));
    }
    within = !ends.through && ends.domain == u64 && atMost(ends.end ? ends.end : ends.start, size);
    if (!within) end = b().min(simpleCalled(end, dim + "_stop"), size);
    end = simpleCalled(end, dim + "_end");

    const Expr *step = b().cast(u64, sequenceAt(parts.incs[d], index[d], dim + "_inc"));
    bool positive = literal(step) ? !isLiteral(step, 0) : equal(step, c.sizes[d]); // a part exists only if there are any
    if (!positive) {
      step = simpleCalled(step, dim + "_step");
      step = b().select(b().equal(step, b().u64(0)), b().u64(1), step);
    }
    step = simpleCalled(step, dim + "_inc");

    const Expr *length = b().sub(end, start);
    if (!isLiteral(step, 1)) length = b().add(b().div(b().sub(length, b().u64(1)), step), b().u64(1));
    sizes[d] = b().select(b().less(start, end), length, b().u64(0));
    offset = b().add(offset, b().mul(start, base.strides[d]));
    strides[d] = b().mul(step, base.strides[d]);
  }
  return window(base, c.type.element(), offset, std::move(sizes), std::move(strides), isConst, hint);
}

Container Flattener::window(const Container &base, const Type &type, const Expr *offset,
                            std::vector<const Expr *> sizes, std::vector<const Expr *> strides, bool isConst,
                            const std::string &called) {
  Container view;
  view.type = type;
  view.isConst = isConst || base.isConst;
  view.name = names_.fresh(called);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    std::string dim = sizes.size() > 1 ? std::to_string(d) : "";
    view.sizes.push_back(simpleCalled(sizes[d], view.name + "_size" + dim));
    view.strides.push_back(simpleCalled(strides[d], view.name + "_stride" + dim));
  }
  emit(arena_.make<View>(here_, view.name, type.element(), base.name, view.isConst, offset, view.sizes, view.strides));
  return view;
}

Argument Flattener::at(const Container &c, const std::vector<const Expr *> &index, const Type &wanted, bool isConst,
                       const std::string &hint) {
  Argument result;
  if (c.parts) {
    if (index.size() != c.type.rank()) failBug(here_, "flatten", "a part is asked for with too few indices");
    result.container = part(c, index, isConst, hint);
    return result;
  }
  if (index.size() == c.type.rank()) {
    result.value = b().element(reference(c), index, c.type.element());
    if (isConst && wanted.isScalar()) result.value = b().cast(wanted, result.value);
    return result;
  }
  std::size_t dims = index.size();
  const Expr *offset = b().u64(0);
  for (std::size_t d = 0; d < dims; ++d) offset = b().add(offset, b().mul(index[d], c.strides[d]));
  Type type = Type::array(static_cast<unsigned>(c.type.rank() - dims), c.type.element());
  result.container = window(c, type, offset, {c.sizes.begin() + dims, c.sizes.end()},
                            {c.strides.begin() + dims, c.strides.end()}, isConst, hint);
  return result;
}

} // namespace tangram::flatten
