/* The findings of phx_study_import; private to the layer study. */
#ifndef PHLEXOR_STUDY_IMPORT_REPORT_H
#define PHLEXOR_STUDY_IMPORT_REPORT_H

#include "internal.h"

#include "continuum/continuum.h"

typedef enum phx_import_kind { PHX_IMPORT_MATRICES, PHX_IMPORT_SOLID, PHX_IMPORT_PLATE } phx_import_kind;

typedef struct phx_import_found_file {
    char *path;
    phx_import_file of;
} phx_import_found_file;

/* A part of the mesh, and whether it can be a port. */
typedef struct phx_import_group {
    char *name, *port; /* port: its name as one */
    int dimension, cells, nodes;
    int node;      /* instead of a group: the label of a node that has rotations; 0: a group */
    double x[3];   /* place of the port, m */
    char *refused; /* why it is no port; NULL: it is one */
} phx_import_group;

typedef struct phx_import_material {
    char *name;
    bool isotropic;
    double density, young, poisson; /* kg/m^3, N/m^2; 0: the file does not say */
} phx_import_material;

/* A group of cells that a section of the deck gives another material or thickness than the first. */
typedef struct phx_import_region {
    char *group;
    int material;     /* of the file */
    double thickness; /* m; 0: that of the body */
} phx_import_region;

struct phx_import_report {
    phx_import_kind kind;
    char *name; /* of the body */
    char *mass_matrix, *stiffness_matrix;
    double length, mass_unit, time;
    int n_files;
    phx_import_found_file *files;
    int nodes, unknowns;
    int n_groups;
    phx_import_group *groups;
    int n_materials;
    phx_import_material *materials; /* of the file */
    phx_import_material used;       /* of a mesh: what the body is made of; its name is borrowed */
    bool assumed;                   /* `used` is not of the file */
    double thickness;               /* of a plate, m */
    int n_regions;
    phx_import_region *regions;
    phx_elastic_summary summary;
    int n_frequencies;
    double *frequency;               /* Hz */
    char *no_frequencies, *no_model; /* why; NULL: they are there, it can be a body of a model */
};

/* The shortest decimal number that is read as `value`. */
void import_text_put_number(FILE *stream, double value);
/* The folder of a model file with its slash; NULL: the current one. Free with phx_free. */
phx_status import_text_folder(phx_context *context, const char *path, char **folder);
/* A path of another file as it is seen from that folder; free with phx_free. The same, quoted for YAML. */
phx_status import_text_path(phx_context *context, const char *folder, const char *path, char **seen);
phx_status import_text_put_path(phx_context *context, const char *folder, const char *path, FILE *stream);

/* The groups of the model, and its nodes with rotations where there is no group. */
phx_status phx_import_find_ports(phx_context *context, const phx_elastic_model *model, phx_import_report *report);

#endif
