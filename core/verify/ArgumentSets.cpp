#include "VerifyPlans.h"
#include "tangram/verify/ArgumentBound.h"
#include "tangram/verify/ArgumentConditions.h"

#include <algorithm>
#include <set>

namespace tangram::runtime {
namespace {

std::string where(const ast::Expr *condition) {
  if (!condition || !condition->range.valid()) return "a condition of the spectrum";
  return fmt::format("the condition at {}:{}:{}", *condition->range.file, condition->range.line,
                     condition->range.column);
}

constexpr std::uint64_t kFew = 1 << 12; // elements

bool hasMatrix(const ast::Spectrum &spectrum) {
  return std::any_of(spectrum.params.begin(), spectrum.params.end(),
                     [](const ast::Param *p) { return p->type.isArray() && p->type.rank() > 1; });
}

void fill(Value &value, const ArgumentSet &set, std::uint64_t seed) {
  if (value.type().isStruct()) {
    for (std::size_t f = 0; f < value.type().fields.size(); ++f) {
      Value field = value.field(f);
      fill(field, set, seed + f);
    }
    return;
  }
  Random random(seed);
  tangram_element e = value.element();
  WholeNumbers numbers(seed, value.count(), e, set.pass);
  bool isSigned = value.isFloating() || (e >= TANGRAM_I8 && e <= TANGRAM_I64);
  std::int64_t most = e == TANGRAM_BOOL ? 1 : set.whole || bytes(e) == 1 ? 2 : 10;
  for (std::uint64_t i = 0; i < value.count(); ++i)
    if (value.isFloating() && !set.whole)
      value.setReal(i, random.unit());
    else if (value.isFloating())
      value.setInteger(i, numbers.next(true));
    else
      value.setInteger(i, random.between(isSigned ? -most : 0, most));
}

/// The passes of whole numbers; one where there are no floating ones.
std::vector<WholePass> passes(const ast::Spectrum &spectrum, const Shape &shape) {
  WholePasses passes;
  for (std::size_t i = 0; i < spectrum.params.size(); ++i) {
    const ast::Type &type = spectrum.params[i]->type;
    std::uint64_t count = 1;
    for (std::uint64_t size : shape.arguments[i].sizes) count *= size;
    const std::optional<tangram_element> element = elementOf(type);
    // Of a struct the fields are not known here: of floats there are the most passes.
    if (type.isArray() && (!element || isFloating(*element))) passes.add(count, element.value_or(TANGRAM_F32));
  }
  std::vector<WholePass> all = passes.all();
  if (all.empty()) all.emplace_back();
  return all;
}

/// What `--arg` fixes of each parameter before any size is chosen.
struct Fixed {
  const ArgumentSpec *spec = nullptr;
  std::optional<std::vector<std::uint64_t>> sizes;
  std::optional<std::int64_t> scalar;
};

std::vector<Fixed> fixedArguments(const ast::Spectrum &spectrum, const VerifyOptions &options) {
  std::vector<Fixed> all;
  for (const ast::Param *p : spectrum.params) {
    Fixed &fixed = all.emplace_back();
    auto it = options.arguments.find(p->name);
    if (it == options.arguments.end()) continue;
    fixed.spec = &it->second;
    std::optional<tangram_element> element = elementOf(p->type);
    if (!element) { // a struct: what it is made of, the kernel will say
      if (!fixed.spec->leavesSizes()) fixed.sizes = fixed.spec->sizes;
    } else if (fixed.spec->pointsInto()) {
      if (!fixed.spec->sizes.empty()) fixed.sizes = fixed.spec->sizes;
    } else if (!fixed.spec->leavesSizes() || !p->type.isArray()) {
      Value value = makeValue(*fixed.spec, p->name, *element, p->type.rank(), options.seed);
      if (p->type.isArray())
        fixed.sizes = value.sizes();
      else if (!p->type.isFloating())
        fixed.scalar = value.integer(0);
    }
  }
  return all;
}

/// Why the arguments that point into others cannot be made for these sizes; empty: they can.
std::string impossible(const ast::Spectrum &spectrum, const std::vector<Fixed> &fixed, const Shape &shape) {
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    if (!fixed[i].spec || !fixed[i].spec->pointsInto() || !elementOf(spectrum.params[i]->type)) continue;
    std::uint64_t count = 1, bound = boundOf(*fixed[i].spec, spectrum, shape).value_or(0);
    for (std::uint64_t size : shape.arguments[i].sizes) count *= size;
    const ast::Param &p = *spectrum.params[i];
    if (std::string why = runtime::impossible(*fixed[i].spec, *elementOf(p.type), count, bound); !why.empty())
      return fmt::format("{}: '{}' cannot be '{}': {}", shape.text, p.name, fixed[i].spec->text, why);
  }
  return "";
}

/// Integer parameters that are an index get one, now that the extents are known; whether there are any.
bool indexScalars(const ast::Spectrum &spectrum, const std::vector<Fixed> &fixed, const Shape &shape, Random &random,
                  ShapeRequest &request) {
  bool any = false;
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    const ast::Param &p = *spectrum.params[i];
    if (!p.type.isInteger() || !fixed[i].spec || !fixed[i].spec->pointsInto()) continue;
    ArgumentContext context;
    context.bound = boundOf(*fixed[i].spec, spectrum, shape).value_or(0);
    request.scalars[i] = makeValue(*fixed[i].spec, p.name, *elementOf(p.type), 0, random.next(), context).integer(0);
    any = true;
  }
  return any;
}

} // namespace

