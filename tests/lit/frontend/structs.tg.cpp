// RUN: %tangram compile %s --emit ast | %FileCheck %s
//
// Structs by their fields, instances of templates by what they are made of; what others have as fields stands first.
#include <tangram/tangram.h>

namespace geometry {
template <class T> struct Point {
  T x, y;
};
} // namespace geometry

struct Shape {
  geometry::Point<float> at;
  unsigned char kind;
};

constexpr Shape kUnit{{0, 1}, 2};
const geometry::Point<int> kTable[] = {{1, 2}, {}};

// CHECK: (Struct "geometry_Point_float" [
// CHECK-NEXT: (Param "x" f32 in)
// CHECK-NEXT: (Param "y" f32 in)])
// CHECK-NEXT: (Struct "Shape" [
// CHECK-NEXT: (Param "at" struct<geometry_Point_float> in)
// CHECK-NEXT: (Param "kind" u8 in)])
// CHECK-NEXT: (Struct "geometry_Point_int" [

// CHECK: (Function "moved" struct<Shape> [
// CHECK-NEXT: (Param "s" struct<Shape> in)
Shape moved(Shape s) {
  // CHECK: (Assign f32 add (Member f32 (Member struct<geometry_Point_float> (VarRef struct<Shape> "s") "at") "x") (FloatLit f32 1))
  s.at.x += 1;
  // CHECK: (Return (VarRef struct<Shape> "s"))
  return s;
}

// CHECK: (Spectrum "f" struct<Shape> [
// CHECK-NEXT: (Param "in" array<1,struct<Shape>> in)
__spectrum Shape f(const Array<1, Shape> in, Array<1, Shape> out);
__codelet Shape f(const Array<1, Shape> in, Array<1, Shape> out) {
  // CHECK: (Declare "kTable" struct<geometry_Point_int> true false [(IntLit u64 2)] - (InitList struct<geometry_Point_int> [(InitList struct<geometry_Point_int> [(IntLit i32 1) (IntLit i32 2)]) (InitList struct<geometry_Point_int> [(IntLit i32 0) (IntLit i32 0)])]))
  // CHECK: (Declare "none" struct<Shape> false false [] - -)
  Shape none;
  // CHECK: (Declare "zero" struct<Shape> false false [] - (InitList struct<Shape> [(InitList struct<geometry_Point_float> [])]))
  Shape zero{};
  // CHECK: (Declare "some" struct<Shape> false false [] - (InitList struct<Shape> [(InitList struct<geometry_Point_float> [(FloatLit f32 1)
  Shape some{.at = {1}};
  // CHECK: (Assign struct<Shape> set (VarRef struct<Shape> "none") (InitList struct<Shape> [(InitList struct<geometry_Point_float> [(FloatLit f32 0) (FloatLit f32 1)]) (IntLit u8 2)]))
  none = kUnit;
  // CHECK: (Assign struct<Shape> set (Subscript struct<Shape> (VarRef array<1,struct<Shape>> "out") [(IntLit i32 0)]) (Call struct<Shape> "moved" [(Subscript struct<Shape> (VarRef array<1,struct<Shape>> "in") [(IntLit i32 1)])]))
  out[0] = moved(in[1]);
  // CHECK: (Declare "y" f32 false false [] - (FloatLit f32 1))
  float y = kUnit.at.y;
  // CHECK: (Member i32 (Subscript struct<geometry_Point_int> (VarRef struct<geometry_Point_int> "kTable") [(IntLit i32 1)]) "x")
  y += kTable[1].x;
  // CHECK: (Return (Conditional struct<Shape> (Binary bool lt (VarRef f32 "y") (FloatLit f32 2)) (VarRef struct<Shape> "some") (VarRef struct<Shape> "zero")))
  return y < 2 ? some : zero;
}
