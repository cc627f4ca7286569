/* Private to layer equilibrium: tolerances that several of its files share. */
#ifndef PHX_EQUILIBRIUM_TOLERANCES_H
#define PHX_EQUILIBRIUM_TOLERANCES_H

static const double DEPENDENT_ROWS = 1e-9; /* rank of joint rows and of velocities, relative to the largest */
static const double START_SETTLED = 1e-9;  /* a deformed start: last relative correction, residuals of its joints */
static const double NOT_ZERO = 1e-300;     /* least divisor: zero over zero is zero */

#endif
