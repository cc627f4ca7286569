/* A bundle with everything that exchange files have to carry. */
#ifndef PHX_TESTS_RESULTS_EXCHANGE_SAMPLE_H
#define PHX_TESTS_RESULTS_EXCHANGE_SAMPLE_H

#include <phlexor/results.h>

/*   real     [1 -2.5 1e-300; 1/3 0 1.7e308]      complex  [1+2i; -3.5-1i]      empty  0 x 3      hollow  2 x 0
 *   sparse   3 x 4: (0,1) = 2, (0,3) = -1, (2,0) = 1/7      nothing  2 x 2 without entries
 *   names    crank.C.fx, Kurbelträger, (empty)      none  no names      text  ein 𝄞 "Text"\n      blank  (empty)
 *   number   0.1 */
phx_status exchange_sample(phx_context *context, phx_bundle **bundle);

#endif