std::uint64_t ArgumentSet::elements() const {
  std::uint64_t all = 0;
  for (const Shape::Argument &a : shape.arguments) {
    std::uint64_t count = 1;
    for (std::uint64_t size : a.sizes) count *= size;
    all += count;
  }
  return all;
}

std::vector<ArgumentSet> makeArgumentSets(const ast::Spectrum &spectrum, const VerifyOptions &options,
                                          std::vector<std::string> &skipped) {
  std::vector<std::uint64_t> sizes = options.sizes;
  Random random(options.seed * 2654435761u + 17);
  for (std::size_t i = 0; i < options.randomSizes; ++i) {
    // Of every magnitude up to 100000.
    std::int64_t magnitude = 1;
    for (std::int64_t d = random.between(1, 5); d > 0; --d) magnitude *= 10;
    sizes.push_back(static_cast<std::uint64_t>(random.between(1, magnitude)));
  }
  std::vector<Aspect> aspects{Aspect::Square};
  if (hasMatrix(spectrum)) aspects = {Aspect::Square, Aspect::OneRow, Aspect::OneColumn, Aspect::Wide, Aspect::Tall};

  std::vector<Fixed> fixed = fixedArguments(spectrum, options);
  bool anyOffsets = std::any_of(fixed.begin(), fixed.end(),
                                [](const Fixed &f) { return f.spec && f.spec->kind == ArgumentSpec::Kind::Offsets; });
  auto skip = [&](const std::string &why) {
    if (std::find(skipped.begin(), skipped.end(), why) == skipped.end()) skipped.push_back(why);
  };
  std::vector<ArgumentSet> sets;
  unsigned spread = 0;
  std::set<std::pair<std::string, bool>> seen;
  for (std::uint64_t n : sizes)
    for (Aspect aspect : aspects) {
      // Data of each kind; a second layout rides along with the second kind.
      for (bool whole : {false, true}) {
        ArgumentSet set;
        set.whole = whole;
        set.seed = random.next();
        set.layout = whole ? Layout{3, 1} : Layout{};
        ShapeRequest request;
        request.n = n;
        request.aspect = aspect;
        Random scalars(set.seed);
        for (std::size_t i = 0; i < spectrum.params.size(); ++i) {
          const ast::Param *p = spectrum.params[i];
          std::optional<std::int64_t> scalar;
          if (p->type.isInteger())
            scalar = p->type.isBool() ? scalars.between(0, 1) : scalars.between(p->type.isSigned() ? -10 : 0, 10);
          request.scalars.push_back(fixed[i].scalar ? fixed[i].scalar : scalar);
          request.fixed.push_back(fixed[i].sizes);
        }
        const ast::Expr *broken = nullptr;
        std::optional<Shape> shape = makeShape(spectrum, request, &broken);
        if (!shape) {
          skip(fmt::format("n={}: no sizes were found for which {} holds", n, where(broken)));
          continue;
        }
        if (std::string why = impossible(spectrum, fixed, *shape); !why.empty()) {
          skip(why);
          continue;
        }
        if (indexScalars(spectrum, fixed, *shape, scalars, request))
          if (std::optional<Shape> again = makeShape(spectrum, request, &broken)) shape = std::move(again);
        set.shape = std::move(*shape);
        set.text = fmt::format("{}{}{}", set.shape.text, set.shape.text.empty() ? "" : ", ",
                               whole ? "whole numbers" : "random");
        if (!seen.insert({set.shape.text, whole}).second) continue;
        if (anyOffsets) {
          set.spread = static_cast<Spread>(spread++ % kSpreads);
          set.text += fmt::format(", offsets {}", name(set.spread));
        }
        std::vector<WholePass> all = whole ? passes(spectrum, set.shape) : std::vector<WholePass>(1);
        // Where few are added, random numbers tell one from another, too: a plain pass, and two wide ones, of which
        // each end has the greatest in one.
        const auto among = [](const WholePass &pass) { return pass.among > kFew; };
        if (std::none_of(all.begin(), all.end(), among)) {
          std::erase_if(all, [](const WholePass &pass) { return pass.negative; });
          all.resize(std::min<std::size_t>(all.size(), aspect == Aspect::Square ? 3 : 1));
        }
        const std::string text = set.text;
        for (std::size_t i = 0; i < all.size(); ++i) {
          set.pass = all[i];
          if (all.size() > 1) set.text = fmt::format("{}, {} of {}", text, i + 1, all.size());
          sets.push_back(set);
        }
      }
    }
  std::stable_sort(sets.begin(), sets.end(),
                   [](const ArgumentSet &a, const ArgumentSet &b) { return a.elements() < b.elements(); });
  return sets;
}

