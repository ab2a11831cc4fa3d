#include "Words.h"

#include <algorithm>
#include <array>

namespace tangram::hidp {
namespace {

template <std::size_t N> bool among(const std::array<std::string_view, N> &words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 11> kKeywords = {"function", "input", "output", "inout",  "map",  "if",
                                                        "else",     "while", "for",    "struct", "const"};
constexpr std::array<std::string_view, 13> kTypes = {"char",   "signed", "unsigned", "short", "int",  "long", "float",
                                                     "double", "bool",   "size_t",   "f16",   "bf16", "void"};
constexpr std::array<std::string_view, 65> kCpp = {
    "alignas",   "alignof",   "and",          "and_eq",   "asm",       "auto",      "bitand",   "bitor",    "break",
    "case",      "catch",     "char8_t",      "char16_t", "char32_t",  "class",     "compl",    "concept",  "consteval",
    "constexpr", "constinit", "const_cast",   "continue", "co_await",  "co_return", "co_yield", "decltype", "default",
    "delete",    "do",        "dynamic_cast", "enum",     "explicit",  "export",    "extern",   "false",    "friend",
    "goto",      "inline",    "main",         "mutable",  "namespace", "new",       "noexcept", "not",      "not_eq",
    "nullptr",   "operator",  "or",           "or_eq",    "private",   "protected", "public",   "register", "requires",
    "return",    "sizeof",    "static",       "switch",   "template",  "this",      "throw",    "true",     "try",
    "typename",  "union"};
constexpr std::array<std::string_view, 9> kMoreCpp = {"using",  "virtual", "volatile", "wchar_t", "xor",
                                                      "xor_eq", "std",     "size_t",   "typedef"};
constexpr std::array<std::string_view, 13> kTangram = {"Array",    "range",   "map",     "partition", "sequence",
                                                       "coopIdx",  "coopDim", "assert",  "segmented", "tangram",
                                                       "uint32_t", "int64_t", "uint64_t"};

} // namespace

bool isKeyword(std::string_view word) { return among(kKeywords, word); }
bool isTypeWord(std::string_view word) { return among(kTypes, word); }
bool isWordOfCpp(std::string_view word) { return among(kCpp, word) || among(kMoreCpp, word); }
bool isWordOfTangram(std::string_view word) {
  return among(kTangram, word) || word.starts_with("atomic") || word.starts_with("segment") ||
         word.starts_with("elements_");
}

} // namespace tangram::hidp
