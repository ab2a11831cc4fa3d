#include "Accesses.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::coarsening {

using namespace ast;

namespace {

constexpr Int kMostStep = 16; // bytes between elements of iterations side by side

/// Whether elements decide what an expression is; `values`: of the iteration's variables, which stand in order.
bool isData(const Expr *e, const std::map<std::string, const Expr *> &values) {
  return e && any<Expr>(e, [&](const Expr &part) {
           const auto *v = dyn<VarRef>(&part);
           const auto value = v ? values.find(v->name) : values.end();
           return isa<Subscript>(&part) || (value != values.end() && isData(value->second, values));
         });
}

} // namespace

Accesses::Accesses(const Loop &loop, const loops::Memory &memory, loops::Sums &sums) {
  const std::set<std::string> declared = declaredIn(loop.body);
  std::set<const Expr *> written;
  std::map<std::string, const Expr *> values;
  walk(
      loop.body, [&](const Assign &a) { written.insert(a.target); },
      [&](const Declare &d) { values.emplace(d.name, d.init); });
  walk(loop.body, [&](const Subscript &place) {
    const auto *array = dyn<VarRef>(place.base);
    if (!place.base->type.isPointer() || (array && declared.count(array->name) && !array->type.isPointer())) return;
    const bool isFar = memory.far(memory.root(place.base));
    std::optional<loops::Sums::Sum> sum = place.indices.size() == 1 ? sums.of(place.indices[0]) : std::nullopt;
    const Int step = sum ? loops::Sums::coefficient(*sum, {loops::Sums::kIteration}) : 0;
    bool other = !sum; // an iteration's number is part of it otherwise
    if (sum)
      for (const auto &[product, coefficient] : *sum)
        other |= product.size() > 1 && product[0] == loops::Sums::kIteration;
    // Lanes that take several neighbours meet in scratchpad memory's banks; where data says which ones, it is all the
    // same.
    const bool byData = !sum && isData(place.indices.at(0), values);
    if (!isFar && !byData && (other || step != 0)) possible_ = false;
    if (isFar && written.count(&place) && (other || step <= 0)) possible_ = false;
    if (!isFar || other || step <= 0 || !array || declared.count(array->name)) return;
    const unsigned bytes = place.type.bytes();
    if (!bytes || place.type.isBool() || place.type.isHalf() || step * bytes > kMostStep) return;
    Access access{&place, *sum, step, loops::Sums::coefficient(*sum, {}), bytes, written.count(&place) != 0};
    access.sum.erase(loops::Sums::Product{});
    list_.push_back(std::move(access));
    if (step == 1) widest_ = std::max(widest_, bytes);
  });
}

Alignment::Alignment(Arena &arena, const Accesses &accesses, const loops::Sums &sums, const Expr *base, unsigned factor,
                     unsigned bytes)
    : arena_(arena), accesses_(accesses), sums_(sums), base_(base), factor_(factor), bytes_(bytes) {
  for (const Access &access : accesses.list()) {
    if (elements(access) <= 1) continue;
    std::map<loops::Sums::Product, unsigned> needed;
    bool known = true;
    for (const auto &[product, coefficient] : access.sum) {
      if (product == loops::Sums::Product{loops::Sums::kIteration} || sums.invariant(product)) continue;
      const auto multiple = static_cast<Int>(elements(access));
      if (coefficient % multiple == 0) continue;
      loops::Sums::Product outside;
      for (unsigned factor : product)
        if (sums.invariant(factor)) outside.push_back(factor);
      if (outside.empty())
        known = false;
      else
        needed[outside] = std::max(needed[outside], elements(access));
    }
    if (!known) {
      left_.insert(&access);
      continue;
    }
    for (const auto &[product, multiple] : needed) multiples_[product] = std::max(multiples_[product], multiple);
  }
  const Access *first = nullptr;
  for (const Access &access : accesses.list()) {
    if (!of(access)) continue;
    any_ = true;
    auto rank = [&](const Access &a) { return std::pair(elements(a), a.written); };
    if (access.step == 1 && (!first || rank(access) > rank(*first))) first = &access;
  }
  if (first) origin_ = first->offset;
  Build b(arena, SourceRange());
  peel_ = b.u64(0);
  if (first) peel_ = b.binary(BinaryOp::And, b.sub(b.u64(0), shift(*first)), b.u64(elements(*first) - 1));
}

/// How many elements an access may have that begins with a chunk.
unsigned Alignment::elements(const Access &access) const {
  const auto whole = static_cast<unsigned>(access.step) * factor_ * access.bytes;
  const unsigned aligned = whole & (~whole + 1); // its greatest factor that is a power of two
  return std::clamp(std::min(aligned, bytes_) / access.bytes, 1u, kMostElements);
}

unsigned Alignment::of(const Access &access) const {
  return left_.count(&access) || elements(access) <= 1 ? 0 : elements(access) * access.bytes;
}

/// Where the access of the loop's first iteration lies, in elements, but for what is a multiple anyway.
const Expr *Alignment::shift(const Access &access) const {
  Build b(arena_, access.place->range);
  loops::Sums::Sum rest;
  if (origin(access) != 0) rest[{}] = origin(access);
  for (const auto &[product, coefficient] : access.sum) {
    if (product == loops::Sums::Product{loops::Sums::kIteration} || !sums_.invariant(product)) continue;
    if (coefficient % static_cast<Int>(elements(access)) == 0) continue;
    const bool multiple = std::any_of(multiples_.begin(), multiples_.end(), [&](const auto &m) {
      return m.second >= elements(access) &&
             std::includes(product.begin(), product.end(), m.first.begin(), m.first.end());
    });
    if (!multiple) rest[product] = coefficient;
  }
  const Expr *address = b.div(b.cast(Scalar::U64, access.place->base), b.u64(access.bytes));
  const Expr *start = b.mul(b.cast(Scalar::U64, base_), b.u64(static_cast<std::uint64_t>(access.step)));
  const Expr *index = sums_.written(rest, nullptr);
  return b.add(b.add(address, start), index);
}

const Expr *Alignment::holds(const Expr *peel) const {
  Build b(arena_, SourceRange());
  std::vector<const Expr *> zeros; // what has to be 0
  auto add = [&](const Expr *number, unsigned multiple) {
    const Expr *rest = b.binary(BinaryOp::And, number, b.u64(multiple - 1));
    if (std::none_of(zeros.begin(), zeros.end(), [&](const Expr *z) { return equal(z, rest); })) zeros.push_back(rest);
  };
  for (const auto &[product, multiple] : multiples_) add(sums_.written(product, nullptr), multiple);
  for (const Access &access : accesses_.list())
    if (of(access))
      add(b.add(shift(access), b.mul(peel, b.u64(static_cast<std::uint64_t>(access.step)))), elements(access));
  const Expr *all = nullptr;
  for (const Expr *zero : zeros) {
    const Expr *is = b.equal(zero, b.u64(0));
    all = all ? b.both(all, is) : is;
  }
  return all;
}

} // namespace tangram::coarsening