std::vector<Value> makeArguments(const ast::Spectrum &spectrum, const tangram_kernel &kernel, const ArgumentSet &set,
                                 const VerifyOptions &options) {
  std::vector<Value> values;
  Random random(set.seed);
  for (std::uint32_t i = 0; i < kernel.num_params; ++i) {
    const tangram_param &p = kernel.params[i];
    Element element = Element::of(kernel, i);
    std::uint64_t seed = random.next();
    bool isResult = i >= spectrum.params.size();
    if (auto it = options.arguments.find(p.name);
        it != options.arguments.end() && !isResult && (p.rank || !it->second.pointsInto())) {
      const ArgumentSpec &spec = it->second;
      ArgumentContext context;
      context.spread = set.spread;
      context.whole = set.whole;
      context.pass = set.pass;
      if (spec.pointsInto()) context.bound = boundOf(spec, spectrum, set.shape).value_or(0);
      if (p.rank && spec.leavesSizes()) {
        context.sizes = set.shape.arguments[i].sizes;
        context.layout = set.layout;
      }
      // What is said in full is the same in every set.
      bool varies = p.rank && (spec.leavesSizes() || spec.pointsInto());
      values.push_back(makeValue(spec, p.name, element, p.rank, varies ? seed : options.seed, context));
      continue;
    }
    if (p.rank == 0) {
      Value value = Value::scalar(element);
      if (!isResult) {
        fill(value, set, seed);
        if (set.shape.arguments[i].scalar) value.setInteger(0, *set.shape.arguments[i].scalar);
      }
      values.push_back(std::move(value));
      continue;
    }
    Value value = Value::array(element, set.shape.arguments[i].sizes, set.layout);
    fill(value, set, seed);
    values.push_back(std::move(value));
  }
  std::vector<bool> fixed;
  for (const ast::Param *p : spectrum.params) fixed.push_back(options.arguments.count(p->name) > 0);
  meetConditions(spectrum, values, fixed);
  return values;
}

} // namespace tangram::runtime
