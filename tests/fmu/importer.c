#define _POSIX_C_SOURCE 200809L
#include "fmu/importer.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

static void make_folders(char *path)
{
    for (char *c = path + 1; *c; c++)
        if (*c == '/') {
            *c = '\0';
            mkdir(path, 0777);
            *c = '/';
        }
}

static char *unpack_one(zip_t *archive, zip_uint64_t index, const char *folder)
{
    zip_stat_t stat;
    char path[1024];
    zip_stat_init(&stat);
    assert_int_equal(zip_stat_index(archive, index, 0, &stat), 0);
    char *bytes = calloc(stat.size + 1, 1);
    zip_file_t *from = zip_fopen_index(archive, index, 0);
    assert_non_null(from);
    assert_int_equal(zip_fread(from, bytes, stat.size), stat.size);
    zip_fclose(from);
    snprintf(path, sizeof path, "%s/%s", folder, stat.name);
    make_folders(path);
    FILE *to = fopen(path, "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(bytes, 1, stat.size, to), stat.size);
    fclose(to);
    if (!strcmp(stat.name, "modelDescription.xml"))
        return bytes;
    free(bytes);
    return NULL;
}

void importer_open(importer *it, const char *path, const char *platform)
{
    int error = 0;
    char library[1024], here[256];
    *it = (importer){0};
    assert_non_null(getcwd(here, sizeof here));
    const char *slash = strrchr(path, '/'); /* of its own, with a blank for the URI */
    snprintf(it->folder, sizeof it->folder, "%s/%s of %d", here, slash ? slash + 1 : path, (int)getpid());
    zip_t *archive = zip_open(path, ZIP_RDONLY, &error);
    assert_non_null(archive);
    for (zip_uint64_t k = 0; k < (zip_uint64_t)zip_get_num_entries(archive, 0); k++) {
        char *description = unpack_one(archive, k, it->folder);
        it->description = description ? description : it->description;
    }
    zip_close(archive);
    assert_non_null(it->description);
    assert_true(importer_attribute(it, "<CoSimulation", "modelIdentifier", sizeof it->identifier, it->identifier) ||
                importer_attribute(it, "<ModelExchange", "modelIdentifier", sizeof it->identifier, it->identifier));
    assert_true(importer_attribute(it, "<fmiModelDescription", "guid", sizeof it->token, it->token) ||
                importer_attribute(it, "<fmiModelDescription", "instantiationToken", sizeof it->token, it->token));
    snprintf(it->resources, sizeof it->resources, "%s/resources/", it->folder);
    int n = snprintf(it->uri, sizeof it->uri, "file://");
    for (const char *c = it->resources; *c; c++)
        n += snprintf(it->uri + n, sizeof it->uri - (size_t)n, *c == ' ' ? "%%20" : "%c", *c);
    it->uri[strlen(it->uri) - 1] = '\0'; /* without the last '/' */
    snprintf(library, sizeof library, "%s/binaries/%s/%s.so", it->folder, platform, it->identifier);
    it->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!it->library)
        fail_msg("%s", dlerror());
#define LOOK_UP(result, name, arguments)                                                                               \
    *(void **)&it->name = dlsym(it->library, #name);                                                                   \
    assert_non_null(it->name);
    FMI2_COMMON(LOOK_UP)
    FMI2_MODEL_EXCHANGE(LOOK_UP)
    FMI2_CO_SIMULATION(LOOK_UP)
    FMI3_FUNCTIONS(LOOK_UP)
}

void importer_close(importer *it)
{
    char command[700];
    dlclose(it->library);
    free(it->description);
    snprintf(command, sizeof command, "rm -r '%s'", it->folder);
    assert_int_equal(system(command), 0);
}

bool importer_attribute(const importer *it, const char *mark, const char *name, size_t size, char *value)
{
    char text[100];
    const char *element = strstr(it->description, mark), *end = element ? strchr(element, '>') : NULL;
    snprintf(text, sizeof text, " %s=\"", name);
    while (element && element > it->description && *element != '<')
        element--;
    const char *at = element ? strstr(element, text) : NULL;
    if (!at || at > end)
        return false;
    at += strlen(text);
    snprintf(value, size, "%.*s", (int)strcspn(at, "\""), at);
    return true;
}

unsigned importer_variable(const importer *it, const char *name)
{
    char mark[400], value[40];
    snprintf(mark, sizeof mark, "name=\"%s\" valueReference", name);
    if (!importer_attribute(it, mark, "valueReference", sizeof value, value))
        fail_msg("there is no variable '%s'", name);
    return (unsigned)atoi(value);
}

static void keep(importer *it, const char *category, const char *message)
{
    const size_t length = strlen(it->log);
    snprintf(it->log + length, sizeof it->log - length, "[%s] %s\n", category, message);
}

static void take2(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                  fmi2String format, ...)
{
    char message[1000];
    va_list arguments;
    (void)name, (void)status;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    keep(environment, category, message);
}

static void take3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message)
{
    (void)status;
    keep(environment, category, message);
}

fmi2Component importer_make2(importer *it, const char *name)
{
    const fmi2CallbackFunctions functions = {.logger = take2, .componentEnvironment = it};
    return it->fmi2Instantiate(name, fmi2CoSimulation, it->token, it->uri, &functions, 0, 1);
}

fmi3Instance importer_make3(importer *it, const char *name)
{
    return it->fmi3InstantiateCoSimulation(name, it->token, it->resources, false, true, false, false, NULL, 0, it,
                                           take3, NULL);
}

fmi2Component importer_exchange2(importer *it, const char *name)
{
    const fmi2CallbackFunctions functions = {.logger = take2, .componentEnvironment = it};
    return it->fmi2Instantiate(name, fmi2ModelExchange, it->token, it->uri, &functions, 0, 1);
}

fmi3Instance importer_exchange3(importer *it, const char *name)
{
    return it->fmi3InstantiateModelExchange(name, it->token, it->resources, false, true, it, take3);
}

fmi2Component importer_start2(importer *it, const char *name)
{
    fmi2Component c = importer_make2(it, name);
    if (!c)
        fail_msg("%s", it->log);
    assert_int_equal(it->fmi2SetupExperiment(c, 0, 0.0, 0.0, 0, 0.0), fmi2OK);
    assert_int_equal(it->fmi2EnterInitializationMode(c), fmi2OK);
    assert_int_equal(it->fmi2ExitInitializationMode(c), fmi2OK);
    return c;
}

fmi3Instance importer_start3(importer *it, const char *name)
{
    fmi3Instance c = importer_make3(it, name);
    if (!c)
        fail_msg("%s", it->log);
    assert_int_equal(it->fmi3EnterInitializationMode(c, false, 0.0, 0.0, false, 0.0), fmi3OK);
    assert_int_equal(it->fmi3ExitInitializationMode(c), fmi3OK);
    return c;
}
