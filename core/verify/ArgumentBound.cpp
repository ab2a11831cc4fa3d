#include "tangram/verify/ArgumentBound.h"

#include "tangram/diag/Diagnostic.h"

#include <algorithm>

namespace tangram::runtime {
namespace {

constexpr DiagnosticKind kUnknownTarget{"argument.unknown-target", DiagnosticClass::User,
                                        "argument '{0}': '{1}' has no container or integer parameter '{2}'",
                                        "use a number, or {3}"};
} // namespace

std::optional<std::uint64_t> boundOf(const ArgumentSpec &spec, const ast::Spectrum &spectrum, const Shape &shape) {
  if (!spec.targets.empty()) {
    std::optional<std::uint64_t> least;
    for (const IndexTarget &target : spec.targets)
      for (std::size_t i = 0; i < spectrum.params.size(); ++i) {
        if (spectrum.params[i]->name != target.container) continue;
        const std::vector<std::uint64_t> &sizes = shape.arguments[i].sizes;
        if (target.dim >= sizes.size()) return std::nullopt;
        const auto numbers = static_cast<std::int64_t>(sizes[target.dim]) + target.beyond;
        least = std::min(least.value_or(UINT64_MAX), static_cast<std::uint64_t>(std::max<std::int64_t>(0, numbers)));
      }
    return least;
  }
  if (std::optional<std::uint64_t> number = parseSize(spec.of)) return number;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < spectrum.params.size(); ++i) {
    const ast::Param &p = *spectrum.params[i];
    if (!p.type.isArray() && !p.type.isInteger()) continue;
    names.push_back(p.name);
    if (p.name != spec.of) continue;
    const Shape::Argument &argument = shape.arguments[i];
    if (!p.type.isArray()) {
      if (!argument.scalar) return std::nullopt;
      return static_cast<std::uint64_t>(std::max<std::int64_t>(0, *argument.scalar));
    }
    return argument.sizes.empty() ? std::nullopt : std::optional(argument.sizes[0]);
  }
  fail(kUnknownTarget, {}, spec.text, spectrum.name, spec.of, suggest(spec.of, names));
}

} // namespace tangram::runtime
