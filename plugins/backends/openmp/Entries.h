// How a kernel is called: its signature, the C entry with its checks, the C++ wrapper, the descriptor.
#pragma once

#include "Expressions.h"
#include "SizeLimits.h"
#include "Writer.h"

#include <vector>

namespace tangram::openmp {

/// A parameter of the spectrum beside the parameters of the kernel that it became.
struct Argument {
  std::string name; // as the spectrum calls it
  ast::Type element;
  unsigned rank = 0; // 0: a scalar
  ast::Access access = ast::Access::In;
  std::string data;                 // the kernel's parameter: pointer or value
  std::vector<std::string> sizes;   // one a dimension
  std::vector<std::string> strides; // all dimensions but the last
};

struct Signature {
  const ast::Kernel *kernel = nullptr;
  std::string entry, spectrum;
  std::vector<Argument> arguments; // the result is the last where there is one
  bool hasResult = false;
};

/// Throws where the kernel's parameters are not what index-calculation makes of the spectrum's.
Signature signatureOf(const ast::Module &module, const ast::Kernel &kernel);

/// "const int *in, size_t in_size0, int *result"
std::string parameters(const Signature &signature);

void declareEntry(Writer &w, const Signature &signature);
void declareWrapper(Writer &w, const Signature &signature);
void defineEntry(Writer &w, const Signature &signature, const std::string &run, bool canFail);
void defineDescriptor(Writer &w, const Signature &signature, const std::string &target);

std::string quoted(std::string_view text);

} // namespace tangram::openmp
