// Expands Nodes.def once with whatever of NODE, ATTR, FLAG, CHILD, OPT, LIST and END the includer has defined
// (the others expand to nothing), and undefines them again. No include guard: it is included many times.
#ifndef NODE
#define NODE(Name, Base)
#endif
#ifndef ATTR
#define ATTR(Type_, field)
#endif
#ifndef FLAG
#define FLAG(field)
#endif
#ifndef CHILD
#define CHILD(Class, field)
#endif
#ifndef OPT
#define OPT(Class, field)
#endif
#ifndef LIST
#define LIST(Class, field)
#endif
#ifndef END
#define END(Name)
#endif
#include "tangram/ast/Nodes.def"
#undef NODE
#undef ATTR
#undef FLAG
#undef CHILD
#undef OPT
#undef LIST
#undef END
