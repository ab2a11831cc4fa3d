// Needs a function that nobody has.
#include "tangram/plugin/Plugin.h"

void functionThatIsNowhere();

TANGRAM_PLUGIN("test-undefined-symbol", "1.0", "does not link, for tests") { functionThatIsNowhere(); }
