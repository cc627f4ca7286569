/* Types and functions shared by the pictures; private to the layer results. */
#ifndef PHX_RESULTS_PLOT_H
#define PHX_RESULTS_PLOT_H

#include "chart.h"
#include "file/file.h"
#include "results/results.h"

enum { PHX_PLOT_BLOCK = 1 << 15, PHX_PLOT_BUCKETS = 400, PHX_PLOT_TEXT = 512 };

/* A function that draws a file. */
typedef phx_status phx_plotter(phx_context *context, const char *path, const char *picture_path,
                               const phx_plot_options *options);
phx_plotter phx_plot_result, phx_plot_columns, phx_plot_spectrum, phx_plot_motion, phx_plot_modes, phx_plot_linear,
    phx_plot_spy, phx_plot_map;

/* ---- columns over time, from an HDF5 result or a csv file ---- */
typedef struct phx_plot_source {
    phx_context *context;
    phx_result *result; /* NULL: csv */
    phx_csv csv;
    int n_columns;
    int n_names; /* columns and behind them the entries of the ledger, "supplied.NAME" and "dissipated.NAME" */
    char **ledger;
    size_t first, rows; /* the rows in the range of time */
} phx_plot_source;

/* Warns of an unfinished result. PHX_ERR_INPUT when no row lies within the range of time of the options. */
phx_status phx_plot_source_open(phx_context *context, const char *path, const phx_plot_options *options,
                                phx_plot_source *source);
void phx_plot_source_close(phx_plot_source *source);
const char *phx_plot_source_name(const phx_plot_source *source, int column);
const char *phx_plot_source_unit(const phx_plot_source *source, int column); /* "": none or not known */
int phx_plot_source_find(const phx_plot_source *source, const char *name);   /* -1: there is none */
/* Rows are counted from the first in the range. */
phx_status phx_plot_source_read(const phx_plot_source *source, int column, size_t first, size_t count, double *values);

/* Only the rows within the range of time of the options. */
phx_status phx_plot_source_limit(phx_plot_source *source, const char *path, const phx_plot_options *options);
/* A csv file of any program: its first column is time, its column "A" of a map "A=B" is called B. */
phx_status phx_plot_source_open_measured(phx_context *context, const phx_plot_options *options,
                                         phx_plot_source *source);

/* "name of the model" and "integrator, rows, how it ended" of a result, or the path and the rows. */
void phx_plot_source_titles(const phx_plot_source *source, const char *path, char *title, char *subtitle, size_t size);

/* ---- further results, compared with the first ---- */
typedef struct phx_plot_other {
    phx_plot_source source;
    const char *path;
    bool measured;
} phx_plot_other;
typedef struct phx_plot_others {
    int count;
    phx_plot_other *items;
} phx_plot_others;
/* The others of the options, then the measured one. Close with phx_plot_others_close, also after a failure. */
phx_status phx_plot_others_open(phx_context *context, const phx_plot_options *options, phx_plot_others *others);
void phx_plot_others_close(phx_plot_others *others);
/* PHX_ERR_INPUT, naming both units, unless columns of two files have the same unit; csv files have none. */
phx_status phx_plot_others_check_unit(const phx_plot_source *source, int column, const char *path,
                                      const phx_plot_other *other, int other_column);

/* ---- the picture of a result being made ---- */
typedef struct phx_result_picture {
    phx_plot_source source;
    const char *path;
    phx_plot_others others;
    bool difference; /* the others less the first */
    phx_chart chart;
    double *x, *y; /* PHX_PLOT_BLOCK each */
    int against;   /* column along x, 0: the time */
} phx_result_picture;

/* On failure it may be passed to close, and need not. */
phx_status phx_result_picture_open(phx_context *context, const char *path, const phx_plot_options *options,
                                   phx_result_picture *picture);
void phx_result_picture_close(phx_result_picture *picture);
/* A panel of the given columns of all files, or of their differences; of differences none without a common column. The
 * unit stands in the title, or with each line where they differ. */
phx_status phx_result_picture_add(phx_result_picture *picture, const char *title, int count, const int *columns,
                                  const char *const *labels, bool logarithmic);

/* Draw the picture. PHX_ERR_INPUT where differences of nothing were asked for. */
phx_status phx_result_picture_write(const phx_result_picture *picture, const char *path);

/* Length of an output's name in the name of its column, "NAME.x". */
size_t phx_plot_stem(const char *name);
void phx_plot_with_unit(char *text, size_t size, const char *name, const char *unit);

/* ---- the columns that were asked for ---- */
typedef struct phx_selection {
    int count;    /* columns */
    int n_panels; /* each of one unit */
    struct phx_selected {
        int column, panel; /* panels in ascending order */
    } * items;
} phx_selection;
/* Free with phx_selection_free, also after a failure. */
phx_status phx_selection_make(const phx_plot_source *source, const phx_plot_options *options, const char *path,
                              phx_selection *selection);
void phx_selection_free(phx_selection *selection);
/* The column of this name. PHX_ERR_INPUT when there is none, with the nearest. */
phx_status phx_selection_find(const phx_plot_source *source, const char *path, const char *name, int *column);
/* The columns of a panel: title, labels (into the names of the source) and the columns; returns how many. */
int phx_selection_panel(const phx_selection *selection, const phx_plot_source *source, int panel, char *title,
                        size_t size, int *columns, const char **labels);

/* ---- spectra (spectrum.c) ---- */
/* Frequencies and amplitudes of the values at even steps: one-sided, Hann's window, the mean left out, padded with
 * zeros to at least four times the length, so that a sine of amplitude a shows a peak of a up to 1 %. */
typedef struct phx_spectrum {
    size_t count; /* lines above zero frequency: line k is at (k + 1) step */
    double step;  /* Hz */
    double *amplitudes;
} phx_spectrum;
phx_status phx_spectrum_make(phx_context *context, size_t count, const double *values, double time_step,
                             phx_spectrum *spectrum);
void phx_spectrum_free(phx_spectrum *spectrum);

#endif
