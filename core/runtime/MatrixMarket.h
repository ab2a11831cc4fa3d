// Matrix Market files as dense containers.
#pragma once

#include "tangram/runtime/Value.h"

#include <filesystem>

namespace tangram::runtime {

/// Dense ("array") files of rank 2, of one column or row also of rank 1; sparse ("coordinate") ones are made dense
/// where they are small, a limitation otherwise. Throws DiagnosticError with the line.
Value readMatrixMarket(const std::filesystem::path &path, const std::string &param, tangram_element element,
                       unsigned rank);

} // namespace tangram::runtime
