/* Reports: chooses the part of a result that goes into a page, and writes the page. */
#include "report.h"
#include "results/modes/modes.h"
#include "results/store/result.h"
#include "file/file.h"
#include "page.h"

#include <string.h>

enum {
    MOST_BYTES = 19500000, /* of a page */
    SPARE = 20000,         /* the elements around the data, and the stream's own bytes */
    MOST_RESULTS = 100,    /* of a page */
    LEAST_POINTS = 4
};
static const char marker[] = "<!--phlexor-data-->";

/* ---- how much ---- */
/* Bytes of the arrays allowed before encoding: base64 makes 4 bytes of 3. */
static double allowance(const char *page, const phx_output *manifest, int n_parts)
{
    const double room = ((double)MOST_BYTES - SPARE - (double)strlen(page)) / n_parts;
    const double rest = room - (double)manifest->used;
    return rest > 0.0 ? 0.75 * rest : 0.0;
}

/* Bytes of the arrays that one configuration more, one row of the diagrams more adds; and of all the others. */
typedef struct report_cost {
    double frame, point, fixed;
} report_cost;

/* Bytes for each frame, for each point of a diagram, and for all other arrays. */
static report_cost costs(const phx_report *report)
{
    report_cost cost = {0};

    for (int k = 0; k < report->stream.n; k++) {
        const report_array *array = &report->stream.array[k];
        const double bytes = (double)(array->count * phx_report_bytes(array->type));
        const bool of_frames = array->write == phx_report_frame_times || array->write == phx_report_poses ||
                               array->write == phx_report_deformed || array->write == phx_report_load_values;
        const bool of_points = array->write == phx_report_times || array->write == phx_report_column;
        if (of_frames && report->shown.frames > 0)
            cost.frame += bytes / (double)report->shown.frames;
        else if (of_points && report->shown.points > 0)
            cost.point += bytes / (double)report->shown.points;
        else
            cost.fixed += bytes;
    }
    return cost;
}

static size_t as_many(double bytes, double each, size_t least, size_t most)
{
    const double count = each > 0.0 ? bytes / each : (double)most;
    return count >= (double)most ? most : count > (double)least ? (size_t)count : least < most ? least : most;
}

static double taken(size_t count, double each)
{
    return (double)count * each;
}

/* The diagrams get the room that the animation leaves, at least a third, and the other way round. */
static void choose_amount(phx_report *report, double room, const report_cost *cost)
{
    const double free_room = room > cost->fixed ? room - cost->fixed : 0.0;
    const double all_points = taken(report->source.rows, cost->point);
    const double least_points = all_points < free_room / 3.0 ? all_points : free_room / 3.0;

    report->shown.frames = as_many(free_room - least_points, cost->frame, 1, report->source.rows);
    report->shown.points =
        as_many(free_room - taken(report->shown.frames, cost->frame), cost->point, LEAST_POINTS, report->source.rows);
    if (report->shown.points < report->source.rows)
        report->shown.points -= report->shown.points % 2; /* the ends and pairs */
}

/* Leave out the least important part that does not fit: surfaces that change along a sweep at most points, maps,
 * meshes, the shapes of modes at most points, deformations. False: it fits, or nothing can be left out. */
static bool leave_out(phx_report *report, double room, const report_cost *cost)
{
    const bool one = !report->source.result; /* nothing but the fixed arrays and each configuration */
    const double share = one ? room : 0.5 * room;
    const double bytes = cost->fixed + (one ? taken(report->shown.frames, cost->frame) : 0.0);
    const int points = report->source.modes ? report->source.modes->n_points : 0;

    if (bytes <= share || !report->shown.with_shapes)
        return false;
    if (report->shown.every_visual < points)
        report->shown.every_visual *= 2;
    else if (report->shown.with_maps)
        report->shown.with_maps = false;
    else if (report->shown.with_meshes)
        report->shown.with_meshes = false;
    else if (report->shown.every_shape < points)
        report->shown.every_shape *= 2;
    else
        report->shown.with_shapes = false;
    return true;
}

/* The manifest of everything gives its size; when that is too large a smaller one follows. */
static phx_status settle_amount(phx_report *report, const char *page, phx_output *manifest)
{
    phx_status status = PHX_OK;

    report->shown.with_maps = report->shown.with_meshes = report->shown.with_shapes = true;
    report->shown.every_shape = report->shown.every_visual = 1;
    for (bool again = true; again && !status;) {
        report->shown.frames = report->shown.points = report->source.rows;
        manifest->used = manifest->whole = 0;
        phx_report_manifest(report, manifest);
        const double room = allowance(page, manifest, report->n_parts);
        const report_cost cost = costs(report);
        status = manifest->status;
        again = leave_out(report, room, &cost);
        if (!again && report->source.result)
            choose_amount(report, room, &cost);
    }
    if (status || (report->shown.frames == report->source.rows && report->shown.points == report->source.rows))
        return status;
    manifest->used = manifest->whole = 0;
    phx_report_manifest(report, manifest);
    return manifest->status;
}

