/* The impulses at an instant on contacts that touch: complementarity of gaps, Coulomb's friction for impulses,
 * Poisson's restitution. With the rates g of all contacts and the rates W P that impulses P give them (F12a, F12b):
 *
 *     compression   g_C = g + W P,      P_n >= 0,  g_Cn >= 0,  P_n g_Cn = 0,   |P_t| <= mu P_n,  P_t against g_Ct
 *     expansion     g_E = g_C + W Q,    Q_n = s e P_n given,                   |Q_t| <= mu Q_n,  Q_t against g_Et
 *
 * s = min(1, sqrt(P.W P/N.W N)), N = e P. Kinetic energy never grows: it falls by P.W P/2 - g_C.P in the compression,
 * and in the expansion, where friction makes Q.W Q/2 + g_C.Q the least, it grows by no more than s N.W s N/2 (Q = s N
 * is possible, and g_C.N <= 0). */
#ifndef PHX_STUDY_IMPULSE_LAW_H
#define PHX_STUDY_IMPULSE_LAW_H

#include "base/base.h"

typedef struct phx_impulse_law {
    int n, dim;                           /* contacts; rows of each: its gap, then its slips */
    const double *W;                      /* (n dim x n dim), symmetric, not negative */
    const double *friction, *restitution; /* of each contact: mu, e */
    const double *given;                  /* n 2: the direction of friction, of length 1; 0: it finds its own */
    double small;                         /* rates below this are rounding */
    double *rate;                         /* n dim: before, then after */
    double *impulse, *loss;               /* n dim, n: added to; J */
} phx_impulse_law;

bool phx_impulse_approaches(const phx_impulse_law *law); /* two bodies in contact come nearer each other */
/* Compression and expansion; without the expansion nothing approaches any more. PHX_ERR_ANALYSIS: there are no such
 * impulses, or they have not been found. */
phx_status phx_impulse_strike(phx_context *context, const phx_impulse_law *law, bool expands);
/* The same where nothing approaches and no forces obey the laws, as of a rod that slips on its end (P. Painlevé): the
 * impulses that are not zero, in which friction wedges the bodies until the slip has stopped. Not *found: there are
 * none. */
phx_status phx_impulse_jam(phx_context *context, const phx_impulse_law *law, bool *found);

#endif
