/* Measured jobs of .ci/capibench.
 *
 *   read_speed whole FILE              reads each variable
 *   read_speed threads COUNT FILE      reads each variable in threads: thread t of n reads the t-th part of its first dimension
 *   read_speed inquire FILE            inquires about each variable and its attributes
 *   read_speed elements COUNT FILE     reads single elements of the first variable in their order */
#include <netcdf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANK = 8 };

static int ncid, variables;
static size_t parts = 1;

static void check(int status) {
    if (status) {
        fprintf(stderr, "%s\n", nc_strerror(status));
        exit(1);
    }
}

/* Returns the rank of a variable and sets its shape. */
static int shape(int var, size_t *lengths) {
    int rank, dims[NC_MAX_VAR_DIMS];
    check(nc_inq_varndims(ncid, var, &rank));
    check(nc_inq_vardimid(ncid, var, dims));
    for (int k = 0; k < rank && k < RANK; k++)
        check(nc_inq_dimlen(ncid, dims[k], &lengths[k]));
    return rank;
}

static void *read_part(void *number) {
    size_t part = (size_t)number, start[RANK] = {0}, count[RANK];
    for (int var = 0; var < variables; var++) {
        size_t elements = 1;
        int rank = shape(var, count);
        start[0] = count[0] * part / parts;
        count[0] = count[0] * (part + 1) / parts - start[0];
        for (int k = 0; k < rank; k++)
            elements *= count[k];
        float *values = malloc(elements * sizeof *values);
        check(nc_get_vara_float(ncid, var, start, count, values));
        free(values);
    }
    return NULL;
}

static void read_in_threads(void) {
    pthread_t threads[64];
    for (size_t k = 0; k < parts; k++)
        pthread_create(&threads[k], NULL, read_part, (void *)k);
    for (size_t k = 0; k < parts; k++)
        pthread_join(threads[k], NULL);
}

static void inquire(void) {
    char name[NC_MAX_NAME + 1];
    for (int var = 0; var < variables; var++) {
        int type, rank, dims[NC_MAX_VAR_DIMS], attributes, same;
        check(nc_inq_var(ncid, var, name, &type, &rank, dims, &attributes));
        check(nc_inq_varid(ncid, name, &same));
        for (int n = 0; n < attributes; n++) {
            size_t len;
            check(nc_inq_attname(ncid, var, n, name));
            check(nc_inq_att(ncid, var, name, &type, &len));
        }
    }
}

static void read_elements(size_t count) {
    size_t lengths[RANK], index[RANK] = {0};
    int rank = shape(0, lengths);
    double value;
    for (size_t n = 0; n < count; n++) {
        check(nc_get_var1_double(ncid, 0, index, &value));
        for (int k = rank - 1; k >= 0 && ++index[k] == lengths[k]; k--)
            index[k] = 0;
    }
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    check(nc_open(argv[argc - 1], NC_NOWRITE, &ncid));
    check(nc_inq_nvars(ncid, &variables));
    size_t number = strtoul(argv[2], NULL, 10);
    if (strcmp(argv[1], "whole") == 0)
        read_part(0);
    else if (strcmp(argv[1], "inquire") == 0)
        inquire();
    else if (strcmp(argv[1], "elements") == 0)
        read_elements(number);
    else if (strcmp(argv[1], "threads") == 0 && number > 0 && number < 64) {
        parts = number;
        read_in_threads();
    }
    check(nc_close(ncid));
    return 0;
}
