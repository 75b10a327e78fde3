/* A codec library for tests: {"id": NAME, "more": N} for the parameter N of filter ID. It is built without the headers of
 * netCDF. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ID
#define ID 40100
#endif
#ifndef FILTER
#define FILTER ID
#endif
#ifndef NAME
#define NAME "more"
#endif
#ifndef VERSION
#define VERSION 1
#endif

struct codec {
    int version, sort;
    const char *name;
    unsigned filter;
    void (*initialize)(void);
    void (*finalize)(void);
    int (*to_params)(const char *, size_t *, unsigned **);
    int (*to_json)(size_t, const unsigned *, char **);
    int (*modify)(int, int, size_t *, unsigned **, size_t *, unsigned **);
};

int nc_inq_var(int, int, char *, int *, int *, int *, int *);
int nc_inq_type(int, int, char *, size_t *);
int nc_inq_dimlen(int, int, size_t *);
int nc_inq_var_chunking(int, int, int *, size_t *);
int nc_inq_var_endian(int, int, int *);

static int ready;
/* Whether a function works, and whether another one was called meanwhile. */
static volatile int inside, wrong;
static void initialize(void) { ready++; }
static void finalize(void) {
    ready--;
    wrong |= inside;
#ifdef TOUCH
    FILE *file = fopen(TOUCH, "w");
    fprintf(file, "%d", ready);
    fclose(file);
#endif
}

static int to_params(const char *json, size_t *count, unsigned **params) {
    const char *more = strstr(json, "\"more\":");
#ifdef SLOW
    wrong |= inside;
    inside = 1;
    usleep(200);
    inside = 0;
    if (ready > 1 || wrong) /* the other codec of the library is not made ready */
        return -137;
#else
    if (ready != 1)
        return -137;
#endif
    if (more == NULL)
        return -137;
    *count = 1;
    *params = malloc(sizeof **params);
    **params = (unsigned)atoi(more + 7);
    return 0;
}

static int to_json(size_t count, const unsigned *params, char **json) {
    char text[100];
#ifdef NONE
    if (count == 0 && params == NULL) {
        *json = strdup("{\"id\": \"" NAME "\"}");
        return 0;
    }
#endif
    if (ready != 1 || count != 1)
        return -137;
    snprintf(text, sizeof text, "{\"id\": \"" NAME "\", \"more\": %u}", params[0]);
    *json = strdup(text);
    return 0;
}

/* Visible parameters grow by one; working ones are all that can be asked. */
static int modify(int set, int var, size_t *shown, unsigned **visible, size_t *count, unsigned **working) {
    int type, rank, dims[8], storage, order;
    size_t size, len, chunk[8];
    char name[257];
    if (*shown == 0) { /* as in netCDF-C, there is no address, either */
        *count = 0;
        *working = NULL;
        return *visible == NULL ? 0 : -1;
    }
    unsigned first = (*visible)[0], *all = malloc(16 * sizeof *all);
    if (nc_inq_var(set, var, name, &type, &rank, dims, NULL) || nc_inq_type(set, type, NULL, &size) ||
        nc_inq_dimlen(set, dims[rank - 1], &len) || nc_inq_var_chunking(set, var, &storage, chunk) ||
        nc_inq_var_endian(set, var, &order))
        return -1;
    free(*visible);
    *visible = malloc(2 * sizeof **visible);
    (*visible)[0] = first;
    (*visible)[1] = 7;
    *shown = 2;
    unsigned known[] = {first, type, rank, size, len, chunk[0], storage, order};
    memcpy(all, known, sizeof known);
    *count = sizeof known / sizeof *known;
    *working = all;
#ifdef SUM
    /* The same for some elements and parameters. */
    all[0] = first + (unsigned)size;
    *count = 1;
#endif
#ifdef SAME
    /* One block for both. */
    free(all);
    *count = 2;
    *working = *visible;
#endif
#ifdef MANY
    /* More than there are. */
    *count = MANY;
#endif
    return 0;
}

static const struct codec codec = {VERSION, 1, NAME, FILTER, initialize, finalize, to_params, to_json, modify};

#ifdef DEFAULTS
static const struct codec zlib = {VERSION, 1, "zlib", 1, NULL, NULL, to_params, to_json, NULL};
static const struct codec *const all[] = {&codec, &zlib, NULL};
#ifndef BYTES
#define BYTES 0
#endif
const void *NCZ_codec_info_defaults(void) { return (const char *)all + BYTES; }
#elif defined SHORT
/* A class of another version that lies at the end of what may be read. */
#include <sys/mman.h>
const void *NCZ_get_codec_info(void) {
    char *pages = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + 4096, 4096, PROT_NONE);
    int *class = (int *)(pages + 4096 - 8);
    class[0] = 3;
    class[1] = 1;
    return class;
}
#else
const void *NCZ_get_codec_info(void) { return &codec; }
#endif
