#include "tangram/ast/Node.h"

#include <mutex>
#include <set>

namespace tangram::ast {
namespace {
template <class Base>
constexpr bool derives[] = {
#define NODE(Name, Base_) std::is_base_of_v<Base, Name>,
#include "tangram/ast/NodeMacros.h"
};
constexpr std::string_view kNames[] = {
#define NODE(Name, Base) #Name,
#include "tangram/ast/NodeMacros.h"
};
} // namespace

std::string_view name(Kind kind) { return kNames[static_cast<std::size_t>(kind)]; }
bool isExprKind(Kind kind) { return derives<Expr>[static_cast<std::size_t>(kind)]; }
bool isStmtKind(Kind kind) { return derives<Stmt>[static_cast<std::size_t>(kind)]; }

const std::string *Arena::internFile(std::string_view path) {
  static std::mutex mutex;
  static auto &files = *new std::set<std::string, std::less<>>;
  std::lock_guard lock(mutex);
  return &*files.emplace(path).first;
}

} // namespace tangram::ast
