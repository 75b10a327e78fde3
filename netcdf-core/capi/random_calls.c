/* Calls functions of netCDF at random from several threads: with null pointers, wrong ids, and in any order. No call may crash.
 *
 *   random_calls SECONDS THREADS SEED FILE...
 *
 * Also forks: the child opens a file and ends. A child that does not end within 60 s, or fails, is an error. */
#include <netcdf.h>
#include <netcdf_filter.h>
#include <netcdf_mem.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 1 << 22, RANK = 32, SHARED = 16, LONG_NAME = 400 };

static char **files;
static unsigned file_count;
static double seconds;
static int shared[SHARED]; /* ids of datasets of all threads */

struct thread {
    unsigned seed;
    int ncid; /* the thread's own dataset, or -1 */
    char *memory, name[512];
    int ids[5000], number;
    size_t size, start[RANK], count[RANK];
    ptrdiff_t stride[RANK], map[RANK];
};

static unsigned any(struct thread *t, unsigned below) {
    t->seed = t->seed * 1664525u + 1013904223u;
    return (t->seed >> 8) % below;
}

static int any_id(struct thread *t) {
    switch (any(t, 8)) {
    case 0: return (int)any(t, 1u << 24) * 128;
    case 1: return -(int)any(t, 5);
    case 2: return t->ncid ^ (int)any(t, 4);
    case 3: return shared[any(t, SHARED)];
    default: return t->ncid;
    }
}

static int any_number(struct thread *t) { return (int)any(t, 14) - 2; }

static const char *any_name(struct thread *t) {
    static const char *names[] = {"x", "t", "time", "", "/", "/g/x", "units", "_FillValue", "none", "_NCProperties", "point", "\xff"};
    unsigned n = any(t, sizeof names / sizeof *names + 2);
    if (n < sizeof names / sizeof *names)
        return names[n];
    if (n % 2)
        return NULL;
    memset(t->name, 'y', LONG_NAME);
    t->name[LONG_NAME] = 0;
    return t->name;
}

static void any_region(struct thread *t) {
    for (int k = 0; k < RANK; k++) {
        t->start[k] = any(t, 20) ? any(t, 3) : (size_t)-1 - any(t, 3);
        t->count[k] = any(t, 30) ? any(t, 4) : (size_t)1 << 60;
        t->stride[k] = (ptrdiff_t)any(t, 4) - !any(t, 9);
        t->map[k] = (ptrdiff_t)any(t, 5);
    }
}

/* Sets a region of about the variable's shape. Returns the number of its elements, or 0 if they do not fit in memory. */
static size_t near_region(struct thread *t, int ncid, int var) {
    int rank, dims[NC_MAX_VAR_DIMS];
    size_t elements = 1, len;
    if (nc_inq_varndims(ncid, var, &rank) || rank > 8 || nc_inq_vardimid(ncid, var, dims))
        return 0;
    for (int k = 0; k < rank; k++) {
        if (nc_inq_dimlen(ncid, dims[k], &len))
            return 0;
        t->start[k] = len ? any(t, (unsigned)len) : 0;
        t->count[k] = any(t, (unsigned)(len - t->start[k]) + 2);
        elements *= t->count[k];
    }
    return elements * 8 > BYTES ? 0 : elements;
}

static void open_file(struct thread *t) {
    int ncid;
    if (nc_open(files[any(t, file_count)], NC_NOWRITE, &ncid))
        return;
    if (t->ncid >= 0)
        nc_close(t->ncid);
    t->ncid = shared[any(t, SHARED)] = ncid;
}

static void open_memory(struct thread *t) {
    int ncid;
    FILE *file = fopen(files[any(t, file_count)], "rb");
    if (!file)
        return;
    size_t len = fread(t->memory, 1, BYTES, file);
    fclose(file);
    if (!nc_open_mem("m", NC_NOWRITE, any(t, 4) ? len : len / 2, t->memory, &ncid))
        nc_close(ncid);
}

static void open_in_child(struct thread *t) {
    int ncid, status;
    const char *path = files[any(t, file_count)];
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        if (!nc_open(path, NC_NOWRITE, &ncid))
            nc_close(ncid);
        _exit(0);
    }
    if (child > 0 && waitpid(child, &status, 0) == child && status != 0) {
        fprintf(stderr, "a child ended with status %d\n", status);
        abort();
    }
}

/* Reads a whole variable in its type, and frees its strings and lists. */
static void read_any_type(struct thread *t, int ncid, int var) {
    int rank, type, dims[NC_MAX_VAR_DIMS];
    size_t elements = 1, len, size;
    if (nc_inq_var(ncid, var, NULL, &type, &rank, dims, NULL) || nc_inq_type(ncid, type, NULL, &size))
        return;
    for (int k = 0; k < rank; k++) {
        if (nc_inq_dimlen(ncid, dims[k], &len))
            return;
        elements *= len;
    }
    if (elements == 0 || elements * size > BYTES)
        return;
    memset(t->memory, 0, elements * size);
    if (!nc_get_var(ncid, var, t->memory))
        nc_reclaim_data(ncid, type, t->memory, elements);
}

