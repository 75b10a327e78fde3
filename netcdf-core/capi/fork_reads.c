/* Forks while threads read. Each child reads with threads of its own, and must find the values that the parent found first.
 *
 *   fork_reads COUNT THREADS ADDRESS...
 *
 * Each address is open all the time. The parent reads its variables with even numbers, so that only children request the others through
 * this dataset. Children also open each address again. A child that does not end within 60 s is an error. */
#include <netcdf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ADDRESSES = 8, VARIABLES = 16, PATIENCE = 60 };

struct address {
    const char *name;
    int ncid, variables;
    uint64_t expected[VARIABLES];
};

static struct address addresses[ADDRESSES];
static int address_count;
static atomic_int stop;
static atomic_long reads;

static void fail(const char *what, const char *where, int status) {
    fprintf(stderr, "%s: %s of %s: %s\n", stop ? "child" : "parent", what, where, status ? nc_strerror(status) : "wrong values");
    _exit(1);
}

/* Returns a checksum of all values of a variable. */
static uint64_t checksum(const struct address *a, int ncid, int var) {
    int rank, dims[NC_MAX_VAR_DIMS], status;
    size_t elements = 1, len;
    uint64_t sum = 14695981039346656037u;
    if ((status = nc_inq_varndims(ncid, var, &rank)) || (status = nc_inq_vardimid(ncid, var, dims)))
        fail("inquiry", a->name, status);
    for (int k = 0; k < rank; k++) {
        nc_inq_dimlen(ncid, dims[k], &len);
        elements *= len;
    }
    float *values = malloc(elements * sizeof *values);
    if ((status = nc_get_var_float(ncid, var, values)))
        fail("read", a->name, status);
    const unsigned char *bytes = (unsigned char *)values;
    for (size_t n = 0; n < elements * sizeof *values; n++)
        sum = (sum ^ bytes[n]) * 1099511628211u;
    free(values);
    reads++;
    return sum;
}

static void compare(const struct address *a, int ncid, int first, int step) {
    for (int var = first; var < a->variables; var += step)
        if (checksum(a, ncid, var) != a->expected[var])
            fail("read", a->name, 0);
}

static void compare_opened(const struct address *a, int first, int step) {
    int ncid, status;
    if ((status = nc_open(a->name, NC_NOWRITE, &ncid)))
        fail("open", a->name, status);
    compare(a, ncid, first, step);
    if ((status = nc_close(ncid)))
        fail("close", a->name, status);
}

static void *read_in_parent(void *seed) {
    for (unsigned n = (unsigned)(size_t)seed; !stop; n++) {
        const struct address *a = &addresses[n % (unsigned)address_count];
        n % 3 ? compare(a, a->ncid, 0, 2) : compare_opened(a, (int)(n % 2), 2);
    }
    return NULL;
}

static void *read_in_child(void *number) {
    for (int k = 0; k < address_count; k++) {
        const struct address *a = &addresses[(k + (int)(size_t)number) % address_count];
        compare(a, a->ncid, 1, 2);
        compare_opened(a, (int)(size_t)number % 2, 2);
    }
    return NULL;
}

static void run_child(void) {
    pthread_t threads[2];
    alarm(PATIENCE);
    stop = 1;
    for (size_t k = 0; k < 2; k++)
        if (pthread_create(&threads[k], NULL, read_in_child, (void *)k))
            _exit(2);
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], NULL);
    _exit(0);
}

static void prepare(const char *name) {
    struct address *a = &addresses[address_count++];
    int ncid, status;
    a->name = name;
    if ((status = nc_open(name, NC_NOWRITE, &a->ncid)) || (status = nc_open(name, NC_NOWRITE, &ncid)))
        fail("open", name, status);
    nc_inq_nvars(ncid, &a->variables);
    if (a->variables > VARIABLES)
        a->variables = VARIABLES;
    for (int var = 0; var < a->variables; var++)
        a->expected[var] = checksum(a, ncid, var);
    nc_close(ncid);
}

int main(int argc, char **argv) {
    pthread_t threads[64];
    if (argc < 4 || argc > 3 + ADDRESSES)
        return 2;
    int forks = atoi(argv[1]), count = atoi(argv[2]) % 64, status;
    for (int k = 3; k < argc; k++)
        prepare(argv[k]);
    for (int k = 0; k < count; k++)
        pthread_create(&threads[k], NULL, read_in_parent, (void *)(size_t)k);
    time_t slowest = 0;
    for (int k = 0; k < forks; k++) {
        time_t start = time(NULL);
        pid_t child = fork();
        if (child == 0)
            run_child();
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            fprintf(stderr, "child %d ended with status %#x\n", k, status);
            _exit(1);
        }
        if (time(NULL) - start > slowest)
            slowest = time(NULL) - start;
    }
    stop = 1;
    for (int k = 0; k < count; k++)
        pthread_join(threads[k], NULL);
    printf("%d forks, %ld reads in the parent, slowest child %ld s\n", forks, (long)reads, (long)slowest);
    return 0;
}
