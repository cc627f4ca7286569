/* The table of joint kinds, the frame that their rows are built in, and the rows they share. */
#include <math.h>
#include <string.h>

#include "kinds.h"

static const phx_joint_operations *const kinds[PHX_JOINT_KINDS] = {
    [PHX_JOINT_WELD] = &phx_joint_weld,
    [PHX_JOINT_REVOLUTE] = &phx_joint_revolute,
    [PHX_JOINT_PRISMATIC] = &phx_joint_prismatic,
    [PHX_JOINT_SLIDER] = &phx_joint_slider,
};

static bool is_kind(phx_joint_kind kind)
{
    return (int)kind >= 0 && (int)kind < (int)PHX_JOINT_KINDS;
}

const char *phx_joint_kind_name(phx_joint_kind kind)
{
    return is_kind(kind) ? kinds[kind]->name : "unknown";
}

void phx_joint_add_points(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    for (int axis = 0; axis < frame->dim; axis++)
        list->constraints[list->n_constraints++] = (phx_row){.kind = PHX_ROW_POINT, .axis = axis};
}

void phx_joint_add_line(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    for (int k = 1; k < frame->dim; k++) {
        phx_row row = {.kind = PHX_ROW_NORMAL};
        memcpy(row.alpha, frame->in_a[k], sizeof(row.alpha));
        list->constraints[list->n_constraints++] = row;
    }
}

void phx_joint_add_no_turn(const phx_joint_frame *frame, int k, phx_joint_row_list *list)
{
    /* B turned by delta about base k takes base k+1 towards base k+2: e_{k+2} . (rotated e_{k+1}) = sin(delta);
     * in the plane e_1 . (rotated e_0) */
    int from = frame->dim == 2 ? 0 : (k + 1) % 3, towards = frame->dim == 2 ? 1 : (k + 2) % 3;
    phx_row row = {.kind = PHX_ROW_DOT, .angular = true};
    memcpy(row.alpha, frame->in_a[towards], sizeof(row.alpha));
    memcpy(row.beta, frame->in_b[from], sizeof(row.beta));
    list->constraints[list->n_constraints++] = row;
}

void phx_joint_add_displacement(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_row row = {.kind = PHX_ROW_DISPLACEMENT};
    memcpy(row.alpha, frame->in_a[0], sizeof(row.alpha));
    list->coordinates[list->n_coordinates++] = row;
}

/* Right-handed triad (plane: pair) whose first vector is `first` over its length. False when that is zero or not
 * finite. */
static bool make_triad(int dim, const double *first, double triad[3][3])
{
    double length = dim == 2 ? hypot(first[0], first[1]) : hypot(hypot(first[0], first[1]), first[2]);
    if (!isfinite(length) || length == 0.0)
        return false;
    memset(triad, 0, 9 * sizeof(double));
    for (int i = 0; i < dim; i++)
        triad[0][i] = first[i] / length;
    if (dim == 2) {
        triad[1][0] = -triad[0][1];
        triad[1][1] = triad[0][0];
        return true;
    }
    /* the second is across the first and the unit vector that is least along it */
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(triad[0][i]) < fabs(triad[0][least]))
            least = i;
    double unit[3] = {0.0, 0.0, 0.0};
    unit[least] = 1.0;
    phx_rot_x_vec(3, unit, triad[0], triad[1]);
    length = hypot(hypot(triad[1][0], triad[1][1]), triad[1][2]);
    for (int i = 0; i < 3; i++)
        triad[1][i] /= length;
    phx_rot_x_vec(3, triad[0], triad[1], triad[2]);
    return true;
}

/* |R^T R - I| <= 1e-6 everywhere and det R > 0; not a number fails */
static bool is_rotation(int dim, const double *R)
{
    for (int i = 0; i < dim; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? -1.0 : 0.0;
            for (int k = 0; k < dim; k++)
                sum += R[k * dim + i] * R[k * dim + j];
            if (!(fabs(sum) <= 1e-6))
                return false;
        }
    }
    if (dim == 2)
        return R[0] * R[3] - R[1] * R[2] > 0.0;
    double cross[3];
    phx_rot_x_vec(3, R, R + 3, cross);
    return cross[0] * R[6] + cross[1] * R[7] + cross[2] * R[8] > 0.0;
}

