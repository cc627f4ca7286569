/* Layer statespace, for the other layers of the library: names. */
#ifndef PHX_STATESPACE_STATESPACE_H
#define PHX_STATESPACE_STATESPACE_H

#include "algebra/algebra.h"

#include <phlexor/statespace.h>

/* It belongs to the system. */
const char *phx_descriptor_name(const phx_descriptor *system);
/* Columns of B. */
int phx_descriptor_inputs(const phx_descriptor *system);
/* The largest singular value of H(i omega) at `count` frequencies. */
phx_status phx_ss_singular_values(phx_context *context, const phx_ss *system, int count, const double *omega,
                                  double *values);
/* phx_ss_responses at s = (beside + i) omega: as if every mode had that much more damping. */
phx_status phx_ss_responses_beside(phx_context *context, const phx_ss *system, double beside, int count,
                                   const double *omega, double *responses);
/* Index of the channel with this input or output; -1 when there is none. */
int phx_ss_find_channel(const phx_ss *system, const char *name);

/* ---- parts of systems, as the layers above read them; what is returned belongs to the system ---- */
/* Size, matrices (NULL where the system has none) and ports. */
int phx_descriptor_n(const phx_descriptor *system);
const phx_csr *phx_descriptor_E(const phx_descriptor *system);
const phx_csr *phx_descriptor_J(const phx_descriptor *system);
const phx_csr *phx_descriptor_R(const phx_descriptor *system);
const phx_csr *phx_descriptor_Q(const phx_descriptor *system); /* NULL: a nonlinear system at a state */
const phx_csr *phx_descriptor_B(const phx_descriptor *system);
const phx_csr *phx_descriptor_P(const phx_descriptor *system);
const phx_csr *phx_descriptor_S(const phx_descriptor *system);
const phx_csr *phx_descriptor_N(const phx_descriptor *system);
int phx_descriptor_ports(const phx_descriptor *system);
const char *phx_descriptor_port_name(const phx_descriptor *system, int port);

/* Returned pointers belong to the system. */
const char *phx_ss_name(const phx_ss *system);
int phx_ss_n(const phx_ss *system);
int phx_ss_inputs(const phx_ss *system);
int phx_ss_outputs(const phx_ss *system);
const double *phx_ss_A(const phx_ss *system);
const double *phx_ss_B(const phx_ss *system);
const double *phx_ss_C(const phx_ss *system);
const double *phx_ss_D(const phx_ss *system);
const char *phx_ss_state(const phx_ss *system, int k);
const char *phx_ss_input(const phx_ss *system, int k);
const char *phx_ss_output(const phx_ss *system, int k);
/* Index of that name; -1 when there is none. */
int phx_ss_find_input(const phx_ss *system, const char *name);
int phx_ss_find_output(const phx_ss *system, const char *name);

/* ---- channel inversion by index (phx_ss_invert_names) ---- */
phx_status phx_ss_invert_channel(phx_context *context, const phx_ss *system, int channel, phx_ss **inverted);
phx_status phx_ss_invert(phx_context *context, const phx_ss *system, int count, const int *channels, phx_ss **inverted);

/* ---- of a stable inversion ---- */
/* r of an output. */
int phx_ss_inversion_degree(const phx_ss_inversion *inversion, int output);
/* The number of zeros, in no order; either pointer may be NULL, arrays belong to the inversion. */
int phx_ss_inversion_zeros(const phx_ss_inversion *inversion, const double **re, const double **im);
/* How many of them are integrated backwards. */
int phx_ss_inversion_antistable(const phx_ss_inversion *inversion);

/* ---- responses ---- */
/* phx_ss_responses at one frequency, by one factorisation. */
phx_status phx_ss_response(phx_context *context, const phx_ss *system, double omega, double *response);
/* Of a complex p x m matrix, interleaved; gram: 4 m^2 + 2 m of work. */
phx_status phx_largest_singular_value(phx_context *context, int p, int m, const double *response, double *gram,
                                      double *value);
/* phx_ss_dc_gain of a system with poles at zero, as free motions have: the rows of outputs that see one are not
 * numbers, those of the others are H(0). One solution for all outputs where those poles are states by themselves, as in
 * modal coordinates; else a reduction (PHX_SS_MINIMAL) for each. */
phx_status phx_ss_dc_gain_by_outputs(phx_context *context, const phx_ss *system, double *gain);

#endif
