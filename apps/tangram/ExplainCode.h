// The code that is generated for a plan, with the codelet that each line comes from.
#pragma once

#include "Explain.h"

namespace tangram::driver {

struct CodeLine {
  std::string text;
  const ast::Codelet *from = nullptr; // null: of no codelet, as the entry's checks, or not known
};

struct CodeFile {
  std::string name;
  std::vector<CodeLine> lines;
};

struct GeneratedCode {
  std::vector<CodeFile> files;
  std::string none; // why there are none
};

/// Lowers the plan and has the target's backend write it. A line comes from the codelet that declares most of the
/// variables in it; where the backend says places by itself (`//@ at FILE:LINE`), from the codelet there.
GeneratedCode generatedCode(Session &session, const Explanation &e, const std::string &file);

} // namespace tangram::driver
