#include "exchange_sample.h"
#include "results/results.h"

phx_status exchange_sample(phx_context *context, phx_bundle **bundle)
{
    const double real[6] = {1.0, -2.5, 1e-300, 1.0 / 3.0, 0.0, 1.7e308};
    const double complex[4] = {1.0, -3.5, 2.0, -1.0};
    const int row[3] = {0, 0, 2}, col[3] = {1, 3, 0};
    const double values[3] = {2.0, -1.0, 1.0 / 7.0};
    const char *const names[3] = {"crank.C.fx", "Kurbeltr\xC3\xA4ger", ""};
    const char *const unnamed[2] = {"", ""};
    phx_csr sparse = {0}, nothing = {0}, rowless = {0}, columnless = {0}, sizeless = {0};
    phx_status status = phx_csr_from_triplets(context, 3, 4, 3, row, col, values, &sparse);

    if (!status)
        status = phx_csr_from_triplets(context, 2, 2, 0, NULL, NULL, NULL, &nothing);
    if (!status)
        status = phx_csr_from_triplets(context, 0, 3, 0, NULL, NULL, NULL, &rowless);
    if (!status)
        status = phx_csr_from_triplets(context, 3, 0, 0, NULL, NULL, NULL, &columnless);
    if (!status)
        status = phx_csr_from_triplets(context, 0, 0, 0, NULL, NULL, NULL, &sizeless);
    if (!status)
        status = phx_bundle_create(context, bundle);
    if (!status) {
        phx_bundle_add_matrix(*bundle, "real", 2, 3, real, NULL);
        phx_bundle_add_matrix(*bundle, "complex", 2, 1, complex, complex + 2);
        phx_bundle_add_matrix(*bundle, "empty", 0, 3, NULL, NULL);
        phx_bundle_add_matrix(*bundle, "hollow", 2, 0, NULL, NULL);
        phx_bundle_add_matrix(*bundle, "desert", 0, 0, NULL, NULL);
        phx_bundle_add_matrix(*bundle, "complex_empty", 0, 3, complex, complex);
        phx_bundle_add_matrix(*bundle, "complex_hollow", 2, 0, complex, complex);
        phx_bundle_add_matrix(*bundle, "complex_desert", 0, 0, complex, complex);
        phx_bundle_add_sparse(*bundle, "sparse", &sparse);
        phx_bundle_add_sparse(*bundle, "nothing", &nothing);
        phx_bundle_add_sparse(*bundle, "rowless", &rowless);
        phx_bundle_add_sparse(*bundle, "columnless", &columnless);
        phx_bundle_add_sparse(*bundle, "sizeless", &sizeless);
        phx_bundle_add_names(*bundle, "names", 3, names);
        phx_bundle_add_names(*bundle, "unnamed", 2, unnamed);
        phx_bundle_add_names(*bundle, "none", 0, NULL);
        phx_bundle_add_text(*bundle, "text", "ein \xF0\x9D\x84\x9E \"Text\"\n");
        phx_bundle_add_text(*bundle, "blank", NULL);
        phx_bundle_add_number(*bundle, "number", 0.1);
        status = phx_bundle_status(*bundle);
    }
    phx_csr_free(&sparse);
    phx_csr_free(&nothing);
    phx_csr_free(&rowless);
    phx_csr_free(&columnless);
    phx_csr_free(&sizeless);
    return status;
}
