/* The arrays of a report: numbers of bodies, motions, columns and modes, one after the other. */
#include "report.h"

#include <math.h>
#include <string.h>

/* Entries of x before the deformations of a body. */
static int front_of(const phx_report *report)
{
    return report->dimension + (report->dimension == 2 ? 3 : 9);
}

int phx_report_deformations(const phx_report *report, int body)
{
    const int n_q = report->bodies[body].x_count - front_of(report);
    return n_q > 0 ? n_q : 0; /* a body that is not drawn may have no place */
}

/* ---- bodies ---- */
/* rows x dim as rows x 3 */
static void put_vectors(phx_payload *payload, int dim, size_t rows, const double *values)
{
    for (size_t i = 0; i < rows; i++)
        for (int a = 0; a < 3; a++)
            phx_payload_f32(payload, a < dim ? values[i * (size_t)dim + (size_t)a] : 0.0);
}

/* rows x dim x n as rows x 3 x n */
static void put_shapes(phx_payload *payload, int dim, size_t rows, size_t n, const double *values)
{
    for (size_t i = 0; i < rows; i++)
        for (int a = 0; a < 3; a++)
            for (size_t k = 0; k < n; k++)
                phx_payload_f32(payload, a < dim ? values[(i * (size_t)dim + (size_t)a) * n + k] : 0.0);
}

phx_status phx_report_points(phx_report *report, int index, phx_payload *payload)
{
    const phx_record_body *body = &report->bodies[index];
    put_vectors(payload, report->dimension, (size_t)body->n_points, body->points);
    return PHX_OK;
}

phx_status phx_report_lines(phx_report *report, int index, phx_payload *payload)
{
    for (int i = 0; i + 1 < report->bodies[index].n_points; i++) {
        phx_payload_u32(payload, (unsigned)i);
        phx_payload_u32(payload, (unsigned)i + 1);
    }
    return PHX_OK;
}

phx_status phx_report_shapes(phx_report *report, int index, phx_payload *payload)
{
    const phx_record_body *body = &report->bodies[index];
    put_shapes(payload, report->dimension, (size_t)body->n_points, (size_t)phx_report_deformations(report, index),
               body->shapes);
    return PHX_OK;
}

phx_status phx_report_port_shapes(phx_report *report, int index, phx_payload *payload)
{
    const phx_scene *scene = report->scene;
    const double *values = scene->port_shapes;

    for (int p = 0; p < index; p++)
        if (scene->port_body[p] >= 0)
            values += report->dimension * phx_report_deformations(report, scene->port_body[p]);
    put_shapes(payload, report->dimension, 1, (size_t)phx_report_deformations(report, scene->port_body[index]), values);
    return PHX_OK;
}

/* ---- section forces ---- */
/* The map of a section of a body by its name; NULL: there is none. */
static const double *find_map(const phx_report *report, int body, const char *name)
{
    const phx_scene *scene = report->scene;
    const double *map = scene->maps;

    for (int s = 0; s < scene->n_sections; s++) {
        const int b = scene->section_body[s];
        if (b == body && (!name || !strcmp(scene->section_name[s], name)))
            return map;
        map += report->bodies[b].n_points * phx_report_deformations(report, b);
    }
    return NULL;
}

int phx_report_fibres(const phx_report *report, int body)
{
    const double *section = report->scene->section + body * PHX_SCENE_SECTION;
    const bool plane = report->dimension == 2;

    if (!find_map(report, body, "axial_force") || !find_map(report, body, "bending_moment_z") || section[0] <= 0.0 ||
        section[2] <= 0.0 || section[3] <= 0.0 || (!plane && (section[1] <= 0.0 || section[4] <= 0.0)))
        return 0;
    return plane ? 2 : 4;
}

int phx_report_fibre_sign(int fibre, int axis)
{
    return (axis == 0 ? fibre & 1 : fibre & 2) ? -1 : 1;
}

