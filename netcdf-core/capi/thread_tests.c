/* Tests with threads, for ThreadSanitizer: .ci/races runs each test.
 *
 *   thread_tests FOLDER TEST...
 *   thread_tests --list
 *
 * FOLDER has the files of .ci/capithreads.py. Each test runs its function in THREADS threads until TURNS are done. */
#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <netcdf_mem.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, TURNS = 6, SIDE = 256, ALL = SIDE * SIDE, VARIABLES = 4 };

static char deflated[512], other[512], classic[512], types[512], grown[512], groups[512];
static int one = -1, two = -1; /* open datasets */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define CHECK(call) check(call, #call)

static int check(int status, const char *call) {
    if (status) {
        fprintf(stderr, "%s: %s\n", call, nc_strerror(status));
        _exit(1);
    }
    return status;
}

static void want(int good, const char *what) {
    if (!good) {
        fprintf(stderr, "wrong: %s\n", what);
        _exit(1);
    }
}

static int opened(const char *path) {
    int ncid;
    CHECK(nc_open(path, NC_NOWRITE, &ncid));
    return ncid;
}

/* Reads a variable of `deflated`, `other` or `classic`: element n of variable v is n + v. */
static void read_all(int ncid, int var) {
    float *values = malloc(ALL * sizeof *values);
    CHECK(nc_get_var_float(ncid, var, values));
    for (int n = 0; n < ALL; n++)
        want(values[n] == (float)(n + var), "values");
    free(values);
}

static void same_variable(int thread) { (void)thread; read_all(one, 0); }
static void different_variables(int thread) { read_all(one, thread % VARIABLES); }
static void different_datasets(int thread) { read_all(thread % 2 ? one : two, thread % VARIABLES); }

static void open_read_close(int thread) {
    int ncid = opened(deflated);
    read_all(ncid, thread % VARIABLES);
    CHECK(nc_close(ncid));
}

static void opened_twice(int thread) {
    int first = opened(deflated), second = opened(deflated);
    want(first != second, "ids");
    read_all(first, thread % VARIABLES);
    CHECK(nc_close(first));
    read_all(second, thread % VARIABLES);
    CHECK(nc_close(second));
}

/* One thread closes the dataset and opens it again. Other threads find it open or closed. */
static void close_while_reading(int thread) {
    float *values = malloc(ALL * sizeof *values);
    pthread_mutex_lock(&lock);
    int ncid = one;
    pthread_mutex_unlock(&lock);
    if (thread == 0) {
        CHECK(nc_close(ncid));
        ncid = opened(deflated);
        pthread_mutex_lock(&lock);
        one = ncid;
        pthread_mutex_unlock(&lock);
    } else {
        int status = nc_get_var_float(ncid, thread % VARIABLES, values);
        want(status == 0 || status == NC_EBADID, "status of a closed dataset");
        want(status || values[ALL - 1] == (float)(ALL - 1 + thread % VARIABLES), "values");
    }
    free(values);
}

static void sync_while_reading(int thread) {
    thread == 0 ? CHECK(nc_sync(one)) : read_all(one, thread % VARIABLES);
}

/* One thread changes the time of the file, so that nc_sync opens it again. */
static void sync_after_change(int thread) {
    int ncid = opened(grown);
    if (thread == 0)
        want(utimensat(AT_FDCWD, grown, NULL, 0) == 0, "time of a file");
    CHECK(nc_sync(one));
    read_all(one, thread % VARIABLES);
    CHECK(nc_sync(ncid));
    CHECK(nc_close(ncid));
}

static void inquire_while_reading(int thread) {
    int n, dims[NC_MAX_VAR_DIMS], type;
    size_t len;
    char name[NC_MAX_NAME + 1];
    if (thread == 0) {
        read_all(one, 0);
        return;
    }
    CHECK(nc_inq(one, &n, &n, NULL, NULL));
    CHECK(nc_inq_var(one, thread % VARIABLES, name, &type, &n, dims, NULL));
    CHECK(nc_inq_dimlen(one, dims[0], &len));
    CHECK(nc_inq_varid(one, name, &n));
    want(n == thread % VARIABLES && len == SIDE, "inquiry");
}

static void single_elements(int thread) {
    for (size_t n = 0; n < 300; n++) {
        size_t index[2] = {n % SIDE, (n * 7 + (size_t)thread) % SIDE};
        double value;
        CHECK(nc_get_var1_double(one, thread % 2, index, &value));
        want(value == (double)(index[0] * SIDE + index[1] + (size_t)(thread % 2)), "element");
    }
}

static void strides_and_maps(int thread) {
    size_t start[2] = {(size_t)thread, 1}, count[2] = {60, 50};
    ptrdiff_t stride[2] = {4, 5}, map[2] = {1, 60};
    float *values = malloc(3000 * sizeof *values);
    CHECK(nc_get_varm_float(one, 1, start, count, stride, map, values));
    want(values[1] == (float)((thread + 4) * SIDE + 1 + 1), "mapped values");
    CHECK(nc_get_vars_float(one, 1, start, count, stride, values));
    want(values[1] == (float)(thread * SIDE + 6 + 1), "strided values");
    free(values);
}

static void classic_file(int thread) { read_all(two, thread % VARIABLES); }

static void read_strings(int thread) {
    char *texts[64];
    int var;
    (void)thread;
    CHECK(nc_inq_varid(one, "text", &var));
    CHECK(nc_get_var_string(one, var, texts));
    want(strcmp(texts[63], "text 63") == 0, "text");
    CHECK(nc_free_string(64, texts));
}

static void read_lists(int thread) {
    nc_vlen_t lists[16];
    int var, type;
    (void)thread;
    CHECK(nc_inq_varid(one, "list", &var));
    CHECK(nc_inq_vartype(one, var, &type));
    CHECK(nc_get_var(one, var, lists));
    want(lists[9].len == 9 && ((int *)lists[9].p)[8] == 8, "list");
    CHECK(nc_reclaim_data(one, type, lists, 16));
}

static void read_compounds(int thread) {
    struct { int a; double b; } values[32];
    int var, type, members;
    size_t size;
    CHECK(nc_inq_varid(one, "pair", &var));
    CHECK(nc_inq_vartype(one, var, &type));
    CHECK(nc_inq_user_type(one, type, NULL, &size, NULL, NULL, &members));
    want(size == sizeof *values, "size of a compound");
    CHECK(nc_get_var(one, var, values));
    want(values[thread].a == thread && values[thread].b == thread / 2.0, "compound");
}

static void attributes(int thread) {
    double values[3];
    size_t len;
    char text[64] = "";
    (void)thread;
    CHECK(nc_inq_attlen(one, NC_GLOBAL, "title", &len));
    CHECK(nc_get_att_text(one, NC_GLOBAL, "title", text));
    want(strcmp(text, "types") == 0 && len == 5, "text attribute");
    CHECK(nc_get_att_double(one, NC_GLOBAL, "numbers", values));
    want(values[2] == 3, "attribute");
}

static void open_memory(int thread) {
    struct stat state;
    int ncid, file = open(deflated, O_RDONLY);
    want(file >= 0 && fstat(file, &state) == 0, "file");
    void *memory = malloc((size_t)state.st_size);
    want(read(file, memory, (size_t)state.st_size) == state.st_size, "file");
    close(file);
    CHECK(nc_open_mem("m", NC_NOWRITE, (size_t)state.st_size, memory, &ncid));
    free(memory);
    read_all(ncid, thread % VARIABLES);
    CHECK(nc_close(ncid));
}

/* The first search for a name builds an index of all names. */
static void names_of_groups(int thread) {
    int ncid = opened(groups), group, var, count;
    char path[64], name[NC_MAX_NAME + 1];
    pthread_mutex_lock(&lock);
    if (one < 0)
        one = opened(groups);
    pthread_mutex_unlock(&lock);
    snprintf(path, sizeof path, "/group%d", thread);
    int ids[] = {ncid, one};
    for (int k = 0; k < 2; k++) {
        CHECK(nc_inq_grp_full_ncid(ids[k], path, &group));
        CHECK(nc_inq_varid(group, "v17", &var));
        CHECK(nc_inq_varname(group, var, name));
        want(strcmp(name, "v17") == 0, "name");
        CHECK(nc_inq_grps(ids[k], &count, NULL));
        want(count == THREADS, "groups");
    }
    CHECK(nc_close(ncid));
}

static void errors(int thread) {
    int ncid;
    float value;
    size_t beyond[2] = {SIDE + (size_t)thread, 0};
    want(nc_open("/nothing/there.nc", NC_NOWRITE, &ncid) == ENOENT, "missing file");
    want(nc_get_var1_float(one, 0, beyond, &value) == NC_EINVALCOORDS, "coordinates");
    want(nc_get_var1_float(one, 99, beyond, &value) == NC_ENOTVAR, "variable");
    want(nc_put_var_float(one, 0, &value) == NC_EPERM, "write");
    want(strlen(nc_strerror(NC_EPERM)) > 0, "text of an error");
}

static void settings(int thread) {
    size_t size, slots;
    float preemption;
    CHECK(nc_set_chunk_cache(1000 + (size_t)thread, 7, 0.5f));
    CHECK(nc_get_chunk_cache(&size, &slots, &preemption));
    want(size >= 1000 && size < 1000 + THREADS && slots == 7, "settings");
    read_all(one, thread % VARIABLES);
}

static void storage(int thread) {
    size_t chunks[2], count;
    int kind, none, format, mode;
    unsigned ids[8];
    CHECK(nc_inq_var_chunking(one, thread % VARIABLES, &kind, chunks));
    want(kind == NC_CHUNKED && chunks[1] == SIDE, "chunks");
    CHECK(nc_inq_var_filter_ids(one, thread % VARIABLES, &count, ids));
    want(count == 2, "filters");
    CHECK(nc_inq_var_fill(one, 0, &none, NULL));
    CHECK(nc_inq_format_extended(one, &format, &mode));
    read_all(one, thread % VARIABLES);
}

static void fork_while_reading(int thread) {
    if (thread != 0) {
        read_all(one, thread % VARIABLES);
        return;
    }
    int status;
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        int ncid = opened(deflated);
        CHECK(nc_close(ncid));
        _exit(0);
    }
    want(child > 0 && waitpid(child, &status, 0) == child && status == 0, "child");
}

