/* When intervals of one size, solved one after the other, get a new matrix for Newton's iteration, and how many
 * increments they need.
 *
 * A matrix is kept until an interval costs as much as those since it was made have cost on the average, the matrix
 * included: the cheapest time to give it up. Where that is so at once, each interval gets its own for some time, before
 * its first increment. Costs are counted in increments, so that what is done does not depend on the machine.
 *
 * An interval that begins with a new matrix is iterated one increment further than needed, the last one proves it;
 * while the increments of the next ones are alike, they stop one earlier. */
#ifndef PHLEXOR_INTEGRATE_RENEWAL_H
#define PHLEXOR_INTEGRATE_RENEWAL_H

#include <stdbool.h>

enum { PHX_RENEWAL_SIZES = 4 };

typedef struct phx_renewal {
    double matrix; /* its cost */
    double spent;  /* on the matrix that is kept and on the intervals that had it */
    int intervals; /* these; 0: a new matrix is due */
    int eager;     /* intervals that get a matrix of their own, from now on */
    /* intervals that begin with a new matrix: increments, and how many intervals may still believe them */
    double proved[PHX_RENEWAL_SIZES];
    int count, uses;
    /* the interval at hand: its first increments, their number, matrices made for it */
    double size[PHX_RENEWAL_SIZES];
    int increments, made;
    bool fresh; /* the only matrix was made before the first increment */
} phx_renewal;

/* `matrix`: cost of a matrix with its factors; the unit is an increment with its residual. */
phx_renewal phx_renewal_create(double matrix);
void phx_renewal_begin(phx_renewal *renewal);
/* Whether the next increment is to have a new matrix; one that does not fit is made anew in any case. */
bool phx_renewal_is_due(const phx_renewal *renewal);
void phx_renewal_made(phx_renewal *renewal);
/* Another increment is there. True: it is the last, by what intervals before have shown. */
bool phx_renewal_count(phx_renewal *renewal, double size);
/* The interval is solved. `enough`: an increment as small is as good as none. */
void phx_renewal_learn(phx_renewal *renewal, double enough);

#endif
