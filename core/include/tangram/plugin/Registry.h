// What plugins register. A plugin is handed the registry; nothing registers itself.
#pragma once

#include "tangram/pass/Expander.h"
#include "tangram/pass/Pass.h"

#include <map>
#include <string>
#include <vector>

namespace tangram {

/// Why a plugin that there could be was not built, and what to do to have it.
struct LeftOut {
  std::string why, advice;
};

/// Components of one kind by name. add() throws DiagnosticError where the name is taken (says by which plugin)
/// or the descriptor is incomplete; get() where it is unknown (says the nearest names, which plugins could not be
/// loaded, and why one of that name was not built).
template <class D> class Table {
public:
  explicit Table(std::string what) : what_(std::move(what)) {}
  void add(D descriptor);
  const D &get(const std::string &name, ast::SourceRange where = {}) const;
  const D *find(const std::string &name) const;
  std::vector<std::string> names() const;
  const std::map<std::string, D> &all() const { return entries_; }

private:
  friend class Registry;
  std::string what_;
  std::string plugin_;
  std::vector<std::string> failures_;
  std::map<std::string, LeftOut> leftOut_; // by plugin
  std::map<std::string, D> entries_;
};

class Registry {
public:
  /// Knows "composed" alone, the property of what the cloner makes.
  Registry();
  Table<FrontendDescriptor> frontends{"frontend"};
  Table<ExpanderDescriptor> expanders{"expander"};
  Table<AnalysisDescriptor> analyses{"analysis"};
  Table<HeuristicDescriptor> heuristics{"heuristic"};
  Table<PassDescriptor> passes{"pass"};
  Table<PropertyDescriptor> properties{"property"};
  Table<BackendDescriptor> backends{"backend"};

  /// Who registers from now on (the loader says so); kept in each descriptor.
  void setPlugin(const std::string &name);
  /// A plugin that could not be loaded ("path: why"): what is unknown from now on may have been in it.
  void addFailure(const std::string &failure);
  /// A plugin that was not built: a component of its name is taken to be its.
  void addLeftOut(const std::string &plugin, const LeftOut &reason);
};

} // namespace tangram
