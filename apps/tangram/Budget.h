// Work that ends when time is up, or is interrupted, with what it has found until then.
#pragma once

#include <csignal>
#include <string>

namespace tangram::driver {

/// Seconds of "60", "60s", "5m", "1h"; throws where `text` is none of these.
double parseBudget(const std::string &text);

/// The first Ctrl-C ends the work and leaves its result to be printed, the next one ends the process.
class Interruptible {
public:
  Interruptible();
  ~Interruptible() { sigaction(SIGINT, &before_, nullptr); }
  Interruptible(const Interruptible &) = delete;
  Interruptible &operator=(const Interruptible &) = delete;
  static bool happened();
  static constexpr int kExitCode = 128 + SIGINT; // as a shell has it

private:
  struct sigaction before_{};
};

} // namespace tangram::driver
