/* The kinds of joint for the documentation, as phx_joint_kind_info and phx_joint_rows have them. */
#include "reader.h"

static const char *where(const phx_joint_info *info)
{
    return !info->plane ? "space" : !info->space ? "plane" : "plane, space";
}

/* "angle, displacement"; coordinates that the plane lacks are marked. */
static void add_coordinates(phx_text *text, const phx_joint_info *info)
{
    for (int c = 0; c < info->n_coordinates[0] && info->in_plane; c++)
        phx_text_add(text, "%s%s", c ? ", " : "plane: ", info->in_plane[c].name);
    phx_text_add(text, info->in_plane ? "; space: " : "");
    for (int c = 0; c < info->n_coordinates[1] || c < info->n_coordinates[0]; c++)
        phx_text_add(text, "%s%s%s", c ? ", " : "", info->coordinates[c].name,
                     info->plane && !info->in_plane && c >= info->n_coordinates[0] ? " (space)" : "");
}

static void add_solids(phx_text *text, const phx_joint_info *info)
{
    for (int s = 0; s < PHX_JOINT_MAX_SOLIDS && info->solids[s].shape != PHX_SOLID_NONE; s++)
        phx_text_add(text, "%s%s", s ? ", " : "", phx_solid_name(info->solids[s].shape));
}

static void add_kinds(phx_text *text)
{
    phx_text_add(text, "\nThe kinds, with the solids that the report draws them with:\n\n"
                       "| kind | where | holds | free coordinates | drawn as |\n|---|---|---|---|---|\n");
    for (int k = 0; k < PHX_JOINT_KINDS; k++) {
        const phx_joint_info *info = phx_joint_kind_info((phx_joint_kind)k);
        phx_text_add(text, "| `%s` | %s | %s | ", info->name, where(info), info->holds);
        add_coordinates(text, info);
        phx_text_add(text, " | ");
        add_solids(text, info);
        phx_text_add(text, "%s |\n", info->holds_points ? "" : ", at B");
    }
}

static void add_zeros(phx_text *text)
{
    phx_text_add(text,
                 "\nWhere their coordinates are zero:\n\n| kind | coordinate | unit | zero |\n|---|---|---|---|\n");
    for (int k = 0; k < PHX_JOINT_KINDS; k++) {
        const phx_joint_info *info = phx_joint_kind_info((phx_joint_kind)k);
        for (int c = 0; c < PHX_JOINT_MAX_COORDINATES && info->coordinates[c].name; c++)
            phx_text_add(text, "| `%s` | %s | %s | %s |\n", info->name, info->coordinates[c].name,
                         info->coordinates[c].angular ? "rad" : "m", info->coordinates[c].zero);
    }
}

/* "2 point, dot": equal rows that follow each other are counted. */
static void add_rows(phx_text *text, int count, const phx_row *rows)
{
    for (int first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && rows[next].kind == rows[first].kind;)
            next++;
        phx_text_add(text, first ? ", " : "");
        if (next - first > 1)
            phx_text_add(text, "%d ", next - first);
        phx_text_add(text, "%s", phx_row_kind_name(rows[first].kind));
    }
}

/* Writes constraint rows and coordinate rows of a joint kind in one dimension, for joint axes along the axes of
 * coordinates. */
static phx_status add_rows_of(phx_text *text, phx_joint_kind kind, int dim)
{
    static const double plane[4] = {1.0, 0.0, 0.0, 1.0}, space[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    static const double x[3] = {1.0, 0.0, 0.0}, z[3] = {0.0, 0.0, 1.0};
    const phx_joint_info *info = phx_joint_kind_info(kind);
    const double *rotation = dim == 2 ? plane : space;
    const phx_joint_shape shape = {kind, dim, rotation, rotation, x, info->axis == PHX_AXIS_PAIR ? z : NULL, NULL};
    phx_row constraints[PHX_JOINT_MAX_ROWS], coordinates[PHX_JOINT_MAX_COORDINATES];
    int n = 0, m = 0;
    phx_status status = phx_joint_rows(text->context, &shape, &n, constraints, &m, coordinates);
    if (status)
        return status;
    add_rows(text, n, constraints);
    phx_text_add(text, " | ");
    add_rows(text, m, coordinates);
    return PHX_OK;
}

/* Writes the table of rows of all joint kinds in the plane and in space in Markdown. */
static phx_status add_all_rows(phx_text *text)
{
    phx_status status = PHX_OK;
    phx_text_add(text, "\nTheir rows ([theory.md](theory.md#3-ports-and-joints)):\n\n"
                       "| kind | plane | of the coordinates | space | of the coordinates |\n|---|---|---|---|---|\n");
    for (int k = 0; k < PHX_JOINT_KINDS && !status; k++) {
        const phx_joint_info *info = phx_joint_kind_info((phx_joint_kind)k);
        phx_text_add(text, "| `%s` | ", info->name);
        for (int dim = 2; dim <= 3 && !status; dim++) {
            if (dim == 2 ? info->plane : info->space)
                status = add_rows_of(text, (phx_joint_kind)k, dim);
            else
                phx_text_add(text, " | ");
            phx_text_add(text, dim == 2 ? " | " : " |\n");
        }
    }
    return status;
}

phx_status phx_joint_tables(phx_text *text)
{
    add_kinds(text);
    add_zeros(text);
    return add_all_rows(text);
}
