#include "tangram/verify/ArgumentSpec.h"

#include "tangram/diag/Diagnostic.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tangram::runtime {
namespace {

constexpr std::string_view kForms =
    "random:16M, random:512Kx128, random:LOW..HIGH:16M, special:N, iota:1000, zeros:N, ones:N, index:PARAM:N, "
    "offsets:PARAM:N, 3.5, 1,2,3, file.mtx, file.mtx:row, "
    "file.raw or file.raw:f32";

constexpr DiagnosticKind kUnknownKind{"argument.unknown-kind", DiagnosticClass::User,
                                      "argument '{0}': there is no kind of data '{1}'", "use {2}; forms: {3}"};
constexpr DiagnosticKind kBadSizes{"argument.bad-sizes", DiagnosticClass::User, "argument '{0}': '{1}' is not a size",
                                   "write a number, 16M or 512Kx128"};
constexpr DiagnosticKind kBadRange{"argument.bad-range", DiagnosticClass::User, "argument '{0}': '{1}' is no range{2}",
                                   "write {3}:LOW..HIGH or {3}:LOW..HIGH:SIZE, as random:0.5..2:16M"};
constexpr DiagnosticKind kNotASpec{"argument.not-a-spec", DiagnosticClass::User,
                                   "argument '{0}' says no data that is known", "forms: {1}"};
constexpr DiagnosticKind kBadType{"argument.bad-type", DiagnosticClass::User,
                                  "argument '{0}': there is no element type '{1}'", "use {2}"};
constexpr DiagnosticKind kBadPart{"argument.bad-part", DiagnosticClass::User,
                                  "argument '{0}': compressed rows have no part '{1}'", "use {2}"};
constexpr DiagnosticKind kNoTarget{"argument.no-target", DiagnosticClass::User,
                                   "argument '{0}' does not say into what its elements point",
                                   "write {1}:PARAMETER or {1}:PARAMETER:SIZE, or a number in place of the parameter"};

std::vector<std::string> splitBy(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool looksLikeNumber(std::string_view text) {
  return !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '-' || text[0] == '+' ||
                           text[0] == '.' || text == "inf" || text == "nan" || text == "true" || text == "false");
}

std::optional<double> parseReal(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size())
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  const bool isNegative = text.starts_with('-');
  const std::optional<std::uint64_t> size = parseSize(text.substr(isNegative ? 1 : 0)); // 16M
  if (!size) return std::nullopt;
  return isNegative ? -static_cast<double>(*size) : static_cast<double>(*size);
}

/// Two numbers with two dots between.
std::pair<double, double> parseRange(const std::string &spec, const std::string &kind, const std::string &text) {
  const std::size_t dots = text.find("..");
  const std::optional<double> low = parseReal(std::string_view(text).substr(0, dots)),
                              high = parseReal(std::string_view(text).substr(dots + 2));
  if (!low || !high) fail(kBadRange, {}, spec, text, "", kind);
  if (*low > *high) fail(kBadRange, {}, spec, text, ": the first number is the greater one", kind);
  return {*low, *high};
}

} // namespace

std::optional<std::uint64_t> parseSize(std::string_view text) {
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (rest.empty()) return value;
  constexpr std::string_view units = "KMGT";
  std::size_t unit = rest.size() == 1 ? units.find(rest[0]) : std::string_view::npos;
  if (unit == std::string_view::npos) return std::nullopt;
  if (__builtin_mul_overflow(value, 1ull << (10 * (unit + 1)), &value)) return std::nullopt;
  return value;
}

std::vector<std::uint64_t> parseSizes(const std::string &spec, const std::string &text) {
  std::vector<std::uint64_t> sizes;
  for (const std::string &part : splitBy(text, 'x')) {
    std::optional<std::uint64_t> size = parseSize(part);
    if (!size) fail(kBadSizes, {}, spec, part);
    sizes.push_back(*size);
  }
  if (sizes.size() > TANGRAM_MAX_RANK) fail(kBadSizes, {}, spec, text);
  return sizes;
}