static void inquire(struct thread *t, int ncid, int var, int type) {
    int *n = &t->number;
    size_t *size = any(t, 2) ? &t->size : NULL;
    unsigned params[64];
    switch (any(t, 20)) {
    case 0: nc_inq(ncid, n, NULL, n, n); break;
    case 1: nc_inq_var(ncid, var, t->name, n, n, t->ids, n); break;
    case 2: nc_inq_dim(ncid, var, t->name, size); break;
    case 3: nc_inq_dimid(ncid, any_name(t), n); break;
    case 4: nc_inq_varid(ncid, any_name(t), n); break;
    case 5: nc_inq_att(ncid, var, any_name(t), n, size); break;
    case 6: nc_inq_attname(ncid, var, any_number(t), t->name); break;
    case 7: nc_inq_type(ncid, type, t->name, size); break;
    case 8: nc_inq_user_type(ncid, type, t->name, size, n, NULL, n); break;
    case 9: nc_inq_compound_field(ncid, type, any_number(t), t->name, size, n, n, t->ids); break;
    case 10: nc_inq_enum_member(ncid, type, any_number(t), t->name, t->memory); break;
    case 11: nc_inq_grps(ncid, n, t->ids); break;
    case 12: nc_inq_grp_full_ncid(ncid, any_name(t), n); break;
    case 13: nc_inq_var_chunking(ncid, var, n, t->start); break;
    case 14: nc_inq_var_filter_ids(ncid, var, size, params); break;
    case 15: nc_inq_var_filter_info(ncid, var, (unsigned)any_number(t), size, params); break;
    case 16: nc_inq_typeid(ncid, any_name(t), n); break;
    case 17: nc_inq_dimids(ncid, n, t->ids, (int)any(t, 2)); break;
    case 18: nc_inq_unlimdims(ncid, n, t->ids); break;
    default: nc_inq_grpname_full(ncid, size, NULL); nc_inq_format_extended(ncid, n, NULL);
    }
}

static void call(struct thread *t) {
    int ncid = any_id(t), var = any_number(t), type = any(t, 2) ? var : 30 + any_number(t);
    double one;
    any_region(t);
    switch (any(t, 40)) {
    case 0: open_file(t); break;
    case 1: if (!any(t, 8)) nc_close(ncid); break;
    case 2: nc_sync(ncid); break;
    case 3: open_memory(t); break;
    case 4: if (!any(t, 300)) open_in_child(t); break;
    case 5: nc_get_var1_double(ncid, var, any(t, 9) ? t->start : NULL, &one); break;
    case 6: nc_get_vara_double(ncid, var, t->start, any(t, 9) ? t->count : NULL, NULL); break;
    case 7: read_any_type(t, ncid, var); break;
    case 8: nc_put_var_int(ncid, var, t->ids); nc_def_dim(ncid, "q", 3, &t->number); break;
    case 9: nc_open("/none", NC_NOWRITE, &t->number); nc_open(NULL, NC_NOWRITE, &t->number); break;
    case 10: case 11: case 12: case 13: case 14: case 15:
        if (near_region(t, ncid, var)) {
            nc_get_vara_double(ncid, var, t->start, t->count, (double *)t->memory);
            nc_get_vars_int(ncid, var, t->start, t->count, t->stride, (int *)t->memory);
        }
        break;
    default: inquire(t, ncid, var, type);
    }
}

static void *run(void *seed) {
    struct thread *t = calloc(1, sizeof *t);
    t->seed = (unsigned)(size_t)seed;
    t->ncid = -1;
    t->memory = malloc(BYTES);
    time_t end = time(NULL) + (time_t)seconds;
    size_t calls = 0;
    while (time(NULL) < end)
        for (int k = 0; k < 64; k++, calls++)
            call(t);
    if (t->ncid >= 0)
        nc_close(t->ncid);
    free(t->memory);
    free(t);
    return (void *)calls;
}

int main(int argc, char **argv) {
    pthread_t threads[64];
    size_t calls = 0;
    if (argc < 5)
        return 2;
    seconds = atof(argv[1]);
    int count = atoi(argv[2]) % 64;
    files = argv + 4;
    file_count = (unsigned)argc - 4;
    for (int k = 0; k < count; k++)
        pthread_create(&threads[k], NULL, run, (void *)(size_t)(atoi(argv[3]) * 1000 + k));
    for (int k = 0; k < count; k++) {
        void *own;
        pthread_join(threads[k], &own);
        calls += (size_t)own;
    }
    printf("%zu random calls\n", calls);
    return 0;
}
