// The plain struct with one member wrong.
#include "tangram/plugin/Plugin.h"

using namespace tangram;

extern "C" __attribute__((visibility("default"))) const TangramPlugin *tangram_plugin() {
  static TangramPlugin plugin{sizeof(TangramPlugin), kPluginApiVersion, kBuildId, "test-bad", "1.0",
                              "is wrong, for tests", [](Registry &) {}};
#if defined(CASE_API_VERSION)
  plugin.apiVersion = 999;
  plugin.name = reinterpret_cast<const char *>(1); // must not be read: another version's struct differs
#elif defined(CASE_STRUCT_SIZE)
  plugin.structSize = 8;
  plugin.name = reinterpret_cast<const char *>(1);
#elif defined(CASE_BUILD_ID)
  plugin.buildId = "tangram-0.0.1/of-another-core";
#elif defined(CASE_NULL_STRUCT)
  return nullptr;
#elif defined(CASE_NULL_CALLBACK)
  plugin.registerAll = nullptr;
#elif defined(CASE_NULL_NAME)
  plugin.name = nullptr;
#elif defined(CASE_EMPTY_SUMMARY)
  plugin.summary = "";
#endif
  return &plugin;
}
