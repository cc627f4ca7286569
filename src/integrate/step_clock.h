/* Wall times of steps, counted in intervals of equal ratio: nothing is allocated from step to step, whatever their
 * number. */
#ifndef PHLEXOR_INTEGRATE_STEP_CLOCK_H
#define PHLEXOR_INTEGRATE_STEP_CLOCK_H

#include "run.h"

phx_step_clock *phx_step_clock_create(phx_context *context); /* NULL: no memory */
void phx_step_clock_destroy(phx_step_clock *clock);          /* NULL is allowed */
/* All of these do nothing where `clock` is NULL. A step begins; outputs and progress reports within it do not count;
 * it ends, has begun at t and is h long. */
void phx_step_clock_begin(phx_step_clock *clock);
void phx_step_clock_pause(phx_step_clock *clock);
void phx_step_clock_resume(phx_step_clock *clock);
void phx_step_clock_end(phx_step_clock *clock, double t, double h);
/* Count a step of these wall seconds. */
void phx_step_clock_count(phx_step_clock *clock, double t, double h, double seconds);
phx_step_times phx_step_clock_times(const phx_step_clock *clock);

double phx_wall_clock(void); /* s since some time */

#endif
