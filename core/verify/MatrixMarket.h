// Matrix Market files as dense containers, and as the arrays of compressed rows.
#pragma once

#include "tangram/verify/ArgumentSpec.h"

#include <filesystem>

namespace tangram::runtime {

/// Dense ("array") files of rank 2, of one column or row also of rank 1; sparse ("coordinate") ones are made dense
/// where they are small, a limitation otherwise. Or one part of a sparse one, of rank 1, elements by row and column,
/// those that a symmetric file leaves out among them. Throws DiagnosticError with the line.
Value readMatrixMarket(const std::filesystem::path &path, MatrixPart part, const std::string &param,
                       tangram_element element, unsigned rank);

} // namespace tangram::runtime
