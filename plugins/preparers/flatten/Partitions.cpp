#include "Flattener.h"

#include "tangram/ast/Compare.h"

#include <bit>
#include <limits>

namespace tangram::flatten {

using namespace ast;

namespace {
constexpr DiagnosticKind kParts{"flatten.partition-of-parts", DiagnosticClass::Limitation, "a partition of a partition",
                                "partition the parts in a codelet of their own"};
constexpr DiagnosticKind kDimensions{"flatten.partition-dimensions", DiagnosticClass::User,
                                     "a container of rank {} is cut in {} dimensions ({} starts, {} strides, {} ends)",
                                     "give one count, start, stride and end for each dimension that is cut"};
constexpr DiagnosticKind kSequence{"flatten.sequence", DiagnosticClass::User, "a sequence has {} but no {}",
                                   "write sequence(a), sequence(start, inc, end) or sequence(c, start, inc, end)"};
constexpr DiagnosticKind kThrough{"flatten.sequence-container", DiagnosticClass::User,
                                  "a sequence through a container of type {}", "use a container of rank 1 of integers"};

/// The operand as it was written, before C++ converted it to the type of sizes.
const Expr *written(const Expr *e) {
  while (const auto *cast = dyn<Cast>(e)) {
    if (!(cast->type == Type(Scalar::U64)) || !cast->operand->type.isInteger()) break;
    e = cast->operand;
  }
  return e;
}

/// What the codelet calls a container.
std::string calledName(const Expr *container) {
  const auto *variable = dyn<VarRef>(container);
  return variable ? variable->name : "a container";
}

/// Whether an expression of type u64 is known to be below 2^32.
bool isNarrow(const Expr *e) {
  if (std::optional<Int> value = literal(e)) return *value >= 0 && *value <= std::numeric_limits<std::uint32_t>::max();
  if (const auto *choice = dyn<Conditional>(e)) return isNarrow(choice->then) && isNarrow(choice->otherwise);
  const Type &type = written(e)->type;
  return type.isInteger() && !type.isSigned() && type.bytes() <= 4;
}
} // namespace

// ---- sequences -----------------------------------------------------------------------------------------

SequenceValue Flattener::sequence(const Sequence *node, const Expr *count) {
  SequenceValue s;
  s.range = node->range.valid() ? node->range : here_;
  if (node->container) {
    s.called = calledName(node->container);
    s.through = std::make_shared<Container>(container(node->container));
    if (s.through->parts || s.through->type.rank() != 1 || !s.through->type.element().isInteger())
      fail(kThrough, node->range, s.through->type.text());
  }
  if (!node->inc != !node->end)
    fail(kSequence, node->range, node->inc ? "a step" : "an end", node->inc ? "end" : "step");
  std::vector<const Expr *> values{node->start};
  if (node->inc) values.insert(values.end(), {node->inc, node->end});
  values = operands(values);
  // Operands are of the type of sizes; C++ has converted them, so that a negative one is beyond everything.
  for (const Expr *&value : values) value = keep(b().cast(Scalar::U64, value), "bound");
  s.start = values[0];
  if (!node->inc) return s;
  s.inc = values[1];
  s.end = values[2];
  s.always = isLiteral(s.start, 0) && isLiteral(s.inc, 1) && equal(s.end, count);
  bool narrow = isNarrow(count) && isNarrow(s.start) && isNarrow(s.inc);
  if (!narrow && !s.always && !isLiteral(s.inc, 0)) s.reach = simple(reach(s, count), "reach");
  return s;
}

/// All of them where start + i * inc cannot wrap, and a division is saved. Else ceil((end - start) / inc) where start
/// is before end, and 0 where it is not; all of them where there is no step.
const Expr *Flattener::reach(const SequenceValue &s, const Expr *count) {
  if (isLiteral(s.start, 0) && isLiteral(s.inc, 1)) return s.end;
  const Expr *start = simple(s.start, "start"), *inc = simple(s.inc, "step"), *end = simple(s.end, "end");
  const Expr *zero = b().u64(0), *one = b().u64(1), *every = b().u64(std::numeric_limits<std::uint64_t>::max());
  const Expr *distance = b().sub(end, start);
  const Expr *steps = isLiteral(inc, 1) ? distance : b().add(b().div(b().sub(distance, one), inc), one);
  if (!literal(inc)) steps = b().select(b().equal(inc, zero), every, steps);
  steps = b().select(b().less(start, end), steps, zero);
  // 2^63 + 2^32 * 2^31 is within 64 bits.
  const Expr *small = nullptr;
  auto require = [&](const Expr *value, unsigned bits) {
    if (isNarrow(value) && (bits >= 32 || (literal(value) && *literal(value) < Int{1} << bits))) return;
    const Expr *below = b().less(value, b().u64(std::uint64_t{1} << bits));
    small = small ? b().both(small, below) : below;
  };
  require(inc, 31);
  if (!equal(start, inc)) require(start, 63);
  require(simple(count, "count"), 32);
  return small ? b().select(small, every, steps) : every;
}

const Expr *Flattener::advanced(const SequenceValue &s, const Expr *index) {
  const Expr *moved = b().add(s.start, b().mul(index, s.inc));
  return s.reach ? b().select(b().less(index, s.reach), moved, s.end) : moved;
}

const Expr *Flattener::sequenceAt(const SequenceValue &s, const Expr *index, const std::string &hint) {
  const Expr *value = s.start;
  if (s.inc) {
    value = advanced(s, index);
    if (!s.always) {
      value = simpleCalled(value, hint);
      value = b().min(value, simpleCalled(s.end, hint + "_limit"));
    }
  }
  if (!s.through) return value;

  // An index is cut to the container; there is nothing to read where that is empty.
  const Expr *size = s.through->sizes[0];
  value = simpleCalled(value, hint + "_index");
  const Type &type = s.through->type.element();
  if (checked_) { // whether it is there is asked as of every access
    const Expr *read = elementOf(*s.through, {value}, s.range, s.called);
    return b().cast(Scalar::U64, simpleCalled(read, hint + "_value"));
  }
  const Expr *last = b().sub(size, b().u64(1));
  const Expr *read = elementOf(*s.through, {b().select(b().less(value, size), value, last)}, here_);
  read = b().select(b().equal(size, b().u64(0)), b().integer(type, 0), read);
  return b().cast(Scalar::U64, simpleCalled(read, hint + "_value"));
}

// ---- checked bounds --------------------------------------------------------------------------------------

const Expr *Flattener::checked(const Expr *value, const Expr *bound, const Expr *otherwise, const std::string &what,
                               SourceRange where, const Expr *then) const {
  const Expr *check = arena_.make<Check>(where, Type(Scalar::Bool), value, bound, what, nullptr, nullptr, Int{0});
  return arena_.make<Conditional>(here_, otherwise->type, check, then, otherwise);
}

const Expr *Flattener::checkedEnd(const Parts &parts, std::size_t d, const Expr *end) const {
  const SequenceValue &ends = parts.ends[d];
  std::string what = fmt::format("ends a part of '{}' at {{index}}, which '{}' says, but it has {{last}} elements",
                                 parts.called, ends.called);
  return checked(end, b().add(parts.base.sizes[d], b().u64(1)), b().u64(0), what, ends.range, end);
}

const Expr *Flattener::checkedStart(const Parts &parts, std::size_t d, const Expr *start, const Expr *end) const {
  const SequenceValue &starts = parts.starts[d];
  std::string begins = fmt::format("begins a part of '{}' at {{index}}, which '{}' says", parts.called, starts.called);
  // An end that nobody read is cut to the container, and a part may begin behind it.
  bool ordered = parts.ends[d].through != nullptr;
  const Expr *last = ordered ? end : parts.base.sizes[d];
  std::string what = begins + (ordered ? ", behind its end, {last}" : ", but it has {last} elements");
  return checked(start, b().add(last, b().u64(1)), last, what, starts.range, start);
}

// ---- ranges ----------------------------------------------------------------------------------------------

Container Flattener::range(const Sequence *node) {
  if (node->container || !node->inc || !node->end)
    failBug(node->range, "flatten", "a range that has no end, or goes through a container");
  std::vector<const Expr *> values = operands({node->start, node->inc, node->end});
  const Expr *start = simple(values[0], "first"), *end = simple(values[2], "end");
  const Expr *step = simple(b().cast(Scalar::U64, values[1]), "step");
  if (!literal(step)) step = simple(b().select(b().equal(step, b().u64(0)), b().u64(1), step), "step");
  if (isLiteral(step, 0)) step = b().u64(1);
  Container c;
  c.type = node->type;
  c.isConst = true;
  c.first = simple(b().cast(Scalar::U64, start), "first");
  // The numbers are compared in their own type; how far apart they are fits 64 bits.
  const Expr *distance = b().sub(b().cast(Scalar::U64, end), c.first), *one = b().u64(1);
  if (!isLiteral(step, 1)) distance = b().add(b().div(b().sub(distance, one), step), one);
  bool all = isLiteral(start, 0) && !start->type.isSigned() && isLiteral(step, 1);
  c.sizes = {
      simple(all ? b().cast(Scalar::U64, end) : b().select(b().less(start, end), distance, b().u64(0)), "count")};
  c.strides = {step};
  return c;
}

// ---- parts ---------------------------------------------------------------------------------------------

Container Flattener::partition(const Partition *node) {
  auto parts = std::make_shared<Parts>();
  parts->base = container(node->container);
  parts->called = calledName(node->container);
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
    if (count->type.isSigned() && !literal(count)) {
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
  parts->counts = c.sizes;
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

const Expr *Flattener::length(const Expr *start, const Expr *step, const Expr *end) const {
  const Expr *all = b().sub(end, start);
  if (!isLiteral(step, 1)) all = b().add(b().div(b().sub(all, b().u64(1)), step), b().u64(1));
  return b().select(b().less(start, end), all, b().u64(0));
}

const Expr *Flattener::interleaved(const Expr *start, const Expr *step, const Expr *end) {
  const Expr *last = b().sub(b().sub(step, b().u64(1)), start);
  if (bits(end) < 64) return b().div(b().add(end, last), step);
  // One for every whole round, and one of the last round.
  end = simple(end, "end");
  return b().add(b().div(end, step), b().cast(Scalar::U64, b().less(start, b().rem(end, step))));
}

/// How many bits hold the value of an unsigned expression.
unsigned Flattener::bits(const Expr *e) const {
  unsigned width = 8 * e->type.bytes();
  if (e->type.isBool()) return 1;
  if (std::optional<Int> value = literal(e))
    return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(*value)));
  if (e->type.isSigned()) return width;
  if (const auto *cast = dyn<Cast>(e)) return std::min(width, bits(cast->operand));
  if (const auto *variable = dyn<VarRef>(e)) {
    auto known = constants_.find(variable->name);
    return known == constants_.end() ? width : bits(known->second);
  }
  if (const auto *choice = dyn<Conditional>(e)) return std::max(bits(choice->then), bits(choice->otherwise));
  const auto *node = dyn<Binary>(e);
  if (!node) return width;
  unsigned lhs = bits(node->lhs);
  if (node->op == BinaryOp::Add) return std::min(width, std::max(lhs, bits(node->rhs)) + 1);
  std::optional<Int> divisor = node->op == BinaryOp::Div ? literal(node->rhs) : std::nullopt;
  if (divisor && *divisor > 0) {
    unsigned less = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(*divisor))) - 1;
    return lhs > less ? lhs - less : 1;
  }
  return node->op == BinaryOp::Div ? lhs : width;
}

