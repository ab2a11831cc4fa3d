#include "Types.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <sstream>

namespace tangram::hidp {

using ast::Scalar;
using ast::Type;

std::optional<Type> builtinType(std::string_view words) {
  std::istringstream in{std::string(words)};
  unsigned isUnsigned = 0, isSigned = 0, isLong = 0, isShort = 0, isInt = 0;
  std::string base;
  for (std::string word; in >> word;) {
    if (word == "unsigned")
      ++isUnsigned;
    else if (word == "signed")
      ++isSigned;
    else if (word == "long")
      ++isLong;
    else if (word == "short")
      ++isShort;
    else if (word == "int")
      ++isInt;
    else if (base.empty())
      base = word;
    else
      return std::nullopt;
  }
  if (isUnsigned + isSigned > 1 || isLong > 2 || isShort > 1 || isInt > 1 || (isLong && isShort)) return std::nullopt;
  const bool modified = isUnsigned || isSigned || isLong || isShort || isInt;
  if (base == "char" && !isLong && !isShort && !isInt) return Type(isUnsigned ? Scalar::U8 : Scalar::I8);
  if (!base.empty() && modified) return std::nullopt;
  if (base.empty()) {
    if (isShort) return Type(isUnsigned ? Scalar::U16 : Scalar::I16);
    if (isLong) return Type(isUnsigned ? Scalar::U64 : Scalar::I64);
    return Type(isUnsigned ? Scalar::U32 : Scalar::I32);
  }
  if (base == "float") return Type(Scalar::F32);
  if (base == "double") return Type(Scalar::F64);
  if (base == "bool") return Type(Scalar::Bool);
  if (base == "size_t") return Type(Scalar::U64);
  if (base == "f16") return Type(Scalar::F16);
  if (base == "bf16") return Type(Scalar::BF16);
  return std::nullopt;
}

std::string spelled(const Type &type) {
  if (type.isStruct()) return type.name();
  switch (type.scalar()) {
  case Scalar::Void: return "void";
  case Scalar::Bool: return "bool";
  case Scalar::I8: return "signed char";
  case Scalar::U8: return "unsigned char";
  case Scalar::I16: return "short";
  case Scalar::U16: return "unsigned short";
  case Scalar::I32: return "int";
  case Scalar::U32: return "unsigned";
  case Scalar::I64: return "long long";
  case Scalar::U64: return "size_t";
  case Scalar::F32: return "float";
  case Scalar::F64: return "double";
  case Scalar::F16: return "f16";
  case Scalar::BF16: return "bf16";
  }
  return "void";
}

Type promoted(const Type &type) { return type.isInteger() && type.bytes() < 4 ? Type(Scalar::I32) : type; }

Type common(const Type &a, const Type &b) {
  if (a == b) return a.isFloating() ? a : promoted(a);
  if (!a.isScalar() || !b.isScalar()) return {};
  if (a.isFloating() || b.isFloating()) {
    if (a == Type(Scalar::F64) || b == Type(Scalar::F64)) return Scalar::F64;
    if (a.isHalf() && !b.isFloating()) return a;
    if (b.isHalf() && !a.isFloating()) return b;
    return Scalar::F32;
  }
  const Type p = promoted(a), q = promoted(b);
  if (p.bytes() != q.bytes()) return p.bytes() > q.bytes() ? p : q;
  return p.isSigned() ? q : p;
}

std::optional<Type> literalType(std::string_view text) {
  if (text == "true" || text == "false") return Type(Scalar::Bool);
  const std::string digits(text);
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  char *end = nullptr;
  errno = 0;
  if (!hexadecimal && text.find_first_of(".eE") != std::string_view::npos) {
    const double value = std::strtod(digits.c_str(), &end);
    if (errno == ERANGE && (value > 1 || value < -1)) return std::nullopt;
    std::string_view suffix = end;
    if (suffix.empty()) return Type(Scalar::F64);
    return suffix == "f" || suffix == "F" ? std::optional(Type(Scalar::F32)) : std::nullopt;
  }
  const unsigned long long value = std::strtoull(digits.c_str(), &end, 0);
  if (errno == ERANGE) return std::nullopt;
  std::string suffix = end;
  std::transform(suffix.begin(), suffix.end(), suffix.begin(), [](unsigned char c) { return std::tolower(c); });
  if (suffix == "f" && !hexadecimal) return std::nullopt; // 1f is no number of C
  const bool isUnsigned = suffix.find('u') != std::string::npos;
  std::erase(suffix, 'u');
  if (suffix != "" && suffix != "l" && suffix != "ll") return std::nullopt;
  if (end == digits.c_str()) return std::nullopt;
  const bool wide = !suffix.empty() || value > std::numeric_limits<unsigned>::max();
  if (isUnsigned) return Type(wide ? Scalar::U64 : Scalar::U32);
  if (!wide && value <= static_cast<unsigned long long>(std::numeric_limits<int>::max())) return Type(Scalar::I32);
  if (value <= static_cast<unsigned long long>(std::numeric_limits<long long>::max()))
    return Type(hexadecimal && !wide ? Scalar::U32 : Scalar::I64);
  return hexadecimal ? std::optional(Type(Scalar::U64)) : std::nullopt;
}

} // namespace tangram::hidp
