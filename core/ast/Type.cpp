#include "tangram/ast/Type.h"

#include <array>
#include <charconv>
#include <fmt/format.h>

namespace tangram::ast {
namespace {

struct ScalarInfo {
  std::string_view text, c;
  unsigned bytes;
};
constexpr std::array<ScalarInfo, 14> kScalars{{{"void", "void", 0},
                                               {"bool", "bool", 1},
                                               {"i8", "int8_t", 1},
                                               {"i16", "int16_t", 2},
                                               {"i32", "int", 4},
                                               {"i64", "int64_t", 8},
                                               {"u8", "uint8_t", 1},
                                               {"u16", "uint16_t", 2},
                                               {"u32", "unsigned", 4},
                                               {"u64", "size_t", 8},
                                               {"f32", "float", 4},
                                               {"f64", "double", 8},
                                               {"f16", "tangram_f16", 2},
                                               {"bf16", "tangram_bf16", 2}}};

const ScalarInfo &info(Scalar s) { return kScalars[static_cast<std::size_t>(s)]; }

/// A recursive-descent reader of type text; nesting is bounded so that no input exhausts the stack.
class TypeReader {
public:
  explicit TypeReader(std::string_view text) : rest_(text) {}

  std::optional<Type> all() {
    std::optional<Type> type = one(0);
    return type && rest_.empty() ? type : std::nullopt;
  }

private:
  std::optional<Type> one(int depth) {
    if (depth > 16) return std::nullopt;
    if (eat("array<")) {
      std::optional<unsigned> rank = number();
      if (!rank || *rank == 0 || !eat(",")) return std::nullopt;
      std::optional<Type> element = one(depth + 1);
      if (!element || !eat(">")) return std::nullopt;
      return Type::array(*rank, *element);
    }
    if (eat("ptr<")) {
      bool toConst = eat("const ");
      std::optional<Type> element = one(depth + 1);
      if (!element || !eat(">")) return std::nullopt;
      return Type::pointer(*element, toConst);
    }
    if (eat("vec<")) {
      std::optional<Type> element = one(depth + 1);
      if (!element || !element->isScalar() || !eat(",")) return std::nullopt;
      std::optional<unsigned> lanes = number();
      if (!lanes || *lanes == 0 || !eat(">")) return std::nullopt;
      return Type::vector(*element, *lanes);
    }
    if (eat("struct<")) {
      std::size_t end = rest_.find('>');
      if (end == std::string_view::npos || end == 0) return std::nullopt;
      std::string name(rest_.substr(0, end));
      rest_.remove_prefix(end + 1);
      return Type::structure(std::move(name));
    }
    for (std::size_t i = 0; i < kScalars.size(); ++i) {
      std::string_view text = kScalars[i].text;
      bool whole = rest_.size() == text.size() || (rest_.size() > text.size() && !isalnum(rest_[text.size()]));
      if (rest_.starts_with(text) && whole && eat(text)) return Type(static_cast<Scalar>(i));
    }
    return std::nullopt;
  }

  bool eat(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::optional<unsigned> number() {
    unsigned value = 0;
    auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(end - rest_.data());
    return value;
  }

  std::string_view rest_;
};

} // namespace

Type Type::array(unsigned rank, Type element) {
  Type t;
  t.kind_ = Kind::Array;
  t.count_ = rank;
  t.element_ = std::make_shared<const Type>(std::move(element));
  return t;
}

Type Type::pointer(Type element, bool toConst) {
  Type t;
  t.kind_ = Kind::Pointer;
  t.toConst_ = toConst;
  t.element_ = std::make_shared<const Type>(std::move(element));
  return t;
}

Type Type::vector(Type element, unsigned lanes) {
  Type t;
  t.kind_ = Kind::Vector;
  t.count_ = lanes;
  t.element_ = std::make_shared<const Type>(std::move(element));
  return t;
}

Type Type::structure(std::string name) {
  Type t;
  t.kind_ = Kind::Struct;
  t.name_ = std::move(name);
  return t;
}

std::optional<Type> Type::parse(std::string_view text) { return TypeReader(text).all(); }

bool Type::isInteger() const { return isScalar() && scalar_ < Scalar::F32; }

bool Type::isSigned() const { return isFloating() || (isScalar() && scalar_ >= Scalar::I8 && scalar_ <= Scalar::I64); }

unsigned Type::bytes() const {
  switch (kind_) {
  case Kind::Scalar: return info(scalar_).bytes;
  case Kind::Vector: return element_->bytes() * count_;
  case Kind::Pointer: return 8;
  case Kind::Array:
  case Kind::Struct: return 0;
  }
  __builtin_unreachable();
}

std::string Type::text() const {
  switch (kind_) {
  case Kind::Scalar: return std::string(info(scalar_).text);
  case Kind::Array: return fmt::format("array<{},{}>", count_, element_->text());
  case Kind::Pointer: return fmt::format("ptr<{}{}>", toConst_ ? "const " : "", element_->text());
  case Kind::Vector: return fmt::format("vec<{},{}>", element_->text(), count_);
  case Kind::Struct: return fmt::format("struct<{}>", name_);
  }
  __builtin_unreachable();
}

std::string Type::cName() const {
  switch (kind_) {
  case Kind::Scalar: return std::string(info(scalar_).c);
  case Kind::Pointer: return fmt::format("{}{} *", toConst_ ? "const " : "", element_->cName());
  case Kind::Vector: return fmt::format("tangram::vec<{}, {}>", element_->cName(), count_);
  case Kind::Struct: return name_;
  case Kind::Array: break;
  }
  return text();
}

bool Type::operator==(const Type &o) const {
  if (kind_ != o.kind_ || scalar_ != o.scalar_ || toConst_ != o.toConst_ || count_ != o.count_ || name_ != o.name_)
    return false;
  return element_ == o.element_ || (element_ && o.element_ && *element_ == *o.element_);
}

} // namespace tangram::ast
