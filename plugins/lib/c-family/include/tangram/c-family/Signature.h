// How a kernel is called: the spectrum's parameters beside those of the kernel that they became.
#pragma once

#include "tangram/ast/Structs.h"

#include <functional>
#include <string>
#include <vector>

namespace tangram::c_family {

/// A parameter of the spectrum beside the parameters of the kernel that it became.
struct Argument {
  std::string name; // as the spectrum calls it
  ast::Type element;
  std::vector<ast::Structs::Leaf> fields; // where the element is a struct
  std::uint64_t bytes = 0;                // of the struct
  unsigned rank = 0;                      // 0: a scalar
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
  std::vector<const ast::Struct *> structs; // of the arguments; what others have as fields stands before them
};

/// Throws where the kernel's parameters are not what index-calculation makes of the spectrum's.
Signature signatureOf(const ast::Module &module, const ast::Kernel &kernel);

/// Throws where a kernel or function computes with f16 or bf16, which type-legalization turns into their bits.
void requireLegalTypes(const ast::Module &module);

/// What the address of structs in a device's memory is a multiple of, so that fields side by side are accessed as one:
/// the greatest power of two, of at most 16, in the bytes of one struct.
std::uint64_t accessAlignment(std::uint64_t bytes);

/// "const int *in"
std::string pointer(const Argument &argument);
/// "const int *in, size_t in_size0, int *result"; `data` spells what is no plain value.
std::string parameters(const Signature &signature, const std::function<std::string(const Argument &)> &data = pointer);
/// "in, in_size0, result"
std::string names(const Signature &signature);
/// What an entry passes as a parameter of its kernel: of f16 and bf16 the bits. `handles`: pointers are none of C.
std::string passed(const Signature &signature, const ast::Param &param, bool handles = false);
/// Of sizes and scalars that are only read: "size_t in_size0, float alpha", or "in_size0, alpha".
std::string sizeParameters(const Signature &signature);
std::string sizeNames(const Signature &signature);

} // namespace tangram::c_family
