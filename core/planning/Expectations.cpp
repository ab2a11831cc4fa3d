#include "tangram/planning/Expectations.h"

#include "ExpectedSites.h"
#include "tangram/compose/Interned.h"

#include <algorithm>
#include <bit>
#include <boost/functional/hash.hpp>
#include <unordered_map>

namespace tangram {

using namespace ast;

namespace {

/// To so many significant bits, so that expectations are shared.
std::uint64_t roundedUp(std::uint64_t n) {
  constexpr unsigned kBits = 6;
  const unsigned width = static_cast<unsigned>(std::bit_width(n));
  const std::uint64_t unit = width > kBits ? std::uint64_t{1} << (width - kBits) : 1;
  return (n + unit - 1) / unit * unit;
}

void roundUp(std::optional<std::uint64_t> &n) {
  if (n && *n > std::uint64_t{1} << 62) n.reset();
  if (n) n = roundedUp(*n);
}

/// The same where something is known of arguments; else none of them.
Expected known(Expected expected) {
  const bool any = std::any_of(expected.arguments.begin(), expected.arguments.end(), [](const Extents &extents) {
    return std::any_of(extents.begin(), extents.end(), [](const auto &extent) { return extent.has_value(); });
  });
  if (!any && expected.scalars.empty()) expected.arguments.clear();
  return expected;
}

Expected rounded(Expected expected) {
  for (std::optional<std::uint64_t> *n : {&expected.elements, &expected.work, &expected.units}) roundUp(*n);
  for (Extents &extents : expected.arguments)
    for (std::optional<std::uint64_t> &extent : extents) roundUp(extent);
  expected = known(std::move(expected));
  for (auto &[name, value] : expected.scalars)
    if (value > 0) value = static_cast<std::int64_t>(roundedUp(static_cast<std::uint64_t>(value)));
  return expected;
}

} // namespace

struct Expectations::Known {
  /// A codelet as expectations go through it.
  struct Shape {
    std::shared_ptr<const CodeletSource> source;
    std::vector<const Expr *> sites;
    std::vector<const Spectrum *> callees; // of each site
  };
  using At = std::pair<const Alternative *, Id>;
  Interned<Expected> all;
  std::unordered_map<const Codelet *, Shape> shapes;
  std::map<std::tuple<const Codelet *, Scalars, Id>, std::vector<Id>> sites;
  std::unordered_map<At, const std::vector<Id> *, boost::hash<At>> selected;
  std::unordered_map<At, Id, boost::hash<At>> parts; // of maps that are split
  std::unordered_map<Id, Id> calls;                  // of maps: the same of one call
};

Expectations::Expectations(const Forest &forest, const ExpectedSizes &sizes)
    : forest_(forest), known_(std::make_unique<Known>()) {
  if (!sizes.empty())
    if (const Spectrum *spectrum = findSpectrum(forest.module(), forest.spectrum())) {
      std::vector<Extents> arguments = expectedArguments(*spectrum, sizes);
      Scalars scalars = expectedScalars(*spectrum, arguments, sizes);
      // As they are: conditions of codelets compare products of them with other ones.
      root_ = known_->all.id(known({std::move(arguments), std::move(scalars), {}, {}, {}}));
    }
}

Expectations::~Expectations() = default;

const Expected &Expectations::operator[](Id id) const { return known_->all[id]; }

Expectations::Id Expectations::below(const Point &point, const Alternative &alternative, std::size_t child,
                                     Id here) const {
  if (here == kNone || forest_.point(alternative.children[child]).plain) return kNone;
  switch (alternative.rule) {
  case Rule::Select: return sites(point, alternative, here)[child];
  case Rule::Split: {
    const auto [known, fresh] = known_->parts.try_emplace({&alternative, here});
    if (!fresh) return known->second;
    Expected part = (*this)[here];
    const Chunks chunks(alternative.parameters);
    for (std::optional<std::uint64_t> *each : {&part.elements, &part.work, &part.units})
      if (*each) *each = roundedUp(chunks.calls(**each));
    return known->second = known_->all.id(std::move(part));
  }
  case Rule::Compute:
  case Rule::Devolve:
  case Rule::Distribute:
  case Rule::Serialize:
  case Rule::Regroup:
  case Rule::Cascade: break;
  }
  const auto [known, fresh] = known_->calls.try_emplace(here, here);
  if (const Expected &all = (*this)[here]; fresh && (all.elements || all.work || all.units))
    known->second = known_->all.id({all.arguments, all.scalars, {}, {}, {}});
  return known->second;
}

const std::vector<Expectations::Id> &Expectations::sites(const Point &point, const Alternative &alternative,
                                                         Id here) const {
  auto [at, fresh] = known_->selected.try_emplace({&alternative, here});
  if (!fresh) return *at->second;
  const Codelet &codelet = *alternative.codelet;
  Scalars scalars = alternative.parameters;
  for (const Scalars *of : {&point.scalars, &(*this)[here].scalars}) scalars.insert(of->begin(), of->end());
  auto [it, unseen] = known_->sites.try_emplace({&codelet, std::move(scalars), here});
  at->second = &it->second;
  if (!unseen) return it->second;
  Known::Shape &shape = known_->shapes[&codelet];
  if (!shape.source) {
    shape.source = std::make_shared<CodeletSource>(codelet);
    shape.sites = tangram::sites(codelet);
    for (const Expr *site : shape.sites) {
      const Map *map = dyn<Map>(site);
      shape.callees.push_back(findSpectrum(forest_.module(), map ? map->spectrum : as<SpectrumCall>(site)->spectrum));
    }
  }
  it->second.resize(shape.sites.size(), kNone);
  const std::vector<Extents> &arguments = (*this)[here].arguments;
  if (arguments.empty()) return it->second;
  ExpectedSites sites(forest_.module(), codelet, arguments, std::get<Scalars>(it->first), {}, shape.source);
  for (std::size_t i = 0; i < shape.sites.size(); ++i) {
    Expected site = sites.site(shape.sites[i]);
    equateByConditions(*shape.callees[i], site.arguments);
    it->second[i] = known_->all.id(rounded(std::move(site)));
  }
  return it->second;
}

} // namespace tangram
