#include "Scope.h"

#include "Messages.h"
#include "Words.h"

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <fmt/format.h>

namespace tangram::hidp {
namespace {

std::string_view kindOf(const Variable &v) {
  switch (v.kind) {
  case Variable::Kind::Size: return "a size";
  case Variable::Kind::Array: return "an array";
  case Variable::Kind::Scalar: return "a scalar";
  case Variable::Kind::Iterator: return "an iterator";
  }
  return "";
}

} // namespace

std::string Scope::emitted(const Variable &v) {
  if (v.kind == Variable::Kind::Iterator) return v.name;
  // A scalar that is a container outside has a name of its own inside.
  const std::string wanted = v.cell ? v.name + "_value" : v.name;
  std::string text = wanted;
  for (unsigned i = 2; !used_.insert(text).second; ++i) text = fmt::format("{}_{}", wanted, i);
  return text;
}

std::string Scope::fresh(const std::string &wanted) const {
  std::string name = wanted;
  for (unsigned i = 2; find(name) || find("_" + name) || globals_.count(name); ++i)
    name = fmt::format("{}{}", wanted, i);
  return name;
}

/// Throws where the name is in use.
void Scope::admit(const Variable &v) const {
  if (const Variable *other = find(v.name)) {
    Diagnostic d = makeDiagnostic(kTwice, source_.range(v.piece), v.name, kindOf(*other));
    d.notes.push_back({source_.range(other->piece), fmt::format("'{}' is declared here", v.name)});
    throw DiagnosticError(std::move(d));
  }
  if (isWordOfTangram(v.name) || globals_.count(v.name)) fail(kGlobal, source_.range(v.piece), v.name);
}

void Scope::adopt(Variable *v) {
  admit(*v);
  v->text = emitted(*v);
  names_.emplace_back(v, level_);
}

Variable *Scope::declare(Variable v, unsigned level) {
  admit(v);
  v.text = emitted(v);
  Variable *kept = &program_.variables.emplace_back(std::move(v));
  names_.emplace_back(kept, level);
  return kept;
}

const Variable *Scope::find(const std::string &name) const {
  auto found = std::find_if(names_.rbegin(), names_.rend(), [&](const auto &n) { return n.first->name == name; });
  return found == names_.rend() ? nullptr : found->first;
}

const Variable *Scope::arrayBehind(const std::string &name) const {
  if (!name.starts_with("_")) return nullptr;
  const Variable *v = find(name.substr(1));
  return v && v->kind == Variable::Kind::Array ? v : nullptr;
}

void Scope::unknown(const std::string &name, Piece piece) const {
  const ast::SourceRange range = source_.range(piece);
  if (const Variable *scalar = find("_" + name))
    fail(kNoName, range, name, fmt::format("scalars begin with an underscore: write '{}'", scalar->name));
  std::vector<std::string> known;
  for (const auto &[v, _] : names_) {
    if (boost::iequals(v->name, name))
      fail(kNoName, range, name, fmt::format("upper and lower case differ: write '{}'", v->name));
    if (boost::iequals("_" + v->name, name))
      fail(kNoName, range, name, fmt::format("upper and lower case differ: write '_{}'", v->name));
    if (boost::iequals(v->name, "_" + name))
      fail(kNoName, range, name,
           fmt::format("scalars begin with an underscore, and upper and lower case differ: write '{}'", v->name));
    known.push_back(v->name);
    if (v->kind == Variable::Kind::Array && name.starts_with("_")) known.push_back("_" + v->name);
  }
  if (!nearest(name, known).empty()) fail(kNoName, range, name, "write " + suggest(name, known));
  if (name.starts_with("_"))
    fail(kNoName, range, name,
         fmt::format("a scalar has a value before it is read, {} = ...; in a map block it is also the element of an "
                     "array '{}'",
                     name, name.substr(1)));
  fail(kNoName, range, name,
       "declare it: an argument (input float A[N];), a size of one, an iterator or a local array; scalars begin with "
       "an underscore");
}

} // namespace tangram::hidp
