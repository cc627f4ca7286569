/* Attributes of the root of a result file; private to the layer results. */
#ifndef PHX_RESULTS_ATTRIBUTES_H
#define PHX_RESULTS_ATTRIBUTES_H

#include "results/results.h"

#include "file/file.h"

void phx_attributes_put(phx_h5 *file, int count, const phx_attribute *attributes);
/* Every one in the order of the names; free with phx_attributes_free. */
phx_status phx_attributes_get(phx_h5 *file, int *count, phx_attribute **attributes);
void phx_attributes_free(int count, phx_attribute *attributes);

#endif