static phx_status check(phx_context *context, phx_joint_kind kind, int dim, const double *rotation_a,
                        const double *rotation_b, const double *relative)
{
    if (!is_kind(kind))
        return phx_fail(context, PHX_ERR_ARGUMENT, "joint: kind %d is not one of 0 to %d", (int)kind,
                        (int)PHX_JOINT_KINDS - 1);
    const char *name = kinds[kind]->name;
    if (dim != 2 && dim != 3)
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s joint: dimension %d, expected 2 or 3", name, dim);
    if (dim == 2 ? !kinds[kind]->plane : !kinds[kind]->space)
        return phx_fail(context, PHX_ERR_UNSUPPORTED, "%s joint: this kind does not exist in dimension %d", name, dim);
    const double *rotations[3] = {rotation_a, rotation_b, relative};
    const char *what[3] = {"rotation of port A", "rotation of port B", "relative rotation"};
    for (int i = 0; i < 3; i++)
        if (!is_rotation(dim, rotations[i]))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "%s joint: the %s is no rotation, first row (%g, %g%s); give an orthonormal right-handed "
                            "matrix",
                            name, what[i], rotations[i][0], rotations[i][1], dim == 3 ? ", ..." : "");
    return PHX_OK;
}

/* base vector k in B's body axes: rotation_b relative^T triad[k]; in A's: rotation_a triad[k] */
static void make_frame(int dim, const double *rotation_a, const double *rotation_b, const double *relative,
                       double triad[3][3], phx_joint_frame *frame)
{
    *frame = (phx_joint_frame){.dim = dim};
    for (int k = 0; k < dim; k++) {
        double in_port_b[3];
        phx_rot_apply(dim, rotation_a, triad[k], frame->in_a[k]);
        phx_rot_apply_transposed(dim, relative, triad[k], in_port_b);
        phx_rot_apply(dim, rotation_b, in_port_b, frame->in_b[k]);
    }
    if (dim == 2) {
        double c = rotation_a[0] * rotation_b[0] + rotation_a[2] * rotation_b[2];
        double s = rotation_a[2] * rotation_b[0] - rotation_a[0] * rotation_b[2];
        frame->angle = atan2(s, c);
    }
}

phx_status phx_joint_rows(phx_context *context, phx_joint_kind kind, int dim, const double *rotation_a,
                          const double *rotation_b, const double *axis, const double *relative, int *n_constraints,
                          phx_row constraints[PHX_JOINT_MAX_ROWS], int *n_coordinates,
                          phx_row coordinates[PHX_JOINT_MAX_COORDINATES])
{
    static const double identity_2[4] = {1.0, 0.0, 0.0, 1.0};
    static const double identity_3[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    if (!relative)
        relative = dim == 2 ? identity_2 : identity_3;
    phx_status status = check(context, kind, dim, rotation_a, rotation_b, relative);
    if (status != PHX_OK)
        return status;

    double triad[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    if (kinds[kind]->has_axis[dim - 2]) {
        if (!axis)
            return phx_fail(context, PHX_ERR_ARGUMENT, "%s joint: an axis is needed in dimension %d", kinds[kind]->name,
                            dim);
        if (!make_triad(dim, axis, triad))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "%s joint: axis (%g, %g, %g), expected a finite vector that is not zero", kinds[kind]->name,
                            axis[0], axis[1], dim == 3 ? axis[2] : 0.0);
    }
    phx_joint_frame frame;
    make_frame(dim, rotation_a, rotation_b, relative, triad, &frame);
    phx_joint_row_list list = {.constraints = constraints, .coordinates = coordinates};
    kinds[kind]->rows(&frame, &list);
    *n_constraints = list.n_constraints;
    *n_coordinates = list.n_coordinates;
    return PHX_OK;
}
