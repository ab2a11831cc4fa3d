// Registration that fails, in five ways.
#include "tangram/plugin/Plugin.h"

#include <stdexcept>

using namespace tangram;

namespace {
[[maybe_unused]] PassDescriptor pass(const char *name) {
  PassDescriptor pass;
  pass.name = name;
  pass.summary = "does nothing";
  pass.create = [](const OptionValues &) { return std::unique_ptr<Pass>(); };
  return pass;
}

/// Of a class that only this library knows.
struct Surprise : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Unrelated {};
} // namespace

TANGRAM_PLUGIN("test-throws", "1.0", "fails to register, for tests") {
#if defined(CASE_STD)
  throw Surprise("no device found");
#elif defined(CASE_OTHER)
  throw Unrelated();
#elif defined(CASE_AFTER_REGISTERING)
  registry.passes.add(pass("test-half"));
  throw Surprise("changed its mind");
#elif defined(CASE_INCOMPLETE)
  PassDescriptor incomplete = pass("test-incomplete");
  incomplete.create = nullptr;
  registry.passes.add(incomplete);
#elif defined(CASE_BAD_DEFAULT)
  PassDescriptor bad = pass("test-bad-default");
  bad.options.push_back({"factor", "by how much", std::int64_t{0}, 1, 8, {}});
  registry.passes.add(bad);
#endif
}