ArgumentSpec parseArgumentSpec(const std::string &text) {
  using Kind = ArgumentSpec::Kind;
  ArgumentSpec spec;
  spec.text = text;
  if (std::size_t at = text.rfind(".mtx"); at != std::string::npos && (at + 4 == text.size() || text[at + 4] == ':')) {
    spec.kind = Kind::MatrixMarket;
    spec.path = text.substr(0, at + 4);
    if (at + 4 == text.size()) return spec;
    static const std::vector<std::string> parts{"row", "column", "value"};
    std::string part = text.substr(at + 5);
    auto it = std::find(parts.begin(), parts.end(), part);
    if (it == parts.end()) fail(kBadPart, {}, text, part, suggest(part, parts));
    spec.part = static_cast<MatrixPart>(it - parts.begin() + 1);
    return spec;
  }
  if (std::size_t at = text.rfind(".raw"); at != std::string::npos && (at + 4 == text.size() || text[at + 4] == ':')) {
    spec.kind = Kind::Raw;
    spec.path = text.substr(0, at + 4);
    if (at + 4 == text.size()) return spec;
    std::vector<std::string> parts = splitBy(std::string_view(text).substr(at + 5), ':');
    if (!parts[0].empty() && !std::isdigit(static_cast<unsigned char>(parts[0][0]))) {
      spec.element = elementOf(parts[0]);
      std::vector<std::string> known;
      for (int e = TANGRAM_BOOL; e <= TANGRAM_BF16; ++e)
        if (isNumber(e)) known.emplace_back(name(static_cast<tangram_element>(e)));
      if (!spec.element) fail(kBadType, {}, text, parts[0], suggest(parts[0], known));
      parts.erase(parts.begin());
    }
    if (parts.size() > 1) fail(kNotASpec, {}, text, kForms);
    if (!parts.empty()) spec.sizes = parseSizes(text, parts[0]);
    return spec;
  }
  static const std::vector<std::pair<std::string, Kind>> kinds{
      {"random", Kind::Random}, {"special", Kind::Special}, {"iota", Kind::Iota},      {"zeros", Kind::Zeros},
      {"ones", Kind::Ones},     {"index", Kind::Index},     {"offsets", Kind::Offsets}};
  std::vector<std::string> parts = splitBy(text, ':'), known;
  for (const auto &[name, kind] : kinds) {
    known.push_back(name);
    if (name != parts[0]) continue;
    spec.kind = kind;
    parts.erase(parts.begin());
    if (spec.pointsInto()) {
      if (parts.empty() || parts[0].empty()) fail(kNoTarget, {}, text, name);
      spec.of = parts[0];
      parts.erase(parts.begin());
    }
    if (!parts.empty() && parts[0].find("..") != std::string::npos && (kind == Kind::Random || kind == Kind::Special)) {
      spec.range = parseRange(text, name, parts[0]);
      parts.erase(parts.begin());
    }
    if (parts.size() > 1) fail(kNotASpec, {}, text, kForms);
    if (!parts.empty()) spec.sizes = parseSizes(text, parts[0]);
    return spec;
  }
  if (parts.size() > 1) fail(kUnknownKind, {}, text, parts[0], suggest(parts[0], known), kForms);
  if (!looksLikeNumber(text)) fail(kNotASpec, {}, text, kForms);
  spec.values = splitBy(text, ',');
  return spec;
}

Signs ArgumentSpec::signs() const {
  std::optional<std::pair<double, double>> all = range;
  for (const std::string &text : values) {
    const std::optional<double> value = parseReal(text);
    if (!value) return Signs::Any;
    all = all ? std::pair(std::min(all->first, *value), std::max(all->second, *value)) : std::pair(*value, *value);
  }
  if (!all) return Signs::Any;
  const auto [low, high] = *all;
  if (low >= 0) return low > 0 ? Signs::Positive : high > 0 ? Signs::NotNegative : Signs::Any; // all zero: that is odd
  if (high <= 0) return high < 0 ? Signs::Negative : Signs::NotPositive;
  return Signs::Any;
}

bool ArgumentSpec::leavesSizes() const {
  return sizes.empty() && kind != Kind::Values && kind != Kind::MatrixMarket && kind != Kind::Raw;
}

} // namespace tangram::runtime
