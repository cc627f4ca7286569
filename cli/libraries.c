/* The libraries Phlexor runs on, with the versions found at run time (of headers where the library does not say). */
#include "cli.h"

#include <zlib.h> /* first: SuiteSparse announces large files, for which it then wants more */

#include <SuiteSparse_config.h>
#include <cairo.h>
#include <cblas.h>
#ifdef PHX_GPL
#include <cholmod.h>
#endif
#include <hdf5.h>
#include <klu.h>
#include <lapacke.h>
#include <libfyaml.h>
#include <libxml/xmlversion.h>
#include <matio.h>
#include <sundials/sundials_version.h>
#include <zip.h>

static void print(FILE *stream, const char *name, const char *version, const char *use)
{
    fprintf(stream, "  %-12s %-44s %s\n", name, version, use);
}

static void print_numbers(FILE *stream, const char *name, int major, int minor, int patch, const char *use)
{
    char version[64];
    snprintf(version, sizeof version, "%d.%d.%d", major, minor, patch);
    print(stream, name, version, use);
}

void cli_print_libraries(FILE *stream)
{
    int version[3] = {0};
    unsigned hdf5[3] = {0};
    char sundials[64] = "";

    print(stream, "OpenBLAS", openblas_get_config(), "dense linear algebra");
    LAPACK_ilaver(&version[0], &version[1], &version[2]);
    print_numbers(stream, "LAPACK", version[0], version[1], version[2], "dense factorisations and eigenproblems");
    SuiteSparse_version(version);
    print_numbers(stream, "SuiteSparse", version[0], version[1], version[2], "sparse factorisations");
    print_numbers(stream, "  KLU", KLU_MAIN_VERSION, KLU_SUB_VERSION, KLU_SUBSUB_VERSION,
                  "LU of KKT matrices that need pivoting");
#ifdef PHX_GPL
    cholmod_version(version);
    print_numbers(stream, "  CHOLMOD", version[0], version[1], version[2], "sparse Cholesky");
#endif
    print(stream, "ARPACK", PHX_ARPACK_VERSION, "eigenproblems of large systems");
    SUNDIALSGetVersion(sundials, sizeof sundials);
    print(stream, "SUNDIALS", sundials, "the integrator ida");
    print(stream, "libfyaml", fy_library_version(), "model files");
    H5get_libversion(&hdf5[0], &hdf5[1], &hdf5[2]);
    print_numbers(stream, "HDF5", (int)hdf5[0], (int)hdf5[1], (int)hdf5[2], "results");
    Mat_GetLibraryVersion(&version[0], &version[1], &version[2]);
    print_numbers(stream, "matio", version[0], version[1], version[2], "MAT-files");
    print(stream, "zlib", zlibVersion(), "compression in pages and pictures");
    print(stream, "libzip", zip_libzip_version(), "archives of FMUs");
    print(stream, "libxml2", LIBXML_DOTTED_VERSION, "descriptions of FMUs");
    print(stream, "Cairo", cairo_version_string(), "pictures");
}