Container Flattener::part(const Container &c, const std::vector<const Expr *> &lastIndices, bool isConst,
                          const std::string &hint) {
  const Parts &parts = *c.parts;
  const Container &base = parts.base;
  std::vector<const Expr *> index = parts.which;
  index.insert(index.end(), lastIndices.begin(), lastIndices.end());
  const Expr *offset = b().u64(0);
  std::vector<const Expr *> sizes = base.sizes, strides = base.strides, begins, steps;
  for (std::size_t d = 0; d < index.size(); ++d) {
    std::string dim = index.size() > 1 ? hint + std::to_string(d) : hint;
    const Expr *size = base.sizes[d];
    const SequenceValue &starts = parts.starts[d], &ends = parts.ends[d];
    const Expr *end = sequenceAt(ends, index[d], dim + "_to");
    if (checked_ && ends.through)
      end = checkedEnd(parts, d, end);
    else if (ends.through || !atMost(ends.end ? ends.end : ends.start, size))
      end = b().min(simpleCalled(end, dim + "_stop"), size);
    end = simpleCalled(end, dim + "_end");
    // A part that starts behind its end is empty, wherever that is: what would cut the start there is left out.
    bool sameEnd = starts.inc && ends.inc && !starts.through && !ends.through && equal(starts.end, ends.end);
    const Expr *start = sameEnd ? advanced(starts, index[d]) : sequenceAt(starts, index[d], dim + "_from");
    if (checked_ && starts.through) start = checkedStart(parts, d, start, end);
    start = simpleCalled(start, dim + "_begin");
    const Expr *step = sequenceAt(parts.incs[d], index[d], dim + "_by");
    bool positive =
        literal(step) ? !isLiteral(step, 0) : equal(step, parts.counts[d]); // a part exists only if there are any
    if (!positive) {
      step = simpleCalled(step, dim + "_step");
      step = b().select(b().equal(step, b().u64(0)), b().u64(1), step);
    }
    step = simpleCalled(step, dim + "_inc");

    sizes[d] = starts.always && equal(written(step), written(parts.counts[d])) ? interleaved(start, step, end)
                                                                               : length(start, step, end);
    offset = b().add(offset, b().mul(start, base.strides[d]));
    strides[d] = b().mul(step, base.strides[d]);
    begins.push_back(start);
    steps.push_back(step);
  }
  Container result = window(base, c.type.element(), offset, std::move(sizes), std::move(strides), isConst, hint);
  result.watches = watchesOf(base, begins, steps, result.sizes, hint);
  return result;
}

