#include "tangram/verify/Verify.h"

#include "Verifier.h"

namespace tangram::runtime {

std::string nothingCompared(std::size_t plans, std::size_t argumentSets) {
  if (!plans) return "there is no plan to call";
  if (!argumentSets) return "no arguments could be made up";
  return "";
}

std::size_t VerifyReport::checked() const {
  std::size_t refusedPlans = 0;
  for (const Refusal &r : refused) refusedPlans += r.plans;
  return plans.size() - notBegun - unfit.size() - refusedPlans;
}

VerifyReport verify(Session &session, const std::string &spectrum, const VerifyOptions &options) {
  VerifyOptions mine = options;
  mine.exact |=
      session.target().promise("order") == "preserve" || session.target().promise("determinism") == "everywhere";
  return Verifier(session, spectrum, mine).run();
}

} // namespace tangram::runtime
