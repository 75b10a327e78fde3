/* Creates, extends and reads files of records with netCDF-C, for .ci/recordbench.
 *
 *   records create PATH FORMAT DEFLATE   FORMAT: 1, 2, 5 (classic), 4 (netCDF-4); DEFLATE: level, 0 for none
 *   records sync PATH COUNT              appends COUNT records, with nc_sync after each
 *   records once PATH COUNT              appends COUNT records
 *   records read PATH                    reads all values
 */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 300

static void check(int status, const char *what)
{
    if (status != NC_NOERR) {
        fprintf(stderr, "%s: %s\n", what, nc_strerror(status));
        exit(1);
    }
}

static void create(const char *path, int format, int deflate)
{
    int modes[] = {0, 0, NC_64BIT_OFFSET, 0, NC_NETCDF4, NC_64BIT_DATA};
    int file, dims[2], time, t;
    check(nc_create(path, modes[format], &file), path);
    check(nc_def_dim(file, "time", NC_UNLIMITED, &dims[0]), "time");
    check(nc_def_dim(file, "x", WIDTH, &dims[1]), "x");
    check(nc_def_var(file, "time", NC_DOUBLE, 1, dims, &time), "time");
    check(nc_def_var(file, "t", NC_DOUBLE, 2, dims, &t), "t");
    if (deflate) {
        check(nc_def_var_deflate(file, time, 1, 1, deflate), "time");
        check(nc_def_var_deflate(file, t, 1, 1, deflate), "t");
    }
    check(nc_close(file), path);
}

static void append(const char *path, size_t count, int sync)
{
    int file, dim, time, t;
    size_t begun;
    check(nc_open(path, NC_WRITE, &file), path);
    check(nc_inq_dimid(file, "time", &dim), "time");
    check(nc_inq_dimlen(file, dim, &begun), "time");
    check(nc_inq_varid(file, "time", &time), "time");
    check(nc_inq_varid(file, "t", &t), "t");
    for (size_t n = begun; n < begun + count; n++) {
        double at = n, values[WIDTH];
        size_t start[] = {n, 0}, counts[] = {1, WIDTH};
        for (int x = 0; x < WIDTH; x++)
            values[x] = n + x;
        check(nc_put_vara_double(file, time, start, counts, &at), "time");
        check(nc_put_vara_double(file, t, start, counts, values), "t");
        if (sync)
            check(nc_sync(file), path);
    }
    check(nc_close(file), path);
}

static void read_all(const char *path)
{
    int file, dim, time, t;
    size_t count;
    check(nc_open(path, NC_NOWRITE, &file), path);
    check(nc_inq_dimid(file, "time", &dim), "time");
    check(nc_inq_dimlen(file, dim, &count), "time");
    check(nc_inq_varid(file, "time", &time), "time");
    check(nc_inq_varid(file, "t", &t), "t");
    double *values = malloc((count + 1) * WIDTH * sizeof *values);
    if (!values)
        exit(1);
    check(nc_get_var_double(file, time, values), "time");
    check(nc_get_var_double(file, t, values), "t");
    for (size_t n = 0; n < count * WIDTH; n++)
        if (values[n] != n / WIDTH + n % WIDTH) {
            fprintf(stderr, "%s: another value at %zu\n", path, n);
            exit(1);
        }
    check(nc_close(file), path);
    free(values);
}

int main(int count, char **words)
{
    if (count == 5 && !strcmp(words[1], "create"))
        create(words[2], atoi(words[3]), atoi(words[4]));
    else if (count == 4 && !strcmp(words[1], "sync"))
        append(words[2], strtoull(words[3], 0, 10), 1);
    else if (count == 4 && !strcmp(words[1], "once"))
        append(words[2], strtoull(words[3], 0, 10), 0);
    else if (count == 3 && !strcmp(words[1], "read"))
        read_all(words[2]);
    else
        return 2;
    return 0;
}
