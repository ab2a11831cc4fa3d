// The files of templates/ by their path below it.
#pragma once

#include <map>
#include <string>

const std::map<std::string, std::string> &templates();
