/* The operations of batch_one.c with registers of four numbers; the results are the same. */
#include "batch_one.c"
