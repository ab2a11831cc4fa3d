#include "tangram/c-family/Words.h"

#include <algorithm>

namespace tangram::c_family {

bool Words::contains(std::string_view word) const {
  if (words.count(word)) return true;
  for (std::string_view prefix : prefixes)
    if (word.starts_with(prefix)) return true;
  return std::any_of(camelPrefixes.begin(), camelPrefixes.end(), [&](std::string_view prefix) {
    return word.size() > prefix.size() && word.starts_with(prefix) && word[prefix.size()] >= 'A' &&
           word[prefix.size()] <= 'Z';
  });
}

bool isWordOfCpp(std::string_view word) {
  static const Words all{
      {// C
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
       "uintmax_t", "max_align_t", "va_list", "offsetof", "std", "main", "malloc", "calloc", "realloc", "free",
       "memcpy", "memset", "memmove", "snprintf", "printf", "exit", "abort", "div", "ldiv", "lldiv", "labs", "j0", "j1",
       "jn", "y0", "y1", "yn", "gamma", "lgamma", "signgam", "ilogb", "ldexp", "frexp", "logb", "modf", "nan",
       "nextafter", "remainder", "remquo", "exp10", "sincos", "isnormal", "isgreater", "isgreaterequal", "isless",
       "islessequal", "islessgreater", "isunordered", "finite", "finitef", "isinff", "isnanf", "MAXFLOAT", "complex",
       "imaginary", "uint", "ushort", "ulong", "clock", "select", "isnan", "isinf", "isfinite", "signbit",
       "aligned_alloc", "linux", "unix", "i386", "near", "far"},
      // INT_MAX, UINT64_C, FLT_EPSILON, ...
      {"tangram_", "TANGRAM_", "FLT_",    "DBL_",    "LDBL_",    "INT8_",  "INT16_",   "INT32_",  "INT64_", "UINT8_",
       "UINT16_",  "UINT32_",  "UINT64_", "INTMAX_", "UINTMAX_", "SIZE_",  "PTRDIFF_", "CHAR_",   "SCHAR_", "UCHAR_",
       "SHRT_",    "USHRT_",   "INT_",    "UINT_",   "LONG_",    "ULONG_", "LLONG_",   "ULLONG_", "FE_"},
      {}};
  // _Bool, __x
  return all.contains(word) || word.starts_with('_') || word.find("__") != std::string_view::npos;
}

bool isVectorType(std::string_view word) {
  for (std::string_view element : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong",
                                   "ulonglong", "float", "double", "half", "bool"}) {
    if (!word.starts_with(element)) continue;
    std::string_view rest = word.substr(element.size());
    if (rest.ends_with("_16a") || rest.ends_with("_32a")) rest.remove_suffix(4);
    for (std::string_view width : {"1", "2", "3", "4", "8", "16"})
      if (rest == width) return true;
  }
  return false;
}

} // namespace tangram::c_family
