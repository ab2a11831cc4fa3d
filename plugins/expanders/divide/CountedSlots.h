// Loops that count in a container, and use what they have counted so far: stable counting sorts, lists of what belongs
// to a key, compressed rows.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// for (i...) { to = next[key[i]]++; out[to] = in[i]; }   as
///
///   own of [parts + 1][as next];
///   for (k < parts) { own[k][...] = 0; for (i of part k) own[k][key[i]]++; }
///   for (e...) { s = next[e]; for (k < parts) { c = own[k][e]; own[k][e] = s; s += c; } own[parts][e] = s; }
///   apart = all e: next[e] <= own[parts][e] <= next[e + 1];
///   if (apart) for (k < parts) for (i of part k) { to = own[k][key[i]]++; out[to] = in[i]; }
///   else the loop as it is
///
/// for each outermost loop whose iterations wait for nothing else: parts first count, then go through their iterations
/// again, each from what those before it have counted. Parts then write other slots than each other, which is checked
/// where slots are written (and need not be where `next` is all that iterations share). `most`: elements that may be
/// counted in together, which is a condition of the codelet. The very same codelet where there is no such loop.
const ast::Codelet *withCountedSlots(const nest::Nest &nest, std::int64_t most, ast::Arena &arena);

} // namespace tangram::divide
