#include "tangram/planning/OrdinarySizes.h"

#include "ExpectedSites.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tangram {

namespace {
constexpr unsigned kElements = 22;         // as a power of two
constexpr std::uint64_t kNumber = 1 << 20; // where no container says how much there is to do
constexpr std::uint64_t kWindow = 64;      // elements of what only has to find room in another container

/// The number of the parameter, of one dimension, whose size an expression is; nothing of others.
std::optional<std::size_t> sizeOf(const ast::Expr *e, const ast::Spectrum &spectrum) {
  const auto *size = ast::dyn<ast::Size>(withoutCasts(e));
  const auto *container = size ? ast::dyn<ast::VarRef>(size->container) : nullptr;
  for (std::size_t i = 0; container && i < spectrum.params.size(); ++i)
    if (spectrum.params[i]->name == container->name && spectrum.params[i]->type.rank() == 1) return i;
  return {};
}

/// in.size() >= pattern.size(): these are not as large as one another, as a rule.
void windowsByConditions(const ast::Expr *condition, const ast::Spectrum &spectrum, std::vector<Extents> &known) {
  const auto *n = ast::dyn<ast::Binary>(withoutCasts(condition));
  if (!n) return;
  if (n->op == ast::BinaryOp::LogicalAnd) {
    windowsByConditions(n->lhs, spectrum, known);
    return windowsByConditions(n->rhs, spectrum, known);
  }
  if (!ast::isOrdering(n->op)) return;
  const bool rightIsLess = n->op == ast::BinaryOp::Gt || n->op == ast::BinaryOp::Ge;
  const std::optional<std::size_t> less = sizeOf(rightIsLess ? n->rhs : n->lhs, spectrum),
                                   more = sizeOf(rightIsLess ? n->lhs : n->rhs, spectrum);
  if (less && more && !known[*less][0]) known[*less][0] = kWindow;
}

/// Factors of a product of integer parameters and numbers; false for anything else.
bool factorsOf(const ast::Expr *e, std::vector<std::string> &names, double &number) {
  e = withoutCasts(e);
  if (const auto *n = ast::dyn<ast::Binary>(e))
    return n->op == ast::BinaryOp::Mul && factorsOf(n->lhs, names, number) && factorsOf(n->rhs, names, number);
  if (const auto *literal = ast::dyn<ast::IntLit>(e)) {
    number *= static_cast<double>(literal->value);
    return true;
  }
  const auto *v = ast::dyn<ast::VarRef>(e);
  if (v) names.push_back(v->name);
  return v && v->type.isInteger();
}

/// x.size() == rows * columns: numbers of which nothing is said are as large as one another.
void numbersByConditions(const ast::Expr *condition, const ast::Spectrum &spectrum, ExpectedSizes &sizes) {
  const auto *n = ast::dyn<ast::Binary>(withoutCasts(condition));
  if (!n) return;
  if (n->op == ast::BinaryOp::LogicalAnd) {
    numbersByConditions(n->lhs, spectrum, sizes);
    return numbersByConditions(n->rhs, spectrum, sizes);
  }
  if (n->op != ast::BinaryOp::Eq) return;
  for (const auto &[left, right] : {std::pair(n->lhs, n->rhs), std::pair(n->rhs, n->lhs)}) {
    const std::optional<std::size_t> container = sizeOf(left, spectrum);
    std::vector<std::string> names;
    double known = 1;
    if (!container || !factorsOf(right, names, known)) continue;
    std::vector<std::string> open;
    for (const std::string &name : names) {
      const auto given = sizes.find(name);
      if (given == sizes.end())
        open.push_back(name);
      else
        known *= static_cast<double>(given->second.at(0));
    }
    const auto elements = static_cast<double>(sizes.at(spectrum.params[*container]->name).at(0));
    if (open.empty() || known < 1) continue;
    const double each = std::pow(elements / known, 1 / static_cast<double>(open.size()));
    for (const std::string &name : open)
      sizes[name] = {static_cast<std::uint64_t>(std::max(1.0, std::floor(each + 1e-6)))};
  }
}

/// Between which numbers literals of a condition say that a parameter lies.
void boundByCondition(const ast::Expr *condition, const std::string &name, std::int64_t &least, std::int64_t &most) {
  const auto *n = ast::dyn<ast::Binary>(withoutCasts(condition));
  if (!n) return;
  if (n->op == ast::BinaryOp::LogicalAnd) {
    boundByCondition(n->lhs, name, least, most);
    return boundByCondition(n->rhs, name, least, most);
  }
  if (!ast::isOrdering(n->op)) return;
  const bool left = ast::isa<ast::VarRef>(withoutCasts(n->lhs));
  const auto *v = ast::dyn<ast::VarRef>(withoutCasts(left ? n->lhs : n->rhs));
  const std::optional<ast::Int> number = ast::literal(withoutCasts(left ? n->rhs : n->lhs));
  if (!v || v->name != name || !number) return;
  const ast::BinaryOp op = left ? n->op : ast::mirrored(n->op);
  if (op == ast::BinaryOp::Lt || op == ast::BinaryOp::Le) most = std::min<std::int64_t>(most, *number);
  if (op == ast::BinaryOp::Gt || op == ast::BinaryOp::Ge) least = std::max<std::int64_t>(least, *number);
}

/// What a loop to this number counts: the extent of the smallest dimension that its iterator alone is an index of.
std::optional<std::uint64_t> countedTo(const ast::Spectrum &spectrum, const std::string &name,
                                       const ExpectedSizes &sizes) {
  std::optional<std::uint64_t> result;
  for (const ast::Codelet *codelet : spectrum.codelets)
    ast::walk(codelet->body, [&](const ast::For &loop) {
      const auto *cond = ast::dyn<ast::Binary>(loop.cond);
      const auto *iterator = cond ? ast::dyn<ast::VarRef>(withoutCasts(cond->lhs)) : nullptr;
      const auto *end = cond ? ast::dyn<ast::VarRef>(withoutCasts(cond->rhs)) : nullptr;
      if (!iterator || !end || end->name != name) return;
      ast::walk(loop.body, [&](const ast::Subscript &element) {
        const auto *base = ast::dyn<ast::VarRef>(element.base);
        const auto extents = base ? sizes.find(base->name) : sizes.end();
        for (std::size_t d = 0; extents != sizes.end() && d < element.indices.size(); ++d) {
          const auto *index = ast::dyn<ast::VarRef>(withoutCasts(element.indices[d]));
          if (index && index->name == iterator->name && d < extents->second.size())
            result = std::min(result.value_or(extents->second[d]), extents->second[d]);
        }
      });
    });
  return result;
}

/// Whether elements of one dimension are numbered by products of it, or a size is divided by it: rows of a matrix.
bool isRowLength(const ast::Spectrum &spectrum, const std::string &name) {
  const auto is = [&](const ast::Expr *e) {
    const auto *v = ast::dyn<ast::VarRef>(withoutCasts(e));
    return v && v->name == name;
  };
  return std::any_of(spectrum.codelets.begin(), spectrum.codelets.end(), [&](const ast::Codelet *codelet) {
    return ast::any<ast::Binary>(codelet->body,
                                 [&](const ast::Binary &n) {
                                   return n.op == ast::BinaryOp::Div && is(n.rhs) && ast::contains<ast::Size>(n.lhs);
                                 }) ||
           ast::any<ast::Subscript>(codelet->body, [&](const ast::Subscript &element) {
             return element.indices.size() == 1 && ast::any<ast::Binary>(element.indices[0], [&](const ast::Binary &n) {
                      return n.op == ast::BinaryOp::Mul && (is(n.lhs) || is(n.rhs));
                    });
           });
  });
}

/// A whole number of which nothing was told; nothing where the program does not say what it may be for.
std::optional<std::uint64_t> untold(const ast::Spectrum &spectrum, const std::string &name,
                                    const ExpectedSizes &sizes) {
  if (const std::optional<std::uint64_t> all = countedTo(spectrum, name, sizes)) return all;
  std::int64_t least = 0, most = std::numeric_limits<std::int64_t>::max();
  for (const ast::Expr *condition : spectrum.conditions) boundByCondition(condition, name, least, most);
  if (most < std::numeric_limits<std::int32_t>::max() && least <= most)
    return static_cast<std::uint64_t>(least + (most - least) / 2);
  if (!isRowLength(spectrum, name)) return std::nullopt;
  std::uint64_t elements = 1;
  for (const auto &[container, extents] : sizes)
    if (extents.size() == 1) elements = std::max(elements, extents[0]);
  return std::uint64_t{1} << (std::bit_width(elements) / 2);
}

} // namespace

