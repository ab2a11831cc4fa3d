#include "tangram/runtime/ArgumentSpec.h"

#include "MatrixMarket.h"
#include "tangram/diag/Diagnostic.h"

#include <charconv>
#include <fstream>
#include <limits>
#include <unistd.h>

namespace tangram::runtime {
namespace {

constexpr std::string_view kForms = "random:16M, random:512Kx128, iota:1000, zeros:N, ones:N, 3.5, 1,2,3, file.mtx, "
                                    "file.raw or file.raw:f32";

constexpr DiagnosticKind kUnknownKind{"argument.unknown-kind", DiagnosticClass::User,
                                      "argument '{0}': there is no kind of data '{1}'", "use {2}; forms: {3}"};
constexpr DiagnosticKind kBadSizes{"argument.bad-sizes", DiagnosticClass::User, "argument '{0}': '{1}' is not a size",
                                   "write a number, 16M or 512Kx128"};
constexpr DiagnosticKind kNotASpec{"argument.not-a-spec", DiagnosticClass::User,
                                   "argument '{0}' says no data that is known", "forms: {1}"};
constexpr DiagnosticKind kBadType{"argument.bad-type", DiagnosticClass::User,
                                  "argument '{0}': there is no element type '{1}'", "use {2}"};
constexpr DiagnosticKind kWrongRank{"argument.wrong-rank", DiagnosticClass::User,
                                    "parameter '{0}' has {1} dimensions, but '{2}' has {3}", "write {4}"};
constexpr DiagnosticKind kNotInType{"argument.not-in-type", DiagnosticClass::User,
                                    "'{1}' is no value of parameter '{0}', which is {2}", "give {3}"};
constexpr DiagnosticKind kOutOfMemory{"argument.out-of-memory", DiagnosticClass::User,
                                      "there is no memory for '{1}' of parameter '{0}'", "ask for less"};
constexpr DiagnosticKind kUnreadable{"argument.unreadable", DiagnosticClass::User,
                                     "file '{1}' for parameter '{0}' cannot be read", "check the path"};
constexpr DiagnosticKind kWrongType{"argument.wrong-type", DiagnosticClass::User,
                                    "parameter '{0}' is {1}, but '{2}' says {3}", "convert the file"};
constexpr DiagnosticKind kWrongLength{"argument.wrong-length", DiagnosticClass::User,
                                      "file '{1}' has {2} bytes, but parameter '{0}' needs {3}", "{4}"};

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

std::string sample(unsigned rank) {
  if (rank == 0) return "a number";
  std::string sizes = "512";
  for (unsigned d = 1; d < rank; ++d) sizes += "x128";
  return "random:" + sizes;
}

/// Sets one element from text exactly, or says that it cannot.
bool setFromText(Value &value, std::uint64_t position, std::string text) {
  if (text == "true") text = "1";
  if (text == "false") text = "0";
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const char *first = digits.data(), *last = first + digits.size();
  if (value.isFloating()) {
    double parsed = 0;
    auto [end, error] = std::from_chars(first, last, parsed);
    if (error != std::errc() || end != last) {
      std::optional<std::uint64_t> size = parseSize(digits);
      if (!size) return false;
      parsed = static_cast<double>(*size);
    }
    value.setReal(position, parsed);
    return true;
  }
  if (value.element() == TANGRAM_U64) {
    std::optional<std::uint64_t> parsed = parseSize(digits);
    if (parsed) value.setInteger(position, static_cast<std::int64_t>(*parsed));
    return parsed.has_value();
  }
  bool negative = digits.starts_with('-');
  std::optional<std::uint64_t> magnitude = parseSize(digits.substr(negative ? 1 : 0));
  if (!magnitude || *magnitude > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return false;
  std::int64_t parsed = static_cast<std::int64_t>(*magnitude);
  if (negative) parsed = -parsed;
  value.setInteger(position, parsed);
  return value.integer(position) == parsed;
}

Value readRaw(const ArgumentSpec &spec, const std::string &param, tangram_element element, unsigned rank) {
  if (spec.element && *spec.element != element)
    fail(kWrongType, {}, param, name(element), spec.text, name(*spec.element));
  std::error_code ec;
  std::uint64_t length = std::filesystem::file_size(spec.path, ec);
  std::ifstream in(spec.path, std::ios::binary);
  if (ec || !in) fail(kUnreadable, {}, param, spec.path.string());
  std::vector<std::uint64_t> sizes = spec.sizes;
  if (sizes.empty() && rank == 1) sizes = {length / bytes(element)};
  if (sizes.size() != rank)
    fail(kWrongRank, {}, param, rank, spec.text, sizes.size(),
         fmt::format("{}:{}:{}", spec.path.string(), name(element), sample(rank).substr(7)));
  std::uint64_t needed = bytes(element);
  for (std::uint64_t size : sizes)
    if (__builtin_mul_overflow(needed, size, &needed)) fail(kOutOfMemory, {}, param, spec.text);
  if (needed != length)
    fail(kWrongLength, {}, param, spec.path.string(), length,
         spec.sizes.empty() ? fmt::format("a multiple of {}", bytes(element)) : std::to_string(needed),
         "give the sizes that it was written with, or the right element type");
  Value value = Value::array(element, sizes);
  in.read(static_cast<char *>(value.data()), static_cast<std::streamsize>(needed));
  if (!in) fail(kUnreadable, {}, param, spec.path.string());
  return value;
}

Value make(const ArgumentSpec &spec, const std::string &param, tangram_element element, unsigned rank,
           std::uint64_t seed) {
  using Kind = ArgumentSpec::Kind;
  if (spec.kind == Kind::Raw) return readRaw(spec, param, element, rank);
  if (spec.kind == Kind::MatrixMarket) return readMatrixMarket(spec.path, param, element, rank);
  std::vector<std::uint64_t> sizes = spec.sizes;
  if (spec.kind == Kind::Values && (rank == 1 || spec.values.size() > 1)) sizes = {spec.values.size()};
  if (sizes.size() != rank) fail(kWrongRank, {}, param, rank, spec.text, sizes.size(), sample(rank));
  // More than the machine has would be granted at first and end in a kill.
  std::uint64_t needed = bytes(element);
  for (std::uint64_t size : sizes)
    if (__builtin_mul_overflow(needed, size, &needed)) throw std::bad_alloc();
  if (needed / static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) > static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)))
    throw std::bad_alloc();
  Value value = Value::array(element, sizes);
  switch (spec.kind) {
  case Kind::Random: fillRandom(value, seed); break;
  case Kind::Iota:
    for (std::uint64_t i = 0; i < value.count(); ++i) value.setInteger(i, static_cast<std::int64_t>(i));
    break;
  case Kind::Ones:
    for (std::uint64_t i = 0; i < value.count(); ++i) value.setInteger(i, 1);
    break;
  case Kind::Values:
    for (std::uint64_t i = 0; i < value.count(); ++i)
      if (!setFromText(value, i, spec.values[i]))
        fail(kNotInType, {}, param, spec.values[i], name(element),
             isFloating(element) ? "a number" : "a whole number that the type holds");
    break;
  default: break;
  }
  return value;
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
  if (text.ends_with(".mtx")) {
    spec.kind = Kind::MatrixMarket;
    spec.path = text;
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
      for (int e = TANGRAM_BOOL; e <= TANGRAM_F64; ++e) known.emplace_back(name(static_cast<tangram_element>(e)));
      if (!spec.element) fail(kBadType, {}, text, parts[0], suggest(parts[0], known));
      parts.erase(parts.begin());
    }
    if (parts.size() > 1) fail(kNotASpec, {}, text, kForms);
    if (!parts.empty()) spec.sizes = parseSizes(text, parts[0]);
    return spec;
  }
  std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    if (text == "random") {
      spec.kind = Kind::Random;
      return spec;
    }
    if (!looksLikeNumber(text)) fail(kNotASpec, {}, text, kForms);
    spec.values = splitBy(text, ',');
    return spec;
  }
  static const std::vector<std::pair<std::string, Kind>> kinds{
      {"random", Kind::Random}, {"iota", Kind::Iota}, {"zeros", Kind::Zeros}, {"ones", Kind::Ones}};
  std::string word = text.substr(0, colon);
  std::vector<std::string> known;
  for (const auto &[name, kind] : kinds) {
    known.push_back(name);
    if (name == word) {
      spec.kind = kind;
      spec.sizes = parseSizes(text, text.substr(colon + 1));
      return spec;
    }
  }
  fail(kUnknownKind, {}, text, word, suggest(word, known), kForms);
}

Value makeValue(const ArgumentSpec &spec, const std::string &param, tangram_element element, unsigned rank,
                std::uint64_t seed) {
  try {
    return make(spec, param, element, rank, seed);
  } catch (const std::bad_alloc &) {
    fail(kOutOfMemory, {}, param, spec.text);
  }
}

std::uint64_t Random::next() {
  // SplitMix64.
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

std::int64_t Random::between(std::int64_t lo, std::int64_t hi) {
  std::uint64_t range = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo) + 1;
  std::uint64_t offset =
      range ? static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * range) >> 64) : next();
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + offset);
}

double Random::unit() { return static_cast<double>(static_cast<std::int64_t>(next()) >> 11) * 0x1p-52; }

void fillRandom(Value &value, std::uint64_t seed) {
  Random random(seed);
  bool isSigned = value.element() >= TANGRAM_I8 && value.element() <= TANGRAM_I64;
  std::int64_t lo = isSigned ? -100 : 0, hi = value.element() == TANGRAM_BOOL ? 1 : 100;
  for (std::uint64_t i = 0; i < value.count(); ++i)
    if (value.isFloating())
      value.setReal(i, random.unit());
    else
      value.setInteger(i, random.between(lo, hi));
}

} // namespace tangram::runtime