/* ---- the page ---- */
/* A result and the text that describes it. */
typedef struct report_part {
    phx_report report;
    phx_output manifest;
    phx_report_options options;
    phx_result *result; /* of another one, owned */
} report_part;

/* The arrays of a part in their order, each at its place in the stream of the page. */
static phx_status put_arrays(phx_report *report, phx_payload *payload)
{
    phx_status status = PHX_OK;

    for (int k = 0; k < report->stream.n && !status; k++) {
        const report_array *array = &report->stream.array[k];
        while (phx_payload_count(payload) < array->at)
            phx_payload_i16(payload, 0);
        phx_report_at_point(report, array->point);
        status = array->write(report, array->index, payload);
    }
    if (report->point >= 0)
        phx_report_at_point(report, -1);
    return status;
}

/* The arrays of all parts as one stream. */
static phx_status put_streams(int n, report_part *parts, phx_output *output)
{
    phx_payload *payload = NULL;
    phx_status status = phx_payload_create(output->context, output, &payload);

    for (int k = 0; k < n && !status; k++)
        status = put_arrays(&parts[k].report, payload);
    if (!status)
        status = phx_payload_finish(payload);
    phx_payload_destroy(payload);
    return status;
}

/* JSON in an element of html: '<' stands in strings only. */
static void put_manifest(phx_output *output, const char *from, size_t count)
{
    const char *end = from + count;

    while (from < end) {
        const char *bracket = memchr(from, '<', (size_t)(end - from)), *to = bracket ? bracket : end;
        phx_output_bytes(output, from, (size_t)(to - from));
        if (bracket)
            phx_output_text(output, "\\u003c");
        from = bracket ? to + 1 : end;
    }
}

/* The manifest of the first part, and within it those of the others. */
static void put_manifests(int n, const report_part *parts, phx_output *output)
{
    put_manifest(output, parts[0].manifest.buffer, parts[0].manifest.used - (n > 1));
    for (int k = 1; k < n; k++) {
        phx_output_text(output, k > 1 ? "," : ",\"others\":[");
        put_manifest(output, parts[k].manifest.buffer, parts[k].manifest.used);
    }
    phx_output_text(output, n > 1 ? "]}" : "");
}

/* Writes the page with manifests and arrays in place of the marker; *bytes stays 0 unless the page is complete. */
static phx_status write_page(int n, report_part *parts, const char *page, const char *path, size_t *bytes)
{
    const char *place = strstr(page, marker);
    phx_output output;
    phx_status status = phx_output_open(parts[0].report.context, path, &output);

    if (status)
        return status;
    phx_output_bytes(&output, page, (size_t)(place - page));
    phx_output_text(&output, "<script id=\"phlexor-manifest\" type=\"application/json\">");
    put_manifests(n, parts, &output);
    phx_output_text(&output, "</script>");
    phx_output_line(&output);
    phx_output_text(&output, "<script id=\"phlexor-arrays\" type=\"text/plain\">");
    status = put_streams(n, parts, &output);
    phx_output_text(&output, "</script>");
    phx_output_text(&output, place + sizeof marker - 1);
    if (status) {
        phx_output_close(&output, false);
        return status;
    }
    status = phx_output_finish(&output);
    const size_t written = (size_t)output.written;
    if (!status)
        status = phx_output_publish(&output);
    *bytes = status ? 0 : written; /* there is a page only now */
    phx_output_close(&output, false);
    return status;
}

static phx_status find_page(phx_context *context, const phx_report_options *options, const char **page)
{
    size_t length = 0;

    *page = options ? options->page : NULL;
    if (!*page && !phx_report_page(page, &length))
        return phx_fail(context, PHX_ERR_LIBRARY,
                        "reports are off in this build: it was made without Node.js, or with PHX_REPORT=OFF; install "
                        "nodejs and npm and build again");
    if (!strstr(*page, marker))
        return phx_fail(context, PHX_ERR_ARGUMENT, "the page of a report has no line %s", marker);
    return PHX_OK;
}

phx_status phx_report_check(phx_context *context, const phx_report_options *options)
{
    const char *page = NULL;
    return find_page(context, options, &page);
}

