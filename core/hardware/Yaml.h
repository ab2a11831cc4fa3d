// YAML with places: what of yaml-cpp the target reader uses, every mistake a located DiagnosticError.
#pragma once

#include "tangram/diag/Diagnostic.h"
#include "tangram/pass/Options.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <yaml-cpp/yaml.h>

namespace tangram::hardware {

class Yaml {
public:
  /// The only document of `text`. Throws where it is not YAML, empty, or unreasonably large.
  static Yaml parse(std::string_view text, const std::string *file);

  ast::SourceRange range() const;
  bool isNull() const { return node_.IsNull(); }
  bool isScalar() const { return node_.IsScalar(); }
  bool isList() const { return node_.IsSequence(); }
  bool isMapping() const { return node_.IsMap(); }
  /// "the text 'x'", "a list", ...: what was found, for messages.
  std::string describe() const;

  struct Entry;
  /// The entries of a mapping, in order. `what` names it in messages; `known`: its keys (empty: any).
  std::vector<Entry> entries(const std::string &what, const std::vector<std::string> &known) const;
  std::vector<Yaml> items(const std::string &what) const;

  std::string text(const std::string &what) const;
  /// One of `known`; returns its index.
  std::size_t word(const std::string &what, const std::vector<std::string> &known) const;
  /// A lower-case name of letters, digits and dashes.
  std::string name(const std::string &what) const;
  std::uint64_t integer(const std::string &what, std::uint64_t min, std::uint64_t max) const;
  /// An integer, also as "48 KiB" (MiB, GiB, TiB).
  std::uint64_t bytes(const std::string &what) const;
  double number(const std::string &what) const; // finite, not negative
  /// A scalar or a list of scalars, typed as it is written.
  OptionValue option(const std::string &what) const;

  [[noreturn]] void wrongType(const std::string &what, std::string_view wanted) const;

private:
  Yaml(const YAML::Node &node, const std::string *file) : node_(node), file_(file) {}
  const std::string &scalar(const std::string &what, std::string_view wanted) const;
  bool plain() const; // not quoted

  YAML::Node node_;
  const std::string *file_ = nullptr;
};

struct Yaml::Entry {
  std::string key;
  ast::SourceRange range; // of the key
  Yaml value;
};

} // namespace tangram::hardware