/* Of a fibre at (y, z):  sigma = N/A - M_z y/I_z - M_y z/I_y,  with M_z = E I_z v'', M_y = E I_y w''. */
static void put_fibre(const phx_report *report, int body, int fibre, phx_payload *payload)
{
    const double *section = report->scene->section + body * PHX_SCENE_SECTION;
    const double *axial = find_map(report, body, "axial_force"), *my = find_map(report, body, "bending_moment_y"),
                 *mz = find_map(report, body, "bending_moment_z");
    const double z = report->dimension == 3 && my ? phx_report_fibre_sign(fibre, 1) * section[4] / section[1] : 0.0;
    const double y = phx_report_fibre_sign(fibre, 0) * section[3] / section[2];
    const size_t n = (size_t)report->bodies[body].n_points * (size_t)phx_report_deformations(report, body);

    for (size_t i = 0; i < n; i++)
        phx_payload_f32(payload, axial[i] / section[0] - y * mz[i] - (z != 0.0 ? z * my[i] : 0.0));
}

/* Writes the map from deformations to one section force, or to the stress of one fibre, at all points of its body. */
phx_status phx_report_map(phx_report *report, int index, phx_payload *payload)
{
    const phx_scene *scene = report->scene;
    const double *map = scene->maps;

    if (index >= scene->n_sections) {
        put_fibre(report, (index - scene->n_sections) / 4, (index - scene->n_sections) % 4, payload);
        return PHX_OK;
    }
    for (int s = 0; s <= index; s++) {
        const int b = scene->section_body[s];
        const size_t n = (size_t)report->bodies[b].n_points * (size_t)phx_report_deformations(report, b);
        for (size_t i = 0; i < n && s == index; i++)
            phx_payload_f32(payload, map[i]);
        map += n;
    }
    return PHX_OK;
}

/* ---- rows of the result ---- */
/* Of a column, or behind the columns of an entry of the ledger, or of the states. */
static phx_status arrays_read_rows(const phx_report *report, int of, size_t first, size_t count, double *values)
{
    const int columns = phx_result_columns(report->source.result);
    if (of == REPORT_STATES)
        return phx_result_states(report->source.result, first, count, values, NULL);
    return of < columns ? phx_result_column(report->source.result, of, first, count, values)
                        : phx_result_ledger_values(report->source.result, of - columns, first, count, values);
}

/* `count` rows from `first` on, as many as fit the block; with `ahead` those behind them are read, too, because they
 * will be asked for next. */
static phx_status see_rows(phx_report *report, int of, size_t first, size_t count, bool ahead, const double **values)
{
    const size_t width = of == REPORT_STATES ? (size_t)report->source.n_x : 1;
    const size_t rest = report->source.rows - first, room = width < REPORT_BLOCK ? REPORT_BLOCK / width : 1;
    phx_status status = PHX_OK;

    if (of != report->work.block_of || first < report->work.block_first ||
        first + count > report->work.block_first + report->work.block_rows) {
        const size_t wanted = !ahead ? count : room < rest ? room : rest;
        status = arrays_read_rows(report, of, first, wanted, report->work.block);
        report->work.block_of = of;
        report->work.block_first = first;
        report->work.block_rows = status ? 0 : wanted;
    }
    *values = report->work.block + (first - report->work.block_first) * width;
    return status;
}

/* ---- the motion ---- */
static size_t row_of_frame(const phx_report *report, size_t frame)
{
    return report->shown.frames > 1
               ? (size_t)((double)frame * (double)(report->source.rows - 1) / (double)(report->shown.frames - 1) + 0.5)
               : 0;
}

static phx_status state_of(phx_report *report, size_t row, const double **x)
{
    *x = report->source.result ? NULL : report->source.states + row * (size_t)report->source.n_x;
    if (!report->source.result || report->source.n_x == 0)
        return PHX_OK;
    return see_rows(report, REPORT_STATES, row, 1, report->source.rows / report->shown.frames <= 16, x);
}

static phx_status time_of(phx_report *report, size_t frame, double *t)
{
    const double *time = t;
    const phx_status status = see_rows(report, 0, row_of_frame(report, frame), 1,
                                       report->source.rows / report->shown.frames <= REPORT_BLOCK / 16, &time);
    *t = status ? 0.0 : *time;
    return status;
}

