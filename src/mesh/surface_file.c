/* Surfaces from files of graphics programs: Assimp reads them in a separate process, which sends the triangles through
 * a pipe. Assimp knows forty formats and was not written for files that somebody made to break it. */
#define _DEFAULT_SOURCE
#include "mesh.h"

#include <errno.h>
#include <loaded/assimp.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_BYTES = 512 << 20, /* of a file */
    MOST_READ = 4000000,    /* triangles of a file */
    LEAST_SECONDS = 10,     /* of a processor that are allowed, and one more for each */
    BYTES_A_SECOND = 8 << 20,
    MESSAGE = 200 /* bytes of a reason */
};
static const rlim_t MOST_MEMORY = (rlim_t)4 << 30; /* bytes, in addition to those of the program */

/* What comes first through the pipe; the coordinates and the triangles follow when there is no reason. */
typedef struct surface_header {
    int n_points, n_triangles;
    char reason[MESSAGE];
} surface_header;

/* ---- in the process that reads ---- */
static void count_triangles(const struct aiScene *scene, surface_header *header)
{
    double points = 0.0, triangles = 0.0;

    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        points += scene->mMeshes[m]->mNumVertices;
        triangles += scene->mMeshes[m]->mNumFaces;
    }
    if (triangles > MOST_READ || points > 3.0 * MOST_READ)
        snprintf(header->reason, MESSAGE, "it has %.0f triangles, more than %d; simplify it in the program it is from",
                 triangles, MOST_READ);
    header->n_points = (int)points;
    header->n_triangles = (int)triangles;
}

/* Coordinates of all meshes, then triangles with their points counted through all meshes. */
static void send_triangles(FILE *to, const struct aiScene *scene)
{
    int before = 0;

    for (unsigned m = 0; m < scene->mNumMeshes; m++)
        for (unsigned v = 0; v < scene->mMeshes[m]->mNumVertices; v++) {
            const struct aiVector3D *at = &scene->mMeshes[m]->mVertices[v];
            const double x[3] = {at->x, at->y, at->z};
            fwrite(x, sizeof x, 1, to);
        }
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh *mesh = scene->mMeshes[m];
        for (unsigned f = 0; f < mesh->mNumFaces; f++) {
            int triangle[3] = {-1, -1, -1}; /* lines and points are skipped */
            for (unsigned k = 0; k < 3 && mesh->mFaces[f].mNumIndices == 3; k++)
                triangle[k] = before + (int)mesh->mFaces[f].mIndices[k];
            fwrite(triangle, sizeof triangle, 1, to);
        }
        before += (int)mesh->mNumVertices;
    }
}

/* Bounds time, by the size of the file, and memory; leaves no core behind. */
static void limit_resources(off_t bytes)
{
    const rlim_t seconds = LEAST_SECONDS + (rlim_t)(bytes / BYTES_A_SECOND);
    const struct rlimit time = {seconds, seconds}, none = {0, 0};
    unsigned long pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");

    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &none);
    if (sizes && fscanf(sizes, "%lu", &pages) == 1) {
        const rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + MOST_MEMORY;
        setrlimit(RLIMIT_AS, &(struct rlimit){most, most});
    }
}

/* Reads the file and sends its triangles; never returns. */
static void read_and_send(FILE *to, const char *path, off_t bytes)
{
    surface_header header = {0};

    if (!to)
        _exit(1);
    signal(SIGPIPE, SIG_DFL);
    limit_resources(bytes);
    const struct aiScene *scene = aiImportFile(path, aiProcess_Triangulate | aiProcess_PreTransformVertices |
                                                         aiProcess_JoinIdenticalVertices | aiProcess_SortByPType);
    if (!scene)
        snprintf(header.reason, MESSAGE, "%s", aiGetErrorString());
    else
        count_triangles(scene, &header);
    fwrite(&header, sizeof header, 1, to);
    if (!header.reason[0])
        send_triangles(to, scene);
    _exit(fclose(to) ? 1 : 0);
}

/* ---- in this process ---- */
static bool receive_bytes(int from, void *bytes, size_t count)
{
    char *at = bytes;

    while (count > 0) {
        const ssize_t got = read(from, at, count);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        count -= (size_t)got;
    }
    return true;
}

