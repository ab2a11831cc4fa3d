// The plainest plan as its source says it, beside the reference that was compiled: a compiler, or a pass, that is wrong
// for all plans alike is told by no comparison of plans, nor is a source that leaves its result to chance.
#pragma once

#include "tangram/verify/Reference.h"

#include <optional>
#include <string>
#include <vector>

namespace tangram::runtime {

class Meaning {
public:
  /// Of the spectrum's plainest plan for the session's target. `session` outlives this.
  Meaning(Session &session, const std::string &spectrum);

  struct Outcome {
    std::string undefined; // why the source has no outcome; empty: it has
    std::vector<const ast::Param *> params;
    std::vector<Value> values; // after the call, the result last
    /// In what the compiled reference (of the same arguments) differs; empty: in nothing, or roundings decide.
    std::string difference(const Reference::Outcome &right) const;
  };
  /// For arguments with the result last. Nothing where there are too many elements, where it takes too long, or has
  /// what the interpreter (Semantics.h) does not know.
  std::optional<Outcome> of(const std::vector<Value> &arguments) const;

private:
  const ast::Spectrum *spectrum_ = nullptr;
  const ast::Module *module_ = nullptr; // null: there is no plainest plan for this target
  const hardware::Hardware *hardware_ = nullptr;
  ast::Arena arena_;
  mutable double seconds_ = 0; // taken
};

} // namespace tangram::runtime
