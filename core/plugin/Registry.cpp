#include "tangram/plugin/Registry.h"

#include "tangram/pass/Property.h"

#include <set>

namespace tangram {
namespace {

constexpr DiagnosticKind kTaken{"registry.name-taken", DiagnosticClass::User,
                                "plugin '{0}' registers {1} '{2}', which plugin '{3}' has registered already",
                                "rename one of them, or leave one of the two plugins out"};
constexpr DiagnosticKind kIncomplete{"registry.incomplete", DiagnosticClass::User,
                                     "plugin '{0}' registers {1} '{2}', which is incomplete: {3}",
                                     "complete the descriptor in the plugin's source"};
constexpr DiagnosticKind kUnknown{"registry.unknown", DiagnosticClass::User, "there is no {0} '{1}'", "use {2}"};
constexpr DiagnosticKind kNone{"registry.none", DiagnosticClass::User,
                               "there is no {0} '{1}': no plugin that is loaded brings any",
                               "`tangram plugins` lists what is loaded; --plugin-path names a folder with more"};
constexpr DiagnosticKind kLeftOut{"registry.left-out", DiagnosticClass::User, "{0} '{1}' was not built: {2}", "{3}"};

bool isName(const std::string &name) {
  if (name.empty() || name.front() < 'a' || name.front() > 'z' || name.back() == '-') return false;
  for (char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) return false;
  return true;
}

/// What is missing in a descriptor; empty: nothing.
template <class D> std::string missing(const D &descriptor) {
  if (!isName(descriptor.name)) return "its name must be lower-case letters, digits and dashes";
  if (descriptor.summary.empty()) return "it has no summary";
  if constexpr (requires { descriptor.create; }) {
    if (!descriptor.create) return "it has no 'create' function";
  } else {
    if (!descriptor.violations) return "it has no 'violations' function, which checks it";
  }
  std::set<std::string> seen;
  for (const OptionSpec &option : descriptor.options) {
    if (!isName(option.name))
      return fmt::format("the name of option '{}' must be lower-case letters, digits and dashes", shown(option.name));
    if (!seen.insert(option.name).second) return fmt::format("it has two options '{}'", option.name);
    if (option.doc.empty()) return fmt::format("option '{}' has no doc", option.name);
  }
  // A default that its own declaration refuses would be refused wherever the component is used.
  OptionValues defaults;
  for (const OptionSpec &option : descriptor.options) defaults.set(option.name, option.defaultValue);
  try {
    checkOptions(descriptor.options, defaults, descriptor.name);
  } catch (const DiagnosticError &error) {
    return "the default of an option is not valid: " + error.diagnostic.message;
  }
  return "";
}

} // namespace

template <class D> void Table<D>::add(D descriptor) {
  std::string owner = plugin_.empty() ? "tangram" : plugin_;
  if (std::string what = missing(descriptor); !what.empty())
    fail(kIncomplete, {}, owner, what_, shown(descriptor.name), what);
  if (auto found = entries_.find(descriptor.name); found != entries_.end())
    fail(kTaken, {}, owner, what_, descriptor.name, found->second.plugin);
  descriptor.plugin = owner;
  std::string name = descriptor.name;
  entries_.emplace(std::move(name), std::move(descriptor));
}

template <class D> const D &Table<D>::get(const std::string &name, ast::SourceRange where) const {
  if (const D *found = find(name)) return *found;
  if (auto known = leftOut_.find(name); known != leftOut_.end())
    fail(kLeftOut, where, what_, shown(name), known->second.why, known->second.advice);
  Diagnostic diagnostic = entries_.empty()
                              ? makeDiagnostic(kNone, where, what_, shown(name))
                              : makeDiagnostic(kUnknown, where, what_, shown(name), suggest(name, names()));
  for (const std::string &failure : failures_)
    diagnostic.notes.push_back({{}, "a plugin that may have it could not be loaded: " + failure});
  throw DiagnosticError(std::move(diagnostic));
}

template <class D> const D *Table<D>::find(const std::string &name) const {
  auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

template <class D> std::vector<std::string> Table<D>::names() const {
  std::vector<std::string> result;
  for (const auto &entry : entries_) result.push_back(entry.first);
  return result;
}

template class Table<FrontendDescriptor>;
template class Table<ExpanderDescriptor>;
template class Table<AnalysisDescriptor>;
template class Table<HeuristicDescriptor>;
template class Table<PassDescriptor>;
template class Table<BackendDescriptor>;
template class Table<PropertyDescriptor>;

namespace {

template <class R, class F> void eachTable(R &registry, F &&f) {
  f(registry.frontends), f(registry.expanders), f(registry.analyses), f(registry.heuristics), f(registry.passes);
  f(registry.properties), f(registry.backends);
}

/// Calls and maps below kernels that the cloner has not specialised.
Violations unspecialised(const ast::Module &module, const hardware::Target &) {
  Violations found;
  for (const ast::Kernel *kernel : module.kernels) {
    ast::walk(
        kernel,
        [&](const ast::SpectrumCall &call) {
          if (!call.codelet) found.push_back({&call, fmt::format("a call of '{}' has no codelet", call.spectrum)});
        },
        [&](const ast::Map &map) {
          if (map.policy == ast::Policy::None)
            found.push_back({&map, fmt::format("a map of '{}' has no policy", map.spectrum)});
        });
  }
  return found;
}

} // namespace

Registry::Registry() {
  properties.add(property("composed", "every call of a spectrum, and every map, is specialised", unspecialised));
}

void Registry::setPlugin(const std::string &name) {
  eachTable(*this, [&](auto &table) { table.plugin_ = name; });
}

void Registry::addFailure(const std::string &failure) {
  eachTable(*this, [&](auto &table) { table.failures_.push_back(failure); });
}

void Registry::addLeftOut(const std::string &plugin, const LeftOut &reason) {
  eachTable(*this, [&](auto &table) { table.leftOut_.emplace(plugin, reason); });
}

} // namespace tangram
