/* Runs a fuzzer's entry over files instead of libFuzzer: every file named, or every file of a directory named. Ends
 * with failure when there is no file. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Runs one file; returns the number of files run, 0 or 1. */
static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s cannot be read\n", path);
        return 0;
    }
    uint8_t *data = NULL;
    size_t size = 0, got = 0;
    do {
        uint8_t *grown = realloc(data, size + 4096);
        if (!grown)
            break;
        data = grown;
        got = fread(data + size, 1, 4096, file);
        size += got;
    } while (got > 0);
    fclose(file);
    if (data)
        LLVMFuzzerTestOneInput(data, size);
    free(data);
    return data != NULL;
}

static int run_directory(const char *path)
{
    DIR *directory = opendir(path);
    if (!directory)
        return 0;
    int count = 0;
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        struct stat info;
        if (entry->d_name[0] != '.' && stat(name, &info) == 0 && S_ISREG(info.st_mode))
            count += run_file(name);
    }
    closedir(directory);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++) {
        struct stat info;
        const int is_directory = stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode);
        count += is_directory ? run_directory(argv[i]) : run_file(argv[i]);
    }
    printf("%d files run\n", count);
    return count > 0 ? 0 : 1;
}