struct test {
    const char *name;
    void (*run)(int);
    const char *first, *second;
};

static const struct test tests[] = {
    {"same_variable", same_variable, deflated, NULL},
    {"different_variables", different_variables, deflated, NULL},
    {"different_datasets", different_datasets, deflated, other},
    {"open_read_close", open_read_close, NULL, NULL},
    {"opened_twice", opened_twice, NULL, NULL},
    {"close_while_reading", close_while_reading, deflated, NULL},
    {"sync_while_reading", sync_while_reading, deflated, NULL},
    {"sync_after_change", sync_after_change, grown, NULL},
    {"inquire_while_reading", inquire_while_reading, deflated, NULL},
    {"single_elements", single_elements, deflated, NULL},
    {"strides_and_maps", strides_and_maps, deflated, NULL},
    {"classic_file", classic_file, deflated, classic},
    {"read_strings", read_strings, types, NULL},
    {"read_lists", read_lists, types, NULL},
    {"read_compounds", read_compounds, types, NULL},
    {"attributes", attributes, types, NULL},
    {"open_memory", open_memory, NULL, NULL},
    {"names_of_groups", names_of_groups, NULL, NULL},
    {"errors", errors, deflated, NULL},
    {"settings", settings, deflated, NULL},
    {"storage", storage, deflated, NULL},
    {"fork_while_reading", fork_while_reading, deflated, NULL},
};
enum { TESTS = sizeof tests / sizeof *tests };

