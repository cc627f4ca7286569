/* Private to layer load: the pieces of a law. */
#ifndef PHLEXOR_LOAD_LAW_H
#define PHLEXOR_LOAD_LAW_H

#include "load/load.h"

/* One piece: f = c[0] + c[1] d + c[2] d^2 + c[3] d^3, d = x - from. It is counted from its end that is nearer to x = 0,
 * so that values near there do not come of the difference of large ones. */
typedef struct law_piece {
    double low; /* where it begins */
    double from, c[4];
    double V; /* potential at `from` */
} law_piece;

/* pieces[0] and pieces[n - 1] are the straight lines before the first and behind the last knot. */
struct phx_law {
    int n;
    law_piece *pieces;
};

#endif
