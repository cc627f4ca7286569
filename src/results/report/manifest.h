/* Members of the manifest: objects, texts, numbers and vectors in JSON. */
#ifndef PHLEXOR_RESULTS_REPORT_MANIFEST_H
#define PHLEXOR_RESULTS_REPORT_MANIFEST_H

#include "report.h"

static inline void text(phx_output *m, const char *characters)
{
    phx_output_text(m, characters);
}

/* "key": with a comma before it where one has to be. */
static inline void key(phx_output *m, bool first, const char *name)
{
    text(m, first ? "" : ",");
    phx_output_json(m, name);
    text(m, ":");
}

static inline void put_text(phx_output *m, bool first, const char *name, const char *value)
{
    key(m, first, name);
    phx_output_json(m, value ? value : "");
}

static inline void put_number(phx_output *m, bool first, const char *name, double value)
{
    key(m, first, name);
    phx_report_number(m, value);
}

static inline void put_names(phx_output *m, bool first, const char *name, int count, const char *const *names)
{
    key(m, first, name);
    text(m, "[");
    for (int k = 0; k < count; k++) {
        text(m, k ? "," : "");
        phx_output_json(m, names[k]);
    }
    text(m, "]");
}

/* rows of `dim` numbers as rows of 3, all in one list; a matrix of the plane is one of space. */
static inline void put_vector(phx_output *m, int dim, const double *values)
{
    text(m, "[");
    for (int a = 0; a < 3; a++) {
        text(m, a ? "," : "");
        phx_report_number(m, a < dim ? values[a] : 0.0);
    }
    text(m, "]");
}

static inline void put_matrix(phx_output *m, int dim, const double *values)
{
    text(m, "[");
    for (int i = 0; i < 9; i++) {
        const int row = i / 3, column = i % 3;
        text(m, i ? "," : "");
        phx_report_number(m, row < dim && column < dim ? values[row * dim + column] : (double)(row == column));
    }
    text(m, "]");
}

/* report_manifest_bodies.c: body b with its ports, sections and mesh. */
void phx_report_put_body(phx_report *report, phx_output *m, int b);
/* The surfaces of bodies in a scene. */
void phx_report_put_visuals(phx_report *report, phx_output *m);
/* report_manifest_joints.c: joints and their kinds; springs and loads of the scene. */
void phx_report_put_joints(phx_report *report, phx_output *m);
void phx_report_put_joint_kinds(phx_report *report, phx_output *m);
void phx_report_put_springs(phx_report *report, phx_output *m);
void phx_report_put_loads(phx_report *report, phx_output *m);

#endif
