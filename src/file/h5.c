/* Errors and names, for reading and writing HDF5. */
#include "h5_internal.h"

#include <stdio.h>
#include <string.h>

phx_context *phx_h5_context(const phx_h5 *file)
{
    return file->context;
}

const char *phx_h5_path(const phx_h5 *file)
{
    return file->path;
}

h5_quiet phx_h5_quiet(void)
{
    h5_quiet quiet = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &quiet.print, &quiet.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return quiet;
}

void phx_h5_loud(h5_quiet quiet)
{
    H5Eset_auto2(H5E_DEFAULT, quiet.print, quiet.data);
}

/* The reason of a failure of HDF5: its first message, and whether it ran out of memory. */
typedef struct reason {
    char text[160];
    bool memory;
} reason;

static herr_t look_at(unsigned n, const H5E_error2_t *error, void *data)
{
    reason *why = data;
    if (n == 0 && error->desc)
        snprintf(why->text, sizeof why->text, "%s", error->desc);
    why->memory = why->memory || error->maj_num == H5E_RESOURCE;
    return 0;
}

static reason last_reason(void)
{
    reason why = {"unknown reason", false};
    const bool told = H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look_at, &why) >= 0 && H5Eget_num(H5E_DEFAULT) > 0;
    for (char *c = why.text; *c; c++)
        if (*c == '\n')
            *c = ' ';
    if (!told) { /* it may have had no memory for the message either */
        void *some = phx_calloc(NULL, 1, 1 << 16);
        why.memory = !some;
        phx_free(some);
    }
    return why;
}

phx_status phx_h5_fail(phx_h5 *file, const char *what, const char *part)
{
    const reason why = last_reason();
    if (why.memory) {
        file->status =
            phx_fail(file->context, PHX_ERR_MEMORY, "%s: cannot %s %s: out of memory in HDF5, which says \"%s\"",
                     file->path, what, part, why.text);
        return file->status;
    }
    file->status =
        phx_fail(file->context, PHX_ERR_FILE, "%s: cannot %s %s: HDF5 says \"%s\"; %s", file->path, what, part,
                 why.text, file->writing ? "choose another name" : "the file is damaged or not of Phlexor");
    return file->status;
}

phx_status phx_h5_text_type(phx_h5 *file)
{
    file->text_type = H5Tcopy(H5T_C_S1);
    if (file->text_type < 0 || H5Tset_size(file->text_type, H5T_VARIABLE) < 0 ||
        H5Tset_cset(file->text_type, H5T_CSET_UTF8) < 0)
        return phx_h5_fail(file, "use", "text");
    return PHX_OK;
}

hid_t phx_h5_complex_type(hid_t number)
{
    const size_t size = H5Tget_size(number);
    const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * size);
    if (type >= 0 && (H5Tinsert(type, "r", 0, number) < 0 || H5Tinsert(type, "i", size, number) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

/* Returns the path of a link in a group, in which '/', '%' and a leading '.' of the name are escaped; the caller frees
 * the path. */
char *phx_h5_link(phx_context *context, const char *group, const char *name)
{
    const size_t size = strlen(group) + 3 * strlen(name) + 2;
    char *link = phx_calloc(context, size, 1);
    if (!link)
        return NULL;
    char *out = link + snprintf(link, size, "%s/", group);
    for (const char *c = name; *c; c++) {
        if (*c == '/' || *c == '%' || (*c == '.' && c == name))
            out += snprintf(out, 4, "%%%02X", (unsigned)*c);
        else
            *out++ = *c;
    }
    return link;
}