phx_status phx_report_frame_times(phx_report *report, int index, phx_payload *payload)
{
    phx_status status = PHX_OK;

    (void)index;
    for (size_t k = 0; k < report->shown.frames && !status; k++) {
        double t = 0.0;
        status = time_of(report, k, &t);
        phx_payload_f64(payload, t);
    }
    return status;
}

/* Quaternion w x y z of a rotation matrix, by the largest of its entries. */
static void quaternion_of(const double *R, double *q)
{
    const double trace = R[0] + R[4] + R[8];
    const double squares[4] = {1.0 + trace, 1.0 + 2.0 * R[0] - trace, 1.0 + 2.0 * R[4] - trace,
                               1.0 + 2.0 * R[8] - trace};
    const double wx = R[7] - R[5], wy = R[2] - R[6], wz = R[3] - R[1];
    const double xy = R[1] + R[3], xz = R[2] + R[6], yz = R[5] + R[7];
    const double rows[4][4] = {
        {squares[0], wx, wy, wz}, {wx, squares[1], xy, xz}, {wy, xy, squares[2], yz}, {wz, xz, yz, squares[3]}};
    int largest = 0;

    for (int i = 1; i < 4; i++)
        if (squares[i] > squares[largest])
            largest = i;
    const double *row = rows[largest];
    const double size = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2] + row[3] * row[3]);
    for (int i = 0; i < 4; i++)
        q[i] = size > 0.0 ? row[i] / size : (double)(i == 0);
}

/* The quaternion of an attitude or its negative, whichever is nearer to that of the frame before. */
static void put_attitude(int dim, const double *attitude, double *before, phx_payload *payload)
{
    double q[4] = {0}, product = 0.0;

    if (dim == 2) {
        q[0] = cos(0.5 * attitude[2]);
        q[3] = sin(0.5 * attitude[2]);
    } else {
        quaternion_of(attitude, q);
    }
    for (int i = 0; i < 4; i++)
        product += q[i] * before[i];
    for (int i = 0; i < 4; i++) {
        before[i] = dim == 3 && product < 0.0 ? -q[i] : q[i];
        phx_payload_f32(payload, before[i]);
    }
}

/* Writes position and attitude of every body in every frame; quaternions keep their sign from frame to frame. */
phx_status phx_report_poses(phx_report *report, int index, phx_payload *payload)
{
    const int dim = report->dimension;
    phx_status status = PHX_OK;

    (void)index;
    memset(report->work.quaternions, 0, (size_t)report->n_bodies * 4 * sizeof *report->work.quaternions);
    for (size_t k = 0; k < report->shown.frames && !status; k++) {
        const double *x = NULL;
        status = state_of(report, row_of_frame(report, k), &x);
        for (int b = 0; b < report->n_bodies && !status; b++) {
            static const double nowhere[12] = {[3] = 1.0, [7] = 1.0, [11] = 1.0};
            const bool placed = report->bodies[b].x_count >= dim, turns = report->bodies[b].x_count >= front_of(report);
            const double *own = placed ? x + report->bodies[b].x_start : nowhere;
            put_vectors(payload, dim, 1, own);
            put_attitude(dim, turns ? own + dim : nowhere + 3, report->work.quaternions + 4 * b, payload);
        }
        if (!status)
            status = phx_progress(report->context, "frames", (double)k, (double)report->shown.frames);
    }
    return status;
}

/* Those of all frames (frames x the factors of the scene), to be freed: read apart from the states, which come in
 * blocks. */
static phx_status factors_of(phx_report *report, double **factors)
{
    const size_t n = (size_t)phx_scene_factors(report->scene);
    phx_status status = PHX_OK;

    *factors = phx_calloc(report->context, report->shown.frames * n, sizeof **factors);
    if (!*factors)
        return PHX_ERR_MEMORY;
    if (report->source.result && report->shown.frames == report->source.rows)
        return phx_result_factors(report->source.result, 0, report->source.rows, *factors);
    for (size_t k = 0; k < report->shown.frames && n > 0 && !status; k++) {
        const size_t row = row_of_frame(report, k);
        if (report->source.result)
            status = phx_result_factors(report->source.result, row, 1, *factors + k * n);
        else if (report->source.factors)
            memcpy(*factors + k * n, report->source.factors + row * n, n * sizeof **factors);
    }
    return status;
}

