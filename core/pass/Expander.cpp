#include "tangram/pass/Expander.h"

#include "tangram/ast/Compare.h"

namespace tangram {

using namespace ast;

namespace {

/// Nothing of the list is gone or changed; `what` says what an element is.
template <class T>
std::string lost(const std::vector<const T *> &before, const std::vector<const T *> &after, const std::string &what) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    std::string said = fmt::format("{} '{}'", what, before[i]->name);
    if (i >= after.size()) return said + " was removed";
    if (before[i] == after[i]) continue;
    if (before[i]->name != after[i]->name) return said + " was removed, or is not where it was";
    if (!equal(before[i], after[i])) return said + " was changed";
  }
  return {};
}

std::string lost(const Spectrum &before, const Spectrum &after) {
  bool same = before.result == after.result && before.params.size() == after.params.size() &&
              before.conditions.size() == after.conditions.size();
  for (std::size_t i = 0; same && i < before.params.size(); ++i) same = equal(before.params[i], after.params[i]);
  for (std::size_t i = 0; same && i < before.conditions.size(); ++i)
    same = equal(before.conditions[i], after.conditions[i]);
  if (!same) return fmt::format("the signature of '{}' was changed", before.name);
  std::string codelet = lost(before.codelets, after.codelets, "codelet");
  return codelet.empty() ? codelet : fmt::format("{}, of spectrum '{}'", codelet, before.name);
}

} // namespace

std::string lostByExpansion(const Module &before, const Module &after) {
  std::string gone = lost(before.structs, after.structs, "struct");
  if (gone.empty()) gone = lost(before.functions, after.functions, "function");
  for (std::size_t i = 0; gone.empty() && i < before.spectrums.size(); ++i) {
    const Spectrum &s = *before.spectrums[i];
    if (i >= after.spectrums.size() || after.spectrums[i]->name != s.name)
      gone = fmt::format("spectrum '{}' was removed, or is not where it was", s.name);
    else
      gone = lost(s, *after.spectrums[i]);
  }
  return gone;
}

} // namespace tangram
