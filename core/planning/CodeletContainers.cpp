#include "CodeletContainers.h"

#include "tangram/ast/Shapes.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/RangeParameters.h"
#include "tangram/compose/Sizes.h"

#include <algorithm>
#include <cmath>

namespace tangram {

using namespace ast;

std::uint64_t bytesOfElement(const Type &type) {
  Type element = type;
  while (element.isArray()) element = element.element();
  return element.isScalar() ? element.bytes() : 8;
}

const std::string *containerOf(const Expr *expr) {
  for (;;) {
    expr = withoutCasts(expr);
    if (const auto *v = dyn<VarRef>(expr)) return &v->name;
    if (const auto *s = dyn<Subscript>(expr))
      expr = s->base;
    else if (const auto *m = dyn<Member>(expr))
      expr = m->base;
    else if (const auto *p = dyn<Partition>(expr))
      expr = p->container;
    else
      return nullptr;
  }
}

CodeletContainers::CodeletContainers(const Codelet &codelet, const Facts &facts, const CodeletSource &source,
                                     Numbers &numbers) {
  for (std::size_t i = 0; i < codelet.params.size(); ++i) {
    const Type &type = codelet.params[i]->type;
    if (!type.isArray()) continue;
    if (auto range = facts.ranges.find({&codelet, codelet.params[i]->name}); range != facts.ranges.end()) {
      rangeSteps_[codelet.params[i]->name] = std::abs(static_cast<double>(range->second.value_or(1)));
      ranges_.emplace(codelet.params[i]->name, i);
      continue;
    }
    AccessWork access;
    access.parameter = i;
    access.bytes = bytesOfElement(type);
    auto pattern = facts.accesses.find({&codelet, codelet.params[i]->name});
    if (pattern != facts.accesses.end()) access.pattern = pattern->second;
    index_[codelet.params[i]->name] = all_.size();
    all_.push_back(access);
  }
  for (const Declare *declaration : source.declarations()) {
    const Declare &d = *declaration;
    if (declaresRange(d)) ownRanges_.insert(d.name);
    if (d.shared) {
      shared_.emplace(d.name, bytesOfElement(d.type));
      auto bytes = static_cast<double>(bytesOfElement(d.type));
      for (const Expr *extent : d.extents) bytes *= numbers(extent).value_or(0);
      sharedBytes_ += bytes;
      continue;
    }
    if (d.extents.empty() && loads(d.init)) loaded_.insert(d.name);
    if (!d.extents.empty() && !isReshaped(d)) {
      AccessWork own;
      own.bytes = bytesOfElement(d.type);
      own.elements = 1;
      for (const Expr *extent : d.extents) own.elements *= numbers(extent).value_or(kUnknownTurns);
      wide_ |= own.elements <= kSmallArray && own.bytes > 4;
      own.pattern.perIteration = Stride::Unit;
      index_[d.name] = all_.size();
      all_.push_back(own);
    }
    // A row or part of a container, or the container by another name, or in another shape.
    if (!d.init || !d.type.isArray() || (!d.extents.empty() && !isReshaped(d))) continue;
    if (const std::string *of = containerOf(d.init); of && index_.count(*of)) index_[d.name] = index_[*of];
  }
}

std::optional<std::size_t> CodeletContainers::number(const std::string &name) const {
  const auto at = index_.find(name);
  return at == index_.end() ? std::nullopt : std::optional(at->second);
}

const AccessWork *CodeletContainers::find(const std::string *name) const {
  const auto at = name ? index_.find(*name) : index_.end();
  return at == index_.end() ? nullptr : &all_[at->second];
}

bool CodeletContainers::isParameter(const std::string *name) const {
  const AccessWork *access = find(name);
  return access && access->parameter;
}

std::optional<std::size_t> CodeletContainers::parameter(const std::string *name) const {
  if (const auto range = name ? ranges_.find(*name) : ranges_.end(); range != ranges_.end()) return range->second;
  const AccessWork *access = find(name);
  return access ? access->parameter : std::nullopt;
}

std::optional<std::uint64_t> CodeletContainers::shared(const std::string &name) const {
  const auto at = shared_.find(name);
  return at == shared_.end() ? std::nullopt : std::optional(at->second);
}

bool CodeletContainers::isRange(const std::string &name) const { return ranges_.count(name) || ownRanges_.count(name); }

std::optional<double> CodeletContainers::rangeStep(const std::string &name) const {
  const auto at = rangeSteps_.find(name);
  return at == rangeSteps_.end() ? std::nullopt : std::optional(at->second);
}

bool CodeletContainers::isShared(const Expr *place) const {
  const std::string *name = containerOf(place);
  return name && shared_.count(*name);
}

bool CodeletContainers::isRange(const Subscript &s) const {
  const auto *base = dyn<VarRef>(s.base);
  return base && (isRange(base->name));
}

bool CodeletContainers::loads(const Expr *expr) const {
  return any<Subscript>(expr, [&](const Subscript &s) { return !isRange(s); });
}

bool CodeletContainers::isData(const Expr *index) const {
  return loads(index) || any<VarRef>(index, [&](const VarRef &v) { return isLoaded(v.name); });
}

bool CodeletContainers::foundByData(const Expr *e) const {
  const auto *element = dyn<Subscript>(withoutCasts(e));
  return element && std::any_of(element->indices.begin(), element->indices.end(),
                                [&](const Expr *index) { return isData(index); });
}

bool CodeletContainers::byData(const Expr *place) const {
  for (const Expr *at = withoutCasts(place); at;) {
    if (const auto *m = dyn<Member>(at)) {
      at = withoutCasts(m->base);
    } else if (const auto *s = dyn<Subscript>(at)) {
      for (const Expr *index : s->indices)
        if (isData(index)) return true;
      at = withoutCasts(s->base);
    } else {
      return false;
    }
  }
  return false;
}

} // namespace tangram