ExpectedSizes ordinarySizes(const ast::Spectrum &spectrum, std::vector<Extents> known) {
  known.resize(spectrum.params.size());
  for (std::size_t i = 0; i < known.size(); ++i) known[i].resize(spectrum.params[i]->type.rank());
  equateByConditions(spectrum, known);
  for (const ast::Expr *condition : spectrum.conditions) windowsByConditions(condition, spectrum, known);
  equateByConditions(spectrum, known);
  for (Extents &extents : known)
    for (std::size_t d = 0; d < extents.size(); ++d) {
      if (extents[d]) continue;
      // What the other dimensions leave of the elements.
      unsigned left = kElements, open = 0;
      for (const std::optional<std::uint64_t> &extent : extents)
        extent ? left -= std::min(left, static_cast<unsigned>(std::bit_width(*extent | 1)) - 1) : ++open;
      extents[d] = std::uint64_t{1} << (left / open);
      equateByConditions(spectrum, known);
    }
  ExpectedSizes result;
  for (std::size_t i = 0; i < known.size(); ++i)
    for (const std::optional<std::uint64_t> &extent : known[i]) result[spectrum.params[i]->name].push_back(*extent);
  return result;
}

ExpectedSizes ordinarySizes(const Forest &forest) {
  const ast::Spectrum *spectrum = findSpectrum(forest.module(), forest.spectrum());
  if (!spectrum) return forest.expected();
  ExpectedSizes sizes = ordinarySizes(*spectrum, expectedArguments(*spectrum, forest.expected()));
  const bool alone = std::none_of(spectrum->params.begin(), spectrum->params.end(),
                                  [](const ast::Param *p) { return p->type.rank() > 0; });
  for (const ast::Param *p : spectrum->params) {
    auto given = p->type.isInteger() ? forest.expected().find(p->name) : forest.expected().end();
    if (given != forest.expected().end())
      sizes[p->name] = given->second;
    else if (alone && p->type.isInteger())
      sizes[p->name] = {kNumber};
  }
  for (const ast::Expr *condition : spectrum->conditions) numbersByConditions(condition, *spectrum, sizes);
  for (const ast::Param *p : spectrum->params)
    if (p->type.isInteger() && !sizes.count(p->name))
      if (const std::optional<std::uint64_t> number = untold(*spectrum, p->name, sizes)) sizes[p->name] = {*number};
  return sizes;
}

} // namespace tangram