/* The page must not overwrite the files that it shows. */
static phx_status protect(const phx_report *report)
{
    phx_status status = PHX_OK;
    if (report->source.result && phx_result_path(report->source.result))
        status = phx_files_read(report->context, phx_result_path(report->source.result));
    if (!status && report->source.modes)
        status = phx_modes_protect(report->context, report->source.modes);
    return status;
}

static phx_status create_work(phx_context *context, size_t row, int n_bodies, report_work *made)
{
    made->block = phx_calloc(context, row > REPORT_BLOCK ? row : REPORT_BLOCK, sizeof *made->block);
    made->quaternions = phx_calloc(context, (size_t)n_bodies * 4, sizeof *made->quaternions);
    return made->block && made->quaternions ? PHX_OK : PHX_ERR_MEMORY;
}

static void free_work(report_work *work)
{
    phx_free(work->block);
    phx_free(work->quaternions);
}

/* What a page shows of a result. */
static phx_report of_result(phx_context *context, const phx_result *result, const phx_report_options *options)
{
    const char *reason = phx_result_text(result, "reason"), *title = phx_result_text(result, "model_name");
    return (phx_report){.context = context,
                        .point = -1,
                        .options = options,
                        .about.kind = "simulation",
                        .about.title = title ? title : "",
                        .about.program = phx_result_text(result, "program_version"),
                        .about.model_text = phx_result_model_text(result),
                        .about.reason = phx_result_is_complete(result) ? NULL
                                        : reason                       ? reason
                                                                       : "",
                        .dimension = phx_result_dimension(result),
                        .n_bodies = phx_result_bodies(result),
                        .bodies = phx_result_bodies(result) > 0 ? phx_result_body(result, 0) : NULL,
                        .scene = phx_result_scene(result),
                        .source.result = result,
                        .source.n_x = phx_result_n_x(result),
                        .source.rows = phx_result_rows(result)};
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The name of another result on the page: of its path the last part, unless two files share that. */
static const char *other_name(const phx_report_options *options, int k)
{
    const char *path = options->others[k], *name = last_part(path);
    bool shared = options->source && !strcmp(name, options->source);
    for (int i = 0; i < options->n_others; i++)
        shared = shared || (i != k && !strcmp(name, last_part(options->others[i])));
    return shared ? path : name;
}

/* Another result beside the first, compared with it, or another pose; its model text is left out. It has the loads of
 * the first. */
static phx_status open_other(const phx_report *first, int k, report_part *part)
{
    const bool in_memory = first->other != NULL;
    const phx_status status =
        in_memory ? PHX_OK : phx_result_read(first->context, first->options->others[k], &part->result);
    if (status)
        return status;
    part->options =
        (phx_report_options){.source = in_memory ? first->options->other_name : other_name(first->options, k)};
    part->report = in_memory ? *first->other : of_result(first->context, part->result, &part->options);
    part->report.options = &part->options;
    if (first->scene && part->report.scene && first->scene->n_loads == part->report.scene->n_loads) {
        part->options.n_loads = first->options->n_loads;
        part->options.loads = first->options->loads;
    }
    part->report.about.model_text = NULL;
    return first->source.result ? phx_report_measure(&part->report, first->source.result) : PHX_OK;
}

/* Settles how much of a part its share of the page holds, and makes its manifest. */
static phx_status prepare_part(report_part *part, const char *page, int n_parts, size_t start)
{
    phx_report *report = &part->report;
    report->n_parts = n_parts;
    report->stream.start = start;
    phx_status status = phx_output_open_memory(report->context, &part->manifest);
    if (!status)
        status = create_work(report->context, (size_t)report->source.n_x, report->n_bodies, &report->work);
    if (!status)
        status = phx_report_choose_entries(report);
    return status ? status : settle_amount(report, page, &part->manifest);
}

static void free_parts(int n, report_part *parts)
{
    for (int k = 0; k < n; k++) {
        phx_output_close(&parts[k].manifest, false);
        free_work(&parts[k].report.work);
        phx_free(parts[k].report.stream.array);
        phx_free(parts[k].report.shown.entry);
        phx_free(parts[k].report.differences);
        phx_result_destroy(parts[k].result);
    }
    phx_free(parts);
}

/* Reads the page, settles how much it can hold, and writes it to `path`; `size` may be NULL. */
static phx_status report_make(const phx_report *report, const char *path, phx_report_size *size)
{
    static const phx_report_options none = {0};
    const phx_report_options *options = report->options ? report->options : &none;
    const int all = 1 + (report->other ? 1 : options->n_others), n = all < MOST_RESULTS ? all : MOST_RESULTS;
    phx_report_size unread, *written = size ? size : &unread;
    report_part *parts = phx_calloc(report->context, (size_t)n, sizeof *parts);
    const char *page = NULL;

    if (!parts)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n; k++)
        parts[k].manifest.descriptor = -1;
    parts[0].report = *report;
    parts[0].report.options = options;
    parts[0].report.shown.others = n - 1;
    phx_files_begin(report->context);
    phx_status status = find_page(report->context, options, &page);
    if (!status && n > 1 && !report->source.result && !report->other)
        status = phx_fail(report->context, PHX_ERR_INPUT, "only results of simulations are shown beside each other");
    for (int k = 0; k < n && !status; k++) {
        if (k > 0)
            status = open_other(&parts[0].report, k * (all - 1) / (n - 1) - 1, &parts[k]);
        if (!status)
            status = prepare_part(&parts[k], page, n, k > 0 ? parts[k - 1].report.stream.bytes : 0);
        if (!status)
            status = protect(&parts[k].report);
    }
    const report_shown *shown = &parts[0].report.shown;
    *written =
        (phx_report_size){.rows = report->source.rows, .frames = shown->frames, .points = shown->points, .results = n};
    if (!status)
        status = write_page(n, parts, page, path, &written->bytes);
    phx_files_end(report->context);
    free_parts(n, parts);
    return status;
}

