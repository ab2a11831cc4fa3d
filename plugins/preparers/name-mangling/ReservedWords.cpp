#include "ReservedWords.h"

#include <dlfcn.h>
#include <set>

namespace tangram {
namespace {

const std::set<std::string_view> &words() {
  static const std::set<std::string_view> all{
      // C
      "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
      "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed",
      "sizeof", "static", "struct", "switch", "typedef", "typeof", "typeof_unqual", "union", "unsigned", "void",
      "volatile", "while",
      // C++
      "alignas", "alignof", "and", "and_eq", "asm", "bitand", "bitor", "bool", "catch", "char8_t", "char16_t",
      "char32_t", "class", "compl", "concept", "const_cast", "consteval", "constexpr", "constinit", "co_await",
      "co_return", "co_yield", "decltype", "delete", "dynamic_cast", "explicit", "export", "false", "final", "friend",
      "import", "module", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
      "or_eq", "override", "private", "protected", "public", "reinterpret_cast", "requires", "static_assert",
      "static_cast", "template", "this", "thread_local", "throw", "true", "try", "typeid", "typename", "using",
      "virtual", "wchar_t", "xor", "xor_eq",
      // types, macros, functions and objects of the standard headers that generated code includes
      "NULL", "EOF", "BUFSIZ", "RAND_MAX", "MB_CUR_MAX", "EXIT_SUCCESS", "EXIT_FAILURE", "CHAR_BIT", "INFINITY", "NAN",
      "HUGE_VAL", "HUGE_VALF", "HUGE_VALL", "M_PI", "M_E", "FP_NAN", "FP_ZERO", "FP_NORMAL", "FP_INFINITE",
      "FP_SUBNORMAL", "errno", "assert", "stdin", "stdout", "stderr", "size_t", "ptrdiff_t", "int8_t", "int16_t",
      "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "intptr_t", "uintptr_t", "intmax_t",
      "uintmax_t", "max_align_t", "va_list", "offsetof", "std", "main", "malloc", "calloc", "realloc", "free", "memcpy",
      "memset", "memmove", "snprintf", "printf", "exit", "abort", "div", "ldiv", "lldiv", "labs", "j0", "j1", "jn",
      "y0", "y1", "yn", "gamma", "lgamma", "signgam", "isnan", "isinf", "isfinite", "signbit", "aligned_alloc", "linux",
      "unix", "i386", "near", "far"};
  return all;
}

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// INT_MAX, UINT64_C, FLT_EPSILON, _Bool, __x, omp_get_num_threads, ...
bool matchesReservedForm(std::string_view name) {
  if (name.starts_with('_') || name.find("__") != std::string_view::npos) return true;
  for (std::string_view prefix :
       {"omp_",    "ompx_",    "GOMP_",  "kmp_",     "__kmpc", "tangram_", "TANGRAM_", "FLT_",    "DBL_",
        "LDBL_",   "INT8_",    "INT16_", "INT32_",   "INT64_", "UINT8_",   "UINT16_",  "UINT32_", "UINT64_",
        "INTMAX_", "UINTMAX_", "SIZE_",  "PTRDIFF_", "CHAR_",  "SCHAR_",   "UCHAR_",   "SHRT_",   "USHRT_",
        "INT_",    "UINT_",    "LONG_",  "ULONG_",   "LLONG_", "ULLONG_",  "FE_"})
    if (name.starts_with(prefix)) return true;
  return false;
}

} // namespace

bool isReserved(std::string_view name) {
  return words().count(name) || matchesReservedForm(name) || isWordOfDevices(name);
}

bool isInLibrary(const std::string &name) {
  for (const char *library : {"libc.so.6", "libm.so.6"})
    if (void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD); handle) {
      bool found = dlsym(handle, name.c_str()) != nullptr;
      dlclose(handle);
      if (found) return true;
    }
  return false;
}

std::string identifier(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (isLetter(c) || isDigit(c))
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (out.size() > 1 && out.back() == '_') out.pop_back();
  // Names may hold two underscores in a row no more than they may begin with one.
  std::string result;
  for (char c : out)
    if (c != '_' || (!result.empty() && result.back() != '_')) result += c;
  if (result.empty() || isDigit(result.front())) result.insert(result.begin(), 'v');
  return result;
}

} // namespace tangram
