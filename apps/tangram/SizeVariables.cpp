#include "SizeVariables.h"

#include "Driver.h"

#include "tangram/verify/ArgumentSpec.h"

#include <algorithm>

namespace tangram::driver {
namespace {

constexpr DiagnosticKind kForm{"sizes.form", DiagnosticClass::User, "--sizes '{0}' does not say what a name stands for",
                               "write --sizes N=1K,64K,4M"};
constexpr DiagnosticKind kName{"sizes.name", DiagnosticClass::User, "--sizes: '{0}' cannot stand for a size: {1}",
                               "use letters, digits and underscores without an x, which is between two sizes, and no "
                               "parameter's name: N"};
constexpr DiagnosticKind kTwice{"sizes.twice", DiagnosticClass::User, "--sizes says twice what '{0}' stands for",
                                "write all its sizes behind each other: --sizes {0}=1K,64K"};
constexpr DiagnosticKind kSize{"sizes.size", DiagnosticClass::User, "--sizes {0}: '{1}' is no size",
                               "write numbers, with K, M, G or T: --sizes {0}=1K,64K,4M"};
constexpr DiagnosticKind kUnused{"sizes.unused", DiagnosticClass::User, "--sizes: no argument has '{0}' as a size",
                                 "put it into one: --arg in=random:{0}"};
constexpr DiagnosticKind kMany{"sizes.many", DiagnosticClass::Limitation,
                               "--sizes are {0} in all, and at most {1} are tried",
                               "leave some out: between two sizes more are measured where that is worth it"};

constexpr std::size_t kMost = 64;

bool isName(const std::string &name) {
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

/// Calls `part` with each part of an argument's SPEC where a size may stand, and puts its answer there.
std::string eachSize(const std::string &argument, const std::function<std::string(const std::string &)> &part) {
  const std::size_t equals = std::min(argument.find('='), argument.size() - 1);
  std::string result = argument.substr(0, equals + 1), spec = argument.substr(equals + 1), word;
  // A kind of data is no size; a scalar's value is all there is.
  bool kind = spec.find(':') != std::string::npos;
  for (std::size_t at = 0; at <= spec.size(); ++at) {
    const char c = at < spec.size() ? spec[at] : '\0';
    if (c != '\0' && c != ':' && (kind || c != 'x')) {
      word += c;
      continue;
    }
    result += kind ? word : part(word);
    if (c != '\0') result += c;
    if (c == ':') kind = false;
    word.clear();
  }
  return result;
}

} // namespace

std::vector<std::map<std::string, std::uint64_t>> readSizes(const std::vector<std::string> &texts,
                                                            const std::vector<std::string> &arguments,
                                                            const std::vector<std::string> &parameters) {
  std::vector<std::map<std::string, std::uint64_t>> points{{}};
  std::size_t count = 1;
  for (const std::string &text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size()) fail(kForm, {}, text);
    const std::string name = text.substr(0, equals);
    if (!isName(name)) fail(kName, {}, name, "it is no name");
    if (name.find('x') != std::string::npos) fail(kName, {}, name, "it has an x");
    if (std::find(parameters.begin(), parameters.end(), name) != parameters.end())
      fail(kName, {}, name, "a parameter is called so");
    if (points[0].count(name)) fail(kTwice, {}, name);
    bool used = false;
    for (const std::string &argument : arguments)
      eachSize(argument, [&](const std::string &part) {
        used |= part == name;
        return part;
      });
    if (!used) fail(kUnused, {}, name);
    std::vector<std::uint64_t> values;
    for (const std::string &one : splitList(text.substr(equals + 1))) {
      const std::optional<std::uint64_t> value = runtime::parseSize(one);
      if (!value) fail(kSize, {}, name, one);
      if (std::find(values.begin(), values.end(), *value) == values.end()) values.push_back(*value);
    }
    if (values.empty()) fail(kForm, {}, text);
    count *= values.size();
    if (count > kMost) fail(kMany, {}, count, kMost);
    std::vector<std::map<std::string, std::uint64_t>> more;
    for (const auto &point : points)
      for (std::uint64_t value : values) {
        more.push_back(point);
        more.back()[name] = value;
      }
    points = std::move(more);
  }
  return points;
}

std::string withSizes(const std::string &argument, const std::map<std::string, std::uint64_t> &values) {
  return eachSize(argument, [&](const std::string &part) {
    auto value = values.find(part);
    return value == values.end() ? part : std::to_string(value->second);
  });
}

} // namespace tangram::driver