Container Flattener::rowOfParts(const Container &c, const std::vector<const Expr *> &index) {
  Container row = c;
  auto parts = std::make_shared<Parts>(*c.parts);
  parts->which.insert(parts->which.end(), index.begin(), index.end());
  row.type = Type::array(static_cast<unsigned>(c.type.rank() - index.size()), c.type.element());
  row.sizes.erase(row.sizes.begin(), row.sizes.begin() + static_cast<std::ptrdiff_t>(index.size()));
  row.parts = std::move(parts);
  return row;
}

Container Flattener::reshaped(const Container &base, const Type &type, std::vector<const Expr *> sizes,
                              const std::string &called) {
  std::vector<const Expr *> strides(sizes.size(), base.strides[0]);
  for (std::size_t d = sizes.size(); d-- > 1;) strides[d - 1] = simple(b().mul(strides[d], sizes[d]), "stride");
  return window(base, type, b().u64(0), std::move(sizes), std::move(strides), base.isConst, named(called));
}

Container Flattener::window(const Container &base, const Type &type, const Expr *offset,
                            std::vector<const Expr *> sizes, std::vector<const Expr *> strides, bool isConst,
                            const std::string &called) {
  Container view;
  view.type = type;
  view.isConst = isConst || base.isConst;
  if (base.first) { // offset and strides count numbers
    view.first = simpleCalled(b().add(base.first, offset), names_.fresh(called + "_first"));
    view.sizes = {simpleCalled(sizes[0], names_.fresh(called + "_size"))};
    view.strides = {simpleCalled(strides[0], names_.fresh(called + "_stride"))};
    return view;
  }
  checkNoLane("a part or row as a container of its own");
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
    result.container = index.size() == c.type.rank() ? part(c, index, isConst, hint) : rowOfParts(c, index);
    return result;
  }
  if (index.size() == c.type.rank()) {
    std::vector<const Expr *> which = index;
    if (!c.watches.empty()) touch(c, which, Touch::Read, hint, here_);
    result.value = elementOf(c, index, here_);
    if (isConst && wanted.isScalar()) result.value = b().cast(wanted, result.value);
    return result;
  }
  std::size_t dims = index.size();
  const Expr *offset = b().u64(0);
  for (std::size_t d = 0; d < dims; ++d) offset = b().add(offset, b().mul(index[d], c.strides[d]));
  Type type = Type::array(static_cast<unsigned>(c.type.rank() - dims), c.type.element());
  result.container = window(c, type, offset, {c.sizes.begin() + dims, c.sizes.end()},
                            {c.strides.begin() + dims, c.strides.end()}, isConst, hint);
  result.container.watches = watchesOf(c, index, {}, result.container.sizes, hint);
  return result;
}

} // namespace tangram::flatten