static const struct test *current;
static pthread_barrier_t begin;

static void *turns(void *thread) {
    pthread_barrier_wait(&begin);
    for (int n = 0; n < TURNS; n++)
        current->run((int)(size_t)thread);
    return NULL;
}

static void run(const struct test *test) {
    pthread_t threads[THREADS];
    current = test;
    one = test->first ? opened(test->first) : -1;
    two = test->second ? opened(test->second) : -1;
    pthread_barrier_init(&begin, NULL, THREADS);
    for (size_t k = 0; k < THREADS; k++)
        pthread_create(&threads[k], NULL, turns, (void *)k);
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    pthread_barrier_destroy(&begin);
    if (one >= 0)
        CHECK(nc_close(one));
    if (two >= 0)
        CHECK(nc_close(two));
    printf("%s\n", test->name);
}

int main(int argc, char **argv) {
    struct { char *path; const char *name; } files[] = {
        {deflated, "deflated.nc"}, {other, "other.nc"}, {classic, "classic.nc"},
        {types, "types.nc"}, {grown, "grown.nc"}, {groups, "groups.nc"},
    };
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (int n = 0; n < TESTS; n++)
            printf("%s\n", tests[n].name);
        return 0;
    }
    if (argc < 3)
        return 2;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        snprintf(files[k].path, sizeof deflated, "%s/%s", argv[1], files[k].name);
    for (int k = 2; k < argc; k++)
        for (int n = 0; n < TESTS; n++)
            if (strcmp(tests[n].name, argv[k]) == 0)
                run(&tests[n]);
    return 0;
}