/* ---- what is shown ---- */
phx_status phx_report_result(phx_context *context, const phx_result *result, const phx_report_options *options,
                             const char *html_path, phx_report_size *size)
{
    if (!result || !html_path)
        return phx_fail_null(context, __func__, "result or html_path");
    phx_report report = of_result(context, result, options);
    const phx_report other = options && options->other ? of_result(context, options->other, NULL) : report;
    report.other = options && options->other ? &other : NULL;
    return phx_conclude(context, report_make(&report, html_path, size));
}

/* Writes the report page of a table of modes. */
phx_status phx_report_modes(phx_context *context, const phx_modes_table *table, const phx_report_options *options,
                            const char *html_path, phx_report_size *size)
{
    if (!table || !html_path)
        return phx_fail_null(context, __func__, "table or html_path");
    phx_report report = {.context = context,
                         .point = -1,
                         .options = options,
                         .about.kind = "modes",
                         .about.title = table->model_name,
                         .about.program = table->program_version,
                         .about.model_text = table->model_text,
                         .dimension = table->dimension > 0 ? table->dimension : 3,
                         .n_bodies = table->n_bodies,
                         .bodies = table->bodies,
                         .scene = table->scene,
                         .source.modes = table,
                         .source.states = table->states,
                         .source.factors = table->factors,
                         .source.n_x = table->n_x,
                         .source.rows = (size_t)table->n_states};
    return phx_conclude(context, report_make(&report, html_path, size));
}

/* The content of the page of a model in one pose. */
static phx_report of_pose(phx_context *context, const phx_report_pose *pose, const phx_report_options *options)
{
    return (phx_report){.context = context,
                        .point = -1,
                        .options = options,
                        .about.kind = "model",
                        .about.title = pose->title,
                        .about.program = phx_version(),
                        .about.model_text = pose->model_text,
                        .about.reason = pose->reason,
                        .dimension = pose->dimension,
                        .n_bodies = pose->n_bodies,
                        .bodies = pose->bodies,
                        .scene = pose->scene,
                        .source.states = pose->x,
                        .source.factors = pose->factors,
                        .source.n_x = pose->n_x,
                        .source.rows = 1};
}

phx_status phx_report_model(phx_context *context, const phx_report_pose *pose, const phx_report_options *options,
                            const char *html_path, phx_report_size *size)
{
    if (!pose || !html_path)
        return phx_fail_null(context, __func__, "pose or html_path");
    phx_report report = of_pose(context, pose, options);
    const phx_report other = pose->other ? of_pose(context, pose->other, NULL) : report;
    report.other = pose->other ? &other : NULL;
    return phx_conclude(context, report_make(&report, html_path, size));
}

phx_status phx_file_format(phx_context *context, const char *path, char **format)
{
    if (!path || !format)
        return phx_fail_null(context, __func__, "path or format");
    phx_h5 *file = NULL;

    *format = NULL;
    phx_status status = phx_h5_open(context, path, &file);
    if (!status)
        status = phx_h5_get_text(file, "/", "format", format);
    phx_h5_close(file);
    return status;
}
