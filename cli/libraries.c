/* The libraries Phlexor runs on, with the versions found at run time; of headers where the library does not say, and
 * where it is loaded when it is first used, unless it is to be loaded now. */
#include "cli.h"

#include <libdeflate.h>
#include <zlib.h> /* first: SuiteSparse announces large files, for which it then wants more */

#include <SuiteSparse_config.h>
#include <cblas.h>
#ifdef PHX_GPL
#include <cholmod.h>
#endif
#include <klu.h>
#include <lapacke.h>
#include <libfyaml.h>
#include <libxml/xmlversion.h>
#include <loaded/assimp.h>
#include <loaded/xlsxwriter.h>
#include <loaded/cairo.h>
#include <loaded/hdf5.h>
#include <loaded/matio.h>
#include <loaded/nlopt.h>
#include <loaded/rsvg.h>
#include <loaded/xml2.h>
#include <loaded/zip.h>
#include <sundials/sundials_version.h>

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

/* Those that are loaded when they are first used, by their headers. */
static void print_headers(FILE *stream)
{
    print_numbers(stream, "HDF5", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE, "results");
    print(stream, "matio", MATIO_VERSION_STR, "MAT-files");
    print(stream, "libzip", LIBZIP_VERSION, "archives of FMUs");
    print(stream, "libxml2", LIBXML_DOTTED_VERSION, "descriptions of FMUs");
    print(stream, "Cairo", CAIRO_VERSION_STRING, "pictures");
    print(stream, "librsvg", "2", "pictures as PDF and PNG");
    print(stream, "Assimp", "5", "meshes of shapes");
    print(stream, "libxlsxwriter", LXW_VERSION, "workbooks");
    print(stream, "NLopt", "2", "optimisation");
}

/* Prints versions of the libraries that are loaded on first use; they must be loaded before. */
static void print_loaded(FILE *stream)
{
    unsigned hdf5[3] = {0};
    int matio[3] = {0}, nlopt[3] = {0};

    H5get_libversion(&hdf5[0], &hdf5[1], &hdf5[2]);
    print_numbers(stream, "HDF5", (int)hdf5[0], (int)hdf5[1], (int)hdf5[2], "results");
    Mat_GetLibraryVersion(&matio[0], &matio[1], &matio[2]);
    print_numbers(stream, "matio", matio[0], matio[1], matio[2], "MAT-files");
    print(stream, "libzip", zip_libzip_version(), "archives of FMUs");
    print(stream, "libxml2", LIBXML_DOTTED_VERSION, "descriptions of FMUs");
    print(stream, "Cairo", cairo_version_string(), "pictures");
    print_numbers(stream, "librsvg", (int)rsvg_major_version, (int)rsvg_minor_version, (int)rsvg_micro_version,
                  "pictures as PDF and PNG");
    print_numbers(stream, "Assimp", (int)aiGetVersionMajor(), (int)aiGetVersionMinor(), (int)aiGetVersionPatch(),
                  "meshes of shapes");
    print(stream, "libxlsxwriter", lxw_version(), "workbooks");
    nlopt_version(&nlopt[0], &nlopt[1], &nlopt[2]);
    print_numbers(stream, "NLopt", nlopt[0], nlopt[1], nlopt[2], "optimisation");
}

static phx_status load_all(phx_context *context)
{
    static phx_status (*const loads[])(phx_context *) = {phx_load_hdf5,   phx_load_matio,      phx_load_zip,
                                                         phx_load_xml2,   phx_load_cairo,      phx_load_rsvg,
                                                         phx_load_assimp, phx_load_xlsxwriter, phx_load_nlopt};
    phx_status status = PHX_OK;

    for (size_t k = 0; k < sizeof loads / sizeof *loads && !status; k++)
        status = loads[k](context);
    return status;
}

/* Prints versions of the libraries that the program is linked with, and their uses. */
static void print_linked(FILE *stream)
{
    int version[3] = {0};
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
    print(stream, "zlib", zlibVersion(), "compression in pages and pictures");
    print(stream, "libdeflate", LIBDEFLATE_VERSION_STRING, "checksums of result files");
}

phx_status cli_print_libraries(phx_context *context, bool load, FILE *stream)
{
    const phx_status status = load ? load_all(context) : PHX_OK;

    if (status)
        return status;
    print_linked(stream);
    fprintf(stream, "%s", load ? "" : "libraries that are loaded when they are first used, as Phlexor was built:\n");
    (load ? print_loaded : print_headers)(stream);
    return PHX_OK;
}
