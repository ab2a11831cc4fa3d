// y = A x for a row-major matrix, from dot products of rows.
#include "../common/gemv.tg.h"
