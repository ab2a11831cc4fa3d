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
    std::string undefined;     // why the source has no outcome; empty: it has
    std::vector<Value> values; // after the call, the result last
  };
  /// For arguments with the result last. Nothing where there are too many elements, where it takes too long, or has
  /// what the interpreter (Semantics.h) does not know.
  std::optional<Outcome> of(const std::vector<Value> &arguments) const;
  /// Why the source has no outcome for these arguments, which may be many more; empty: it has. Nothing as above.
  std::optional<std::string> undefined(const std::vector<Value> &arguments) const;

  /// In what the compiled reference differs from `said`, of the same arguments, and from which pass on; empty: in
  /// nothing, or roundings decide.
  std::string difference(const std::vector<Value> &arguments, const Outcome &said,
                         const Reference::Outcome &right) const;

private:
  std::optional<Outcome> run(const ast::Module &module, const std::vector<Value> &arguments) const;
  /// What is not as expected: the parameter's number, and where.
  std::optional<std::pair<std::size_t, Mismatch>> mismatch(const std::vector<Value> &values,
                                                           const std::vector<Expected> &expected) const;
  /// The first pass of the target's behind which the plan computes something else; empty: none that can be interpreted.
  std::string wrongPass(const std::vector<Value> &arguments, const Outcome &said,
                        const Reference::Outcome &right) const;

  Session &session_;
  const ast::Spectrum *spectrum_ = nullptr;
  const ast::Module *module_ = nullptr; // null: there is no plainest plan for this target
  mutable ast::Arena arena_;
  mutable double seconds_ = 0; // taken
};

} // namespace tangram::runtime
