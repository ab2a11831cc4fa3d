// What a statement reads and writes, as sets of elements.
#pragma once

#include "Affine.h"
#include "tangram/nest/Read.h"

namespace tangram::nest {

class Accesses {
public:
  Accesses(Nest &nest, Affine &affine, const ast::Module &module, Places places);

  /// Variables that exist from here on; a view (`auto row = a[i];`) is a name for elements of another.
  void declare(const ast::Declare &d, const std::vector<unsigned> &loops);
  /// Finds the accesses of the statement, which is the nest's last one and has its domain.
  void collect(Statement &statement, unsigned number);
  /// Adds what a condition or bound around the statement reads.
  void control(Statement &statement, unsigned number, const ast::Expr *e, unsigned depth);

private:
  using Index = std::optional<isl::pw_aff>; // nothing: any
  struct View {
    std::vector<unsigned> roots;
    std::vector<Index> prefix; // of the only root
  };
  struct Place {
    std::vector<unsigned> roots;
    std::vector<Index> index;
    bool whole = false; // it names all that it is in: no field, no row
    const ast::Expr *notAffine = nullptr;
    Leaves choices;
  };

  unsigned variable(const ast::VarRef &v);
  Place place(const ast::Expr *e);
  void node(const ast::Node *n);
  void expr(const ast::Expr *e);
  void touch(const ast::Expr *place, AccessKind kind);
  void indices(const ast::Expr *place);
  /// Of an element of a container that is written, of which one index or more are like several.
  std::optional<nest::Access::Place> delinearized(const ast::Expr *e, const Variable &v,
                                                  const std::vector<Index> &index);
  void call(const std::string &spectrum, const std::vector<const ast::Expr *> &args);
  void updates();
  struct Updated {
    unsigned variable = 0;
    ReductionOp op = ReductionOp::Add;
  };
  /// The variable that the statement only updates, as far as it goes.
  std::optional<Updated> updatedBy(const ast::Stmt *s);
  void selection();
  View viewOf(const ast::Expr *e);
  template <class F> void uncertainly(F &&f);
  void where(const ast::Expr *cond, bool holds, const ast::Expr *e);

  Nest &nest_;
  Affine &affine_;
  const ast::Module &module_;
  std::map<std::string, unsigned> variables_;
  std::map<std::string, View> views_;
  std::set<std::string> own_; // declared within the statement
  Statement *statement_ = nullptr;
  unsigned number_ = 0;
  bool certain_ = true;
  bool allPlaces_;
  isl::set condition_; // within the statement, of what is looked at now
};

} // namespace tangram::nest
