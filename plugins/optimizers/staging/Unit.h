// One loop whose iterations the workers of a unit share, written so that they go through its inner loops together.
#pragma once

#include "Scratchpad.h"
#include "Staging.h"

namespace tangram::staging {

class Unit {
public:
  Unit(const Context &context, const Addresses &addresses, const Scratchpad &scratchpad, const ast::Loop &loop,
       std::uint64_t rowBytes);

  /// Null where there is nothing to stage, or no room.
  const ast::Stmt *run();
  /// How many loops are staged, and how many more would be, were there room.
  std::size_t staged() const { return found_.size(); }
  std::size_t refused() const { return refused_; }
  /// With what was put there.
  const Scratchpad &scratchpad() const { return scratchpad_; }

private:
  using Stmts = std::vector<const ast::Stmt *>;
  struct Tile {
    Stream stream;
    std::string name, starts; // starts: array of where each worker begins; empty where that is first + j * distance
    std::uint64_t pitch = 0;  // elements of a row
  };
  struct Staged {
    Counted loop;
    std::vector<Tile> tiles;
    bool uniform = false;      // workers that have an iteration of the outer loop all have as many of this one
    std::string counts;        // array of how many iterations each worker has, where they differ
    std::string count;         // how many this worker has
    std::uint64_t columns = 0; // iterations that are staged at once
  };

  bool find(const std::vector<const ast::Stmt *> &stmts);
  bool add(const ast::Stmt *s);
  bool transformable(const ast::Stmt *s) const;
  bool reserve(Staged &staged);

  void stmts(const Stmts &in, Stmts &out);
  void declare(const ast::Declare *d, Stmts &out);
  void walk(const Staged &staged, Stmts &out);

  // Tiles.cpp
  bool writtenElsewhere(const Staged &staged, const Tile &tile) const; // what the loop touches, in the same launch
  const ast::Expr *counts(const Staged &staged, Stmts &out);
  const ast::Stmt *rows(const Staged &staged, const Tile &tile, const ast::Expr *from, const ast::Expr *most,
                        bool load);
  const ast::Stmt *rows(const Staged &staged, const Tile &tile, const ast::Expr *from, const ast::Expr *most, bool load,
                        std::uint64_t width);
  const ast::Stmt *row(const Staged &staged, const Tile &tile, const ast::Expr *from, const ast::Expr *most);
  const ast::Stmt *compute(const Staged &staged, const ast::Expr *from);

  const ast::Stmt *sync() const;
  const ast::Expr *u64(const std::string &name) const { return b_.var(name, ast::Scalar::U64); }
  const ast::Expr *lane() const { return b_.cast(ast::Scalar::U64, b_.var(lane_, ast::Scalar::U32)); }
  const ast::Expr *at(const std::string &array, const ast::Type &element, const ast::Expr *index) const;
  const ast::Stmt *upTo(const std::string &variable, const ast::Expr *begin, const ast::Expr *end,
                        const ast::Expr *step, Stmts body) const;

  const Context &context_;
  Addresses addresses_;
  Scratchpad scratchpad_;
  const ast::Loop &loop_;
  ast::Build b_;
  std::uint64_t workers_, rowBytes_;
  std::size_t refused_ = 0;
  std::vector<Staged> found_;
  std::string lane_;
  const ast::Expr *first_ = nullptr; // the first worker's iteration in this round
  const ast::Expr *mine_ = nullptr;  // whether this worker has one
};

} // namespace tangram::staging
