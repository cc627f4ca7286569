/* Included files of MJCF. */
#include "mjcf.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static phx_status mjcf_include(phx_context *context, phx_robot *robot, phx_xml *element, int k);

phx_status mjcf_expand(phx_context *context, phx_robot *robot, phx_xml *element, int depth)
{
    enum { DEEPEST = 500 };
    phx_status status = PHX_OK;

    if (depth > DEEPEST)
        return phx_fail(context, PHX_ERR_INPUT, "%s:%d: <%s>: elements are nested more than %d times", element->path,
                        element->line, element->name, DEEPEST);
    for (int k = 0; k < element->n_children && !status; k++)
        if (strcmp(element->children[k].name, "include") != 0)
            status = mjcf_expand(context, robot, &element->children[k], depth + 1);
        else if (!(status = mjcf_include(context, robot, element, k)))
            k--; /* the first of the new children */
    return status;
}

/* The real path of an included file, which must lie in the folder of the robot's file. Files that include each other in
 * a circle are found by their number. */
static phx_status mjcf_include_path(phx_context *context, phx_robot *robot, const phx_xml *include, char **path)
{
    enum { SIZE = 4096, MOST = 100 };
    const char *file = robot_attribute(include, "file"), *slash = strrchr(robot->path, '/');
    char joined[SIZE];

    *path = NULL;
    if (!file || snprintf(joined, SIZE, "%.*s/%s", slash ? (int)(slash - robot->path) : 1, slash ? robot->path : ".",
                          file) >= SIZE)
        return phx_fail(context, PHX_ERR_INPUT, "%s:%d: <include>: file is missing or too long", include->path,
                        include->line);
    char *main = phx_files_resolve(context, robot->path), *real = phx_files_resolve(context, joined);
    const char *end = main ? strrchr(main, '/') : NULL;
    const bool inside = file[0] != '/' && end && real && !strncmp(main, real, (size_t)(end - main) + 1);
    int times = main && real && !strcmp(main, real) ? MOST : 0;
    for (int k = 0; k < robot->n_files && real; k++)
        times += !strcmp(robot->files[k], real);
    phx_free(main);
    if (real && inside && times < MOST && access(real, R_OK) == 0) {
        *path = real;
        return PHX_OK;
    }
    phx_free(real);
    return phx_fail(context, PHX_ERR_INPUT, "%s:%d: <include>: the file %s %s", include->path, include->line,
                    phx_shown_text(file).text,
                    !inside         ? "is not in the folder of the robot's file; copy it there"
                    : times >= MOST ? "includes itself, or is included 100 times"
                                    : "cannot be read");
}

/* The children of the file of child k, with its own <include> elements, in the place of that child. */
static phx_status mjcf_include(phx_context *context, phx_robot *robot, phx_xml *element, int k)
{
    char *path = NULL, **files;
    phx_xml root = {0}, *children;
    phx_status status = mjcf_include_path(context, robot, &element->children[k], &path);

    if (status)
        return status;
    files = phx_realloc(context, robot->files, (size_t)robot->n_files + 1, sizeof *files);
    if (!files) {
        phx_free(path);
        return PHX_ERR_MEMORY;
    }
    robot->files = files;
    robot->files[robot->n_files++] = path;
    status = phx_xml_read(context, path, &root);
    if (status)
        return status;
    const int more = root.n_children, n = element->n_children;
    if (strcmp(root.name, "mujoco") != 0 && strcmp(root.name, "mujocoinclude") != 0)
        status = phx_fail(context, PHX_ERR_INPUT, "%s:%d: expected <mujoco> or <mujocoinclude>, found <%s>", path,
                          root.line, root.name);
    children = status ? NULL : phx_calloc(context, (size_t)(n + more), sizeof *children);
    if (children) {
        memcpy(children, element->children, (size_t)k * sizeof *children);
        if (more)
            memcpy(children + k, root.children, (size_t)more * sizeof *children);
        memcpy(children + k + more, element->children + k + 1, (size_t)(n - k - 1) * sizeof *children);
        phx_xml_free(&element->children[k]);
        phx_free(element->children);
        element->children = children;
        element->n_children = n + more - 1;
        root.n_children = 0;
    } else if (!status) {
        status = PHX_ERR_MEMORY;
    }
    phx_xml_free(&root);
    return status;
}
