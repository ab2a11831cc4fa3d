// Types of the AST: a small closed set, compared by structure. Text form: i32, array<1,f32>, ptr<u8>,
// vec<f32,16>, struct<edge>.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tangram::ast {

/// F16 is IEEE 754 binary16, BF16 the upper half of a binary32.
enum class Scalar : std::uint8_t { Void, Bool, I8, I16, I32, I64, U8, U16, U32, U64, F32, F64, F16, BF16 };

/// A value type: cheap to copy, compared by structure.
class Type {
public:
  enum class Kind : std::uint8_t { Scalar, Array, Pointer, Vector, Struct };

  Type() = default; // void
  Type(Scalar s) : scalar_(s) {}

  /// Array<rank, element>; the element of a partition is itself an array.
  static Type array(unsigned rank, Type element);
  static Type pointer(Type element, bool toConst = false);
  static Type vector(Type element, unsigned lanes);
  static Type structure(std::string name);
  /// The inverse of text(); nothing where `text` names no type.
  static std::optional<Type> parse(std::string_view text);

  Kind kind() const { return kind_; }
  Scalar scalar() const { return scalar_; } // Scalar kind only; Void otherwise
  bool isVoid() const { return kind_ == Kind::Scalar && scalar_ == Scalar::Void; }
  bool isBool() const { return kind_ == Kind::Scalar && scalar_ == Scalar::Bool; }
  bool isScalar() const { return kind_ == Kind::Scalar && scalar_ != Scalar::Void; }
  bool isInteger() const; // bool is one
  bool isSigned() const;  // signed integer or floating
  bool isFloating() const { return isScalar() && scalar_ >= Scalar::F32; }
  /// A floating type of 16 bits: kept in memory, computed with in f32 (docs/language.md).
  bool isHalf() const { return isScalar() && scalar_ >= Scalar::F16; }
  bool isArray() const { return kind_ == Kind::Array; }
  bool isPointer() const { return kind_ == Kind::Pointer; }
  bool isVector() const { return kind_ == Kind::Vector; }
  bool isStruct() const { return kind_ == Kind::Struct; }

  unsigned rank() const { return kind_ == Kind::Array ? count_ : 0; }
  unsigned lanes() const { return kind_ == Kind::Vector ? count_ : 1; }
  bool toConst() const { return toConst_; }
  const std::string &name() const { return name_; } // of a struct
  /// Of an array, pointer or vector; the type itself otherwise.
  Type element() const { return element_ ? *element_ : *this; }
  /// The innermost element: f32 of array<1,array<1,f32>>.
  Type leaf() const { return element_ ? element_->leaf() : *this; }
  unsigned bytes() const; // of a scalar or vector; 0 otherwise

  std::string text() const;
  /// As C and C++ spell it: "unsigned", "float", "const double *"; arrays have no C spelling.
  std::string cName() const;

  bool operator==(const Type &other) const;

private:
  Kind kind_ = Kind::Scalar;
  Scalar scalar_ = Scalar::Void;
  bool toConst_ = false;
  unsigned count_ = 0; // rank or lanes
  std::shared_ptr<const Type> element_;
  std::string name_;
};

} // namespace tangram::ast
