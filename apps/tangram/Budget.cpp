#include "Budget.h"

#include "tangram/diag/Diagnostic.h"

namespace tangram::driver {
namespace {

constexpr DiagnosticKind kBadBudget{"driver.bad-budget", DiagnosticClass::User, "--budget: '{0}' is no time",
                                    "write seconds, minutes or hours: --budget 60s, --budget 5m"};

volatile std::sig_atomic_t interruptions = 0;

} // namespace

double parseBudget(const std::string &text) {
  std::size_t end = 0;
  double value = -1;
  try {
    value = std::stod(text, &end);
  } catch (const std::exception &) {
    fail(kBadBudget, {}, text);
  }
  std::string unit = text.substr(end);
  if (!(value >= 0 && value <= 1e7) || (!unit.empty() && unit != "s" && unit != "m" && unit != "h"))
    fail(kBadBudget, {}, text);
  return value * (unit == "m" ? 60 : unit == "h" ? 3600 : 1);
}

Interruptible::Interruptible() {
  struct sigaction action{};
  action.sa_handler = [](int) { interruptions = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &before_);
}

bool Interruptible::happened() { return interruptions != 0; }

} // namespace tangram::driver