/* Writes deformations and temperature factors of every body in every frame. */
phx_status phx_report_deformed(phx_report *report, int index, phx_payload *payload)
{
    const int front = front_of(report);
    const size_t n = (size_t)phx_scene_factors(report->scene);
    double *factors = NULL;
    phx_status status = factors_of(report, &factors);

    (void)index;
    for (size_t k = 0; k < report->shown.frames && !status; k++) {
        const double *x = NULL, *factor = factors + k * n;
        status = state_of(report, row_of_frame(report, k), &x);
        for (int b = 0; b < report->n_bodies && !status; b++) {
            for (int i = front; i < report->bodies[b].x_count; i++)
                phx_payload_f32(payload, x[report->bodies[b].x_start + i]);
            for (int i = 0; i < phx_report_factors(report, b); i++)
                phx_payload_f32(payload, *factor++);
        }
    }
    phx_free(factors);
    return status;
}

/* ---- loads ---- */
enum { LOAD_PLACES = 9 }; /* of a distributed load */

int phx_report_load_places(const phx_report *report, int load)
{
    return strcmp(report->scene->load_kind[load], "distributed") ? 1 : LOAD_PLACES;
}

double phx_report_load_place(const phx_report *report, int load, int place)
{
    const int places = phx_report_load_places(report, load);
    return places > 1 ? (double)place / (places - 1) : 0.0;
}

bool phx_report_load_is_constant(const phx_report *report, int load)
{
    const phx_report_load *report_load = &report->options->loads[load];
    bool constant = true;

    for (int a = 0; a < report_load->n_components; a++)
        constant = constant && phx_signal_is_constant(report_load->component[a]);
    return constant;
}

static void put_load(const phx_report *report, int load, double t, phx_payload *payload)
{
    const phx_report_load *report_load = &report->options->loads[load];

    for (int k = 0; k < phx_report_load_places(report, load); k++) {
        const double s = phx_report_load_place(report, load, k);
        for (int a = 0; a < 3; a++) {
            const int from = report_load->n_components == 1 ? a - 2 : a; /* a torque in the plane is about z */
            phx_payload_f32(payload, from >= 0 && from < report_load->n_components
                                         ? phx_signal_value_at(report_load->component[from], t, s)
                                         : 0.0);
        }
    }
}

phx_status phx_report_load_constant(phx_report *report, int index, phx_payload *payload)
{
    put_load(report, index, 0.0, payload);
    return PHX_OK;
}

phx_status phx_report_load_values(phx_report *report, int index, phx_payload *payload)
{
    phx_status status = PHX_OK;

    for (size_t k = 0; k < report->shown.frames && !status; k++) {
        double t = 0.0;
        if (report->source.result)
            status = time_of(report, k, &t);
        put_load(report, index, t, payload);
    }
    return status;
}

/* ---- arrows ---- */
/* NAME.x or, of a reaction, NAME.fx; -1: it was not recorded. */
int phx_report_arrow_column(const phx_report *report, int arrow, int component)
{
    const phx_result *result = report->source.result;
    const char *name = report->scene->arrow_name[arrow],
               *prefix = strcmp(report->scene->arrow_kind[arrow], "reaction") ? "" : "f";
    char wanted[REPORT_NAME];

    snprintf(wanted, sizeof wanted, "%s.%s%c", name, prefix, 'x' + component);
    return result ? phx_result_column_find(result, wanted) : -1;
}

phx_status phx_report_arrow_values(phx_report *report, int index, phx_payload *payload)
{
    phx_status status = PHX_OK;
    int column[3] = {-1, -1, -1};

    for (int a = 0; a < report->dimension; a++)
        column[a] = phx_report_arrow_column(report, index, a);
    for (size_t k = 0; k < report->shown.frames && !status; k++)
        for (int a = 0; a < 3 && !status; a++) {
            double value = 0.0;
            if (column[a] >= 0)
                status = phx_result_column(report->source.result, column[a], row_of_frame(report, k), 1, &value);
            phx_payload_f32(payload, value);
        }
    return status;
}

