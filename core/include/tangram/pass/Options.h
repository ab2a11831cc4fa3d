// Options of passes, heuristics, backends: declared once with type, default, range and doc; YAML schema,
// --help and the docs page come from the declaration.
#pragma once

#include "tangram/ast/Node.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tangram {

using OptionValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

struct OptionSpec {
  std::string name;
  std::string doc;                // one sentence
  OptionValue defaultValue;       // its alternative is the option's type
  std::optional<double> min, max; // numbers
  std::vector<std::string> oneOf; // text: the known values; empty: any
};

/// Option name -> value, and where each was written.
class OptionValues {
public:
  void set(const std::string &name, OptionValue value, ast::SourceRange range = {});
  bool has(const std::string &name) const { return values_.count(name) != 0; }
  bool flag(const std::string &name) const { return std::get<bool>(at(name)); }
  std::int64_t integer(const std::string &name) const { return std::get<std::int64_t>(at(name)); }
  double real(const std::string &name) const { return std::get<double>(at(name)); }
  const std::string &text(const std::string &name) const { return std::get<std::string>(at(name)); }
  const std::vector<std::string> &texts(const std::string &name) const {
    return std::get<std::vector<std::string>>(at(name));
  }
  struct Entry {
    OptionValue value;
    ast::SourceRange range;
  };
  const std::map<std::string, Entry> &entries() const { return values_; }

private:
  const OptionValue &at(const std::string &name) const;
  std::map<std::string, Entry> values_;
};

/// `given` checked against `specs` (unknown name, wrong type, out of range: DiagnosticError that names `owner`)
/// with the defaults filled in. An integer is accepted where a real is asked for.
OptionValues checkOptions(const std::vector<OptionSpec> &specs, const OptionValues &given, const std::string &owner,
                          ast::SourceRange where = {});

/// Reads `NAME=VALUE,NAME=VALUE`, as it stands on a command line, into `values`: each as what its option takes. Texts
/// have no commas. Throws as checkOptions() does.
void readOptions(const std::vector<OptionSpec> &specs, const std::string &text, const std::string &owner,
                 OptionValues &values);

} // namespace tangram
