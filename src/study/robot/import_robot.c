/* A robot's file becomes a model file. */
#include "file/file.h"
#include "robot.h"
#include "study/import_report.h"

#include <string.h>

phx_robot_options phx_robot_options_default(void)
{
    return (phx_robot_options){0};
}

/* Reads URDF or MJCF, which differ in their root element. */
static phx_status read_robot(phx_context *context, const phx_robot_options *options, phx_robot *robot)
{
    phx_xml root;
    phx_status status = phx_xml_read(context, options->path, &root);

    *robot = (phx_robot){.path = options->path, .gravity = {0.0, 0.0, -9.81}};
    if (status)
        return status;
    status = !strcmp(root.name, "mujoco") ? robot_read_mjcf(context, options, &root, robot)
                                          : robot_read_urdf(context, options, &root, robot);
    if (!status)
        status = robot_assemble(context, options, robot);
    phx_xml_free(&root);
    return status;
}

phx_status phx_study_import_robot(phx_context *context, const phx_robot_options *options, FILE *stream)
{
    phx_robot robot = {0};

    if (!options || !options->path || !stream)
        return phx_fail_null(context, __func__, "options, options->path or stream");
    phx_status status = read_robot(context, options, &robot);
    if (!status)
        status = robot_write(context, options, &robot, NULL, stream);
    robot_free(&robot);
    return phx_conclude(context, status);
}

typedef struct robot_saving {
    robot_writer *write;
    const void *data;
    const char *folder;
} robot_saving;

static phx_status save_robot(phx_context *context, const void *data, FILE *stream)
{
    const robot_saving *saving = data;

    return saving->write(context, saving->data, saving->folder, stream);
}

phx_status robot_save(phx_context *context, const char *path, robot_writer *write, const void *data)
{
    char *folder = NULL;
    phx_status status = import_text_folder(context, path, &folder);

    if (!status) {
        const robot_saving saving = {write, data, folder};
        status = phx_file_replace_stream(context, path, save_robot, &saving);
    }
    phx_free(folder);
    return status;
}

/* An imported robot and how it becomes a model. */
typedef struct robot_import {
    const phx_robot_options *options;
    const phx_robot *robot;
} robot_import;

static phx_status import_write(phx_context *context, const void *data, const char *folder, FILE *stream)
{
    const robot_import *import = data;

    return robot_write(context, import->options, import->robot, folder, stream);
}

/* The model file does not take the place of the robot's. */
static phx_status keep_source(phx_context *context, const char *source, const char *path)
{
    char *from = phx_files_resolve(context, source), *to = phx_files_resolve(context, path);
    phx_status status = from && to ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && !strcmp(from, to))
        status = phx_fail(context, PHX_ERR_INPUT,
                          "%s: the model file would take the place of the robot's; name another", path);
    phx_free(from);
    phx_free(to);
    return status;
}

phx_status phx_study_save_robot(phx_context *context, const phx_robot_options *options, const char *path)
{
    phx_robot robot = {0};
    const robot_import import = {options, &robot};

    if (!options || !options->path || !path)
        return phx_fail_null(context, __func__, "options, options->path or path");
    phx_status status = keep_source(context, options->path, path);
    if (!status)
        status = read_robot(context, options, &robot);
    if (!status)
        status = robot_save(context, path, import_write, &import);
    robot_free(&robot);
    return phx_conclude(context, status);
}