/* Keeps the triangles that are some, scaled; PHX_ERR_FILE when a number is not finite or nothing is left. */
static phx_status surface_clean(phx_context *context, const char *path, double scale, phx_surface *surface)
{
    int kept = 0;

    for (int i = 0; i < 3 * surface->n_points; i++) {
        surface->x[i] *= scale;
        if (!isfinite(surface->x[i]))
            return phx_fail(context, PHX_ERR_FILE, "%s: a coordinate of a point is not finite", path);
    }
    for (int t = 0; t < surface->n_triangles; t++) {
        const int *corner = surface->triangle + 3 * t;
        bool known = true;
        for (int k = 0; k < 3; k++)
            known = known && corner[k] >= 0 && corner[k] < surface->n_points;
        if (!known || corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
            continue;
        memmove(surface->triangle + 3 * kept++, corner, 3 * sizeof *corner);
    }
    surface->n_triangles = kept;
    if (kept == 0)
        return phx_fail(context, PHX_ERR_FILE, "%s: there are no triangles in it", path);
    return PHX_OK;
}

/* What the other process sends. */
static phx_status receive_surface(phx_context *context, int from, const char *path, phx_surface *surface)
{
    surface_header header;

    if (!receive_bytes(from, &header, sizeof header))
        return phx_fail(context, PHX_ERR_FILE, "%s: Assimp cannot read it: the file is damaged, or asks too much",
                        path);
    header.reason[MESSAGE - 1] = '\0';
    if (header.reason[0])
        return phx_fail(context, PHX_ERR_FILE, "%s: %s", path, header.reason);
    if (header.n_points < 0 || header.n_points > 3 * MOST_READ || header.n_triangles < 0 ||
        header.n_triangles > MOST_READ)
        return phx_fail(context, PHX_ERR_FILE, "%s: Assimp sends %d points and %d triangles; the file is damaged", path,
                        header.n_points, header.n_triangles);
    surface->n_points = header.n_points;
    surface->n_triangles = header.n_triangles;
    surface->x = phx_calloc(context, 3 * (size_t)header.n_points + 1, sizeof *surface->x);
    surface->triangle = phx_calloc(context, 3 * (size_t)header.n_triangles + 1, sizeof *surface->triangle);
    if (!surface->x || !surface->triangle)
        return PHX_ERR_MEMORY;
    if (!receive_bytes(from, surface->x, 3 * (size_t)header.n_points * sizeof *surface->x) ||
        !receive_bytes(from, surface->triangle, 3 * (size_t)header.n_triangles * sizeof *surface->triangle))
        return phx_fail(context, PHX_ERR_FILE, "%s: its triangles could not be read to the end", path);
    return PHX_OK;
}

/* Starts the reading process, receives the triangles, and waits for the process to end. */
phx_status phx_surface_read_all(phx_context *context, const char *path, double scale, phx_surface *surface)
{
    struct stat about;
    int ends[2];

    *surface = (phx_surface){0};
    if (stat(path, &about))
        return phx_fail(context, PHX_ERR_FILE, "%s: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode) || about.st_size > MOST_BYTES)
        return phx_fail(context, PHX_ERR_FILE, "%s: %s", path,
                        S_ISREG(about.st_mode) ? "larger than 512 MB" : "not a file");
    phx_status status = phx_load_assimp(context);
    if (status)
        return status;
    if (pipe(ends))
        return phx_fail(context, PHX_ERR_FILE, "%s: no pipe to read it through: %s", path, strerror(errno));
    const pid_t reader = fork();
    if (reader == 0) {
        close(ends[0]);
        read_and_send(fdopen(ends[1], "wb"), path, about.st_size);
    }
    close(ends[1]);
    if (reader < 0)
        status = phx_fail(context, PHX_ERR_FILE, "%s: no process to read it in: %s", path, strerror(errno));
    if (!status)
        status = receive_surface(context, ends[0], path, surface);
    close(ends[0]);
    while (reader > 0 && waitpid(reader, NULL, 0) < 0 && errno == EINTR)
        ;
    if (!status)
        status = surface_clean(context, path, scale, surface);
    if (status)
        phx_surface_free(surface);
    return status;
}

phx_status phx_surface_read(phx_context *context, const char *path, double scale, phx_surface *surface)
{
    phx_status status = phx_surface_read_all(context, path, scale, surface);

    if (!status)
        status = phx_surface_simplify(context, PHX_SURFACE_MOST_TRIANGLES, surface);
    if (status)
        phx_surface_free(surface);
    return status;
}
