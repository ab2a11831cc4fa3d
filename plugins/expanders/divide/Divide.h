// Divides the loops of one codelet.
#pragma once

#include "Reductions.h"
#include "tangram/nest/Read.h"
#include "tangram/pass/Expander.h"

namespace tangram::divide {

/// What was made of a codelet: one more of its spectrum, which calls the new spectrums.
struct Division {
  const ast::Codelet *codelet = nullptr; // null: nothing can be divided
  std::vector<const ast::Spectrum *> spectrums;
  std::vector<const ast::Struct *> structs; // results of spectrums that reduce several scalars
  /// Loops that are not divided, by their iterators.
  struct Refused {
    std::string iterator; // empty: all of it
    ast::SourceRange where;
    std::string why;
  };
  std::vector<Refused> refused;
};

struct DivideOptions {
  bool reorder = true; // floating-point reductions may be computed in another order
  std::vector<PrivateCopies> privates;
  bool collapse = false;         // loops that stand directly in each other are also one (Collapse.h)
  std::int64_t mostExpanded = 0; // elements of what is expanded where nothing is there that has as many
  bool streams = false;          // lanes go through loops, and keep what the next iteration loads again (Streams.h)
};

Division divide(nest::Nests &nests, const nest::Nest &nest, const ast::Spectrum &spectrum, const DivideOptions &options,
                ast::Names &names, ast::Arena &arena);

} // namespace tangram::divide