/* ---- columns ---- */
/* Rows thinned to `points`: the first and the last, and of each of the equal intervals between them the least and the
 * greatest value in their order, at the first instant of the interval and at the one in its middle. */
typedef struct thinning {
    size_t rows, intervals;
} thinning;

static size_t interval_start(const thinning *thin, size_t k)
{
    return 1 + (size_t)((double)k * (double)(thin->rows - 2) / (double)thin->intervals);
}

/* Writes two of the values: smallest and largest in their order, or of times the first and the middle one. */
static void put_interval(phx_payload *payload, const double *values, size_t count, bool time)
{
    size_t least = 0, most = 0;

    for (size_t i = 1; i < count; i++) {
        least = values[i] < values[least] ? i : least;
        most = values[i] > values[most] ? i : most;
    }
    if (time) {
        phx_payload_f64(payload, values[0]);
        phx_payload_f64(payload, values[count / 2]);
    } else {
        phx_payload_f32(payload, values[least < most ? least : most]);
        phx_payload_f32(payload, values[least < most ? most : least]);
    }
}

/* The rows of an interval; of one that does not fit the block two values in `two`: the extremes, or the times. */
static phx_status see_interval(phx_report *report, int column, size_t first, size_t count, double two[2], size_t *kept,
                               const double **values)
{
    const size_t end = first + count, part = column == 0 ? count / 2 : REPORT_BLOCK;
    phx_status status = PHX_OK;

    *kept = count;
    if (count <= REPORT_BLOCK)
        return see_rows(report, column, first, count, 2 * count <= REPORT_BLOCK, values);
    *kept = 0;
    for (size_t row = first; row < end && !status && !(column == 0 && *kept == 2); row += part) {
        const size_t n = column == 0 ? 1 : end - row < part ? end - row : part;
        const double *read = NULL;
        status = see_rows(report, column, row, n, false, &read);
        for (size_t i = 0; i < n && !status; i++) {
            if (*kept < 2)
                two[(*kept)++] = read[i];
            else if (read[i] < fmin(two[0], two[1]))
                two[two[0] < two[1] ? 0 : 1] = read[i];
            else if (read[i] > fmax(two[0], two[1]))
                two[two[0] > two[1] ? 0 : 1] = read[i];
        }
    }
    *values = two;
    return status;
}

static phx_status arrays_put_row(phx_report *report, int column, size_t row, phx_payload *payload)
{
    const double *value = NULL;
    const phx_status status = see_rows(report, column, row, 1, row + 1 < report->source.rows, &value);

    if (!status)
        (column == 0 ? phx_payload_f64 : phx_payload_f32)(payload, *value);
    return status;
}

/* Writes a column in full, or thinned to its first and last row and two values for each interval between. */
static phx_status arrays_put_column(phx_report *report, int column, phx_payload *payload)
{
    const thinning thin = {report->source.rows,
                           report->shown.points < report->source.rows ? (report->shown.points - 2) / 2 : 0};
    phx_status status = PHX_OK;

    for (size_t row = 0; row < report->source.rows && report->shown.points == report->source.rows && !status; row++)
        status = arrays_put_row(report, column, row, payload);
    if (report->shown.points == report->source.rows || status)
        return status;
    status = arrays_put_row(report, column, 0, payload);
    for (size_t k = 0; k < thin.intervals && !status; k++) {
        const size_t first = interval_start(&thin, k);
        const double *values = NULL;
        double two[2];
        size_t kept = 0;
        status = see_interval(report, column, first, interval_start(&thin, k + 1) - first, two, &kept, &values);
        if (!status)
            put_interval(payload, values, kept, column == 0);
    }
    return status ? status : arrays_put_row(report, column, report->source.rows - 1, payload);
}

phx_status phx_report_times(phx_report *report, int index, phx_payload *payload)
{
    (void)index;
    return arrays_put_column(report, 0, payload);
}

phx_status phx_report_column(phx_report *report, int index, phx_payload *payload)
{
    return arrays_put_column(report, index, payload);
}
