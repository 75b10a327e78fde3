/* Prints the error numbers of calls with wrong arguments. netCDF-C and this library must print the same.

   error_numbers make DIRECTORY    writes the files, with netCDF-C
   error_numbers DIRECTORY         prints the error numbers */

#include <limits.h>
#include <netcdf.h>
#include <netcdf_mem.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHOW(call) printf("%s: %d\n", #call, call)
#define MUST(call) \
    do { \
        int status = call; \
        if (status) { \
            fprintf(stderr, "%s: %s\n", #call, nc_strerror(status)); \
            exit(1); \
        } \
    } while (0)

enum { ROWS = 4, COLUMNS = 6 };

static void write_common(const char *path, int mode) {
    int nc, dims[2], var, text;
    signed char bytes[ROWS * COLUMNS] = {0};
    MUST(nc_create(path, mode, &nc));
    MUST(nc_def_dim(nc, "rows", ROWS, &dims[0]));
    MUST(nc_def_dim(nc, "columns", COLUMNS, &dims[1]));
    MUST(nc_def_var(nc, "numbers", NC_INT, 2, dims, &var));
    MUST(nc_def_var(nc, "text", NC_CHAR, 2, dims, &text));
    MUST(nc_put_att_text(nc, NC_GLOBAL, "text", 3, "abc"));
    MUST(nc_put_att_text(nc, NC_GLOBAL, "empty", 0, ""));
    MUST(nc_put_att_schar(nc, NC_GLOBAL, "bytes", NC_BYTE, 2, bytes));
    MUST(nc_enddef(nc));
    MUST(nc_put_var_schar(nc, var, bytes));
    if (mode & NC_NETCDF4 && !(mode & NC_CLASSIC_MODEL)) {
        nc_type type, pair;
        int number = 1, group;
        const char *word = "a";
        MUST(nc_def_enum(nc, NC_INT, "enum", &type));
        MUST(nc_insert_enum(nc, type, "one", &number));
        MUST(nc_def_compound(nc, 8, "pair", &pair));
        MUST(nc_insert_compound(nc, pair, "a", 0, NC_INT));
        MUST(nc_def_var(nc, "enums", type, 2, dims, &var));
        MUST(nc_def_var(nc, "pairs", pair, 2, dims, &var));
        MUST(nc_def_var(nc, "strings", NC_STRING, 2, dims, &var));
        MUST(nc_put_att(nc, NC_GLOBAL, "enum", type, 1, &number));
        MUST(nc_put_att_string(nc, NC_GLOBAL, "string", 1, &word));
        MUST(nc_def_grp(nc, "group", &group));
    }
    MUST(nc_close(nc));
}

static void write_filtered(void) {
    int nc, dim, var;
    MUST(nc_create("filtered.nc", NC_CLOBBER | NC_NETCDF4, &nc));
    MUST(nc_def_dim(nc, "x", COLUMNS, &dim));
    MUST(nc_def_var(nc, "v", NC_INT, 1, &dim, &var));
    MUST(nc_def_var_deflate(nc, var, 1, 1, 1));
    MUST(nc_def_var_fletcher32(nc, var, NC_FLETCHER32));
    MUST(nc_close(nc));
}

static void write_files(void) {
    write_filtered();
    write_common("classic.nc", NC_CLOBBER);
    write_common("netcdf4.nc", NC_CLOBBER | NC_NETCDF4);
    FILE *file = fopen("signature.nc", "w");
    fwrite("CDF\1", 1, 4, file);
    fclose(file);
}

/* Prints the error numbers of reads of a region, for combinations of start, count and stride. */
static void read_regions(int nc, int var, const char *kind) {
    static const size_t starts[] = {0, 3, 4, 5, 7}, counts[] = {0, 1, 3, 7};
    static const ptrdiff_t strides[] = {1, 2, 4, 0, -1, INT_MAX};
    static const ptrdiff_t map[] = {COLUMNS * 2, 2};
    enum { STARTS = 5, COUNTS = 4, STRIDES = 6 };
    static int out[10000];
    for (int n = 0; n < STARTS * STARTS * COUNTS * COUNTS; n++) {
        size_t start[] = {starts[n % STARTS], starts[n / STARTS % STARTS]};
        size_t count[] = {counts[n / (STARTS * STARTS) % COUNTS], counts[n / (STARTS * STARTS * COUNTS)]};
        printf("%s %zu %zu, %zu %zu: %d", kind, start[0], start[1], count[0], count[1],
               nc_get_vara_int(nc, var, start, count, out + 1000));
        for (int s = 0; s < STRIDES * STRIDES; s++) {
            ptrdiff_t stride[] = {strides[s % STRIDES], strides[s / STRIDES]};
            printf(" %d,%d,%d", nc_get_vars_int(nc, var, start, count, stride, out + 1000),
                   nc_get_varm_int(nc, var, start, count, stride, map, out + 1000),
                   nc_get_varm_int(nc, var, start, count, stride, NULL, out + 1000));
        }
        printf("\n");
    }
}

static void read_huge(int nc, int var) {
    static const size_t huge[] = {SIZE_MAX, SIZE_MAX - 1, (size_t)1 << 63, (size_t)1 << 62};
    static int out[100];
    size_t start[] = {0, 0};
    for (int n = 0; n < 4; n++) {
        size_t count[] = {1, huge[n]};
        SHOW(nc_get_vara_int(nc, var, start, count, out));
        SHOW(nc_get_vars_int(nc, var, start, count, NULL, out));
    }
    size_t count[] = {1, 1};
    ptrdiff_t stride[] = {1, PTRDIFF_MAX};
    SHOW(nc_get_vars_int(nc, var, start, count, stride, out));
    SHOW(nc_get_varm_int(nc, var, start, count, stride, NULL, out));
}

/* Reads a variable with functions for several types. */
static void read_types(int nc, const char *name) {
    static double out[1000];
    static const ptrdiff_t map[] = {COLUMNS, 1}, none[] = {0, 0};
    size_t start[] = {0, 0}, beyond[] = {9, 0}, count[] = {1, 1}, empty[] = {0, 0};
    int var;
    if (nc_inq_varid(nc, name, &var)) return;
    printf("%s\n", name);
    SHOW(nc_get_var_int(nc, var, (int *)out));
    SHOW(nc_get_var_double(nc, var, out));
    SHOW(nc_get_var_text(nc, var, (char *)out));
    SHOW(nc_get_var1_int(nc, var, beyond, (int *)out));
    SHOW(nc_get_vara_int(nc, var, start, empty, (int *)out));
    SHOW(nc_get_vars_int(nc, var, start, count, none, (int *)out));
    SHOW(nc_get_vars_text(nc, var, start, count, none, (char *)out));
    SHOW(nc_get_varm_int(nc, var, start, count, NULL, map, (int *)out));
    SHOW(nc_get_varm_text(nc, var, start, count, NULL, map, (char *)out));
    SHOW(nc_get_varm(nc, var, start, count, NULL, NULL, out));
    SHOW(nc_get_varm(nc, var, beyond, count, none, map, out));
    SHOW(nc_get_var_string(nc, var, (char **)out));
    SHOW(nc_get_vara_string(nc, var, beyond, count, (char **)out));
    SHOW(nc_get_var1_int(nc, var, NULL, (int *)out));
}

static void read_attribute(int nc, const char *name) {
    static double out[100];
    if (nc_inq_att(nc, NC_GLOBAL, name, NULL, NULL)) return;
    printf("%s\n", name);
    SHOW(nc_get_att_int(nc, NC_GLOBAL, name, (int *)out));
    SHOW(nc_get_att_text(nc, NC_GLOBAL, name, (char *)out));
    SHOW(nc_get_att_double(nc, NC_GLOBAL, name, out));
    SHOW(nc_get_att_string(nc, NC_GLOBAL, name, (char **)out));
}

static void inquire_names(int nc) {
    int id;
    char name[1000];
    memset(name, 'x', sizeof name);
    name[999] = 0;
    SHOW(nc_inq_varid(nc, "\xff\xfe", &id));
    SHOW(nc_inq_dimid(nc, "\xff\xfe", &id));
    SHOW(nc_inq_attid(nc, NC_GLOBAL, "\xff\xfe", &id));
    SHOW(nc_inq_att(nc, NC_GLOBAL, "\xff\xfe", NULL, NULL));
    SHOW(nc_inq_varid(nc, name, &id));
    SHOW(nc_inq_dimid(nc, name, &id));
    SHOW(nc_inq_attid(nc, NC_GLOBAL, name, &id));
    SHOW(nc_inq_typeid(nc, name, &id));
    SHOW(nc_inq_typeid(nc, "nothing", &id));
    SHOW(nc_inq_att(nc, NC_GLOBAL, NULL, NULL, NULL));
    SHOW(nc_inq_attid(nc, NC_GLOBAL, "_NCProperties", &id));
    SHOW(nc_inq_attid(nc, NC_GLOBAL, "_IsNetcdf4", &id));
    SHOW(nc_inq_attid(nc, NC_GLOBAL, "_SuperblockVersion", &id));
    SHOW(nc_inq_ncid(nc, "/", &id));
    SHOW(nc_inq_ncid(nc, "nothing", &id));
    SHOW(nc_inq_ncid(nc, "", &id));
    SHOW(nc_inq_grp_ncid(nc, "nothing", &id));
    SHOW(nc_inq_grp_full_ncid(nc, "/", &id));
    SHOW(nc_inq_grp_full_ncid(nc, "/nothing", &id));
    SHOW(nc_inq_type_equal(nc, NC_INT, nc, 99, &id));
    SHOW(nc_inq_type_equal(nc, 99, nc, NC_INT, &id));
    SHOW(nc_inq_type_equal(nc, 0, nc, 99, &id));
}

static void inquire_global(int nc) {
    int a = -1, b = -1, dims[10], count = -1;
    char name[NC_MAX_NAME + 1];
    SHOW(nc_inq_var(nc, NC_GLOBAL, name, &a, &b, dims, &count));
    SHOW(nc_inq_varname(nc, NC_GLOBAL, name));
    SHOW(nc_inq_vartype(nc, NC_GLOBAL, &a));
    SHOW(nc_inq_varndims(nc, NC_GLOBAL, &a));
    SHOW(nc_inq_vardimid(nc, NC_GLOBAL, dims));
    SHOW(nc_inq_varnatts(nc, NC_GLOBAL, &a));
    SHOW(nc_inq_var(nc, 99, name, &a, &b, dims, &count));
}

static void write_data(int nc) {
    int id, numbers[ROWS * COLUMNS] = {0};
    size_t start[] = {0, 0}, count[] = {1, 1};
    SHOW(nc_redef(nc));
    SHOW(nc_enddef(nc));
    SHOW(nc__enddef(nc, 0, 4, 0, 4));
    SHOW(nc_def_dim(nc, "new", 1, &id));
    SHOW(nc_def_var(nc, "new", NC_INT, 0, NULL, &id));
    SHOW(nc_def_grp(nc, "new", &id));
    SHOW(nc_put_att_int(nc, NC_GLOBAL, "new", NC_INT, 1, numbers));
    SHOW(nc_put_att_text(nc, NC_GLOBAL, "new", 1, "x"));
    SHOW(nc_rename_att(nc, NC_GLOBAL, "text", "new"));
    SHOW(nc_rename_dim(nc, 0, "new"));
    SHOW(nc_rename_var(nc, 0, "new"));
    SHOW(nc_del_att(nc, NC_GLOBAL, "text"));
    SHOW(nc_set_fill(nc, NC_NOFILL, &id));
    SHOW(nc_put_var_int(nc, 99, numbers));
    SHOW(nc_put_var(nc, 99, numbers));
    SHOW(nc_put_var1_int(nc, 0, NULL, numbers));
    SHOW(nc_put_vara_int(nc, 0, NULL, count, numbers));
    SHOW(nc_put_vara_int(nc, 99, NULL, NULL, numbers));
    SHOW(nc_put_vars_int(nc, 99, start, count, NULL, numbers));
    SHOW(nc_put_varm_int(nc, 99, start, count, NULL, NULL, numbers));
    SHOW(nc_def_var_deflate(nc, 0, 0, 1, 1));
    SHOW(nc_def_var_fill(nc, 0, 1, NULL));
}

static void open_files(void) {
    int nc;
    static char bytes[100];
    SHOW(nc_open("signature.nc", 0, &nc));
    SHOW(nc_open("", 0, &nc));
    SHOW(nc_open(" nothing.nc", 0, &nc));
    SHOW(nc_open("classic.nc", NC_DISKLESS | NC_MMAP, &nc));
    SHOW(nc_open("netcdf4.nc", NC_MMAP, &nc));
    SHOW(nc_open("netcdf4.nc", NC_UDF0, &nc));
    SHOW(nc_open_mem(NULL, 0, sizeof bytes, bytes, &nc));
    SHOW(nc_open_mem("x", 0, 0, bytes, &nc));
    SHOW(nc_open_mem("x", 0, sizeof bytes, NULL, &nc));
    SHOW(nc_open_mem("x", NC_MMAP, sizeof bytes, bytes, &nc));
    SHOW(nc_open_mem("x", NC_DISKLESS, sizeof bytes, bytes, &nc));
    SHOW(nc_open_mem("x", NC_WRITE, sizeof bytes, bytes, &nc));
}

static void synchronise(void) {
    int nc;
    MUST(nc_open("classic.nc", 0, &nc));
    rename("classic.nc", "moved.nc");
    SHOW(nc_sync(nc));
    rename("moved.nc", "classic.nc");
    MUST(nc_close(nc));
}

static void check_dataset(const char *path, int mode) {
    static const char *names[] = {"numbers", "text", "enums", "pairs", "strings"};
    static const char *attributes[] = {"text", "empty", "bytes", "enum", "string"};
    int nc, var, format, number = 0;
    printf("%s, mode %d\n", path, mode);
    MUST(nc_open(path, mode, &nc));
    MUST(nc_inq_format(nc, &format));
    printf("format %d\n", format);
    MUST(nc_inq_varid(nc, "numbers", &var));
    read_regions(nc, var, path);
    read_huge(nc, var);
    for (int n = 0; n < 5; n++) read_types(nc, names[n]);
    for (int n = 0; n < 5; n++) read_attribute(nc, attributes[n]);
    inquire_names(nc);
    inquire_global(nc);
    if (!mode) write_data(nc);
    SHOW(nc_reclaim_data(nc, 0, &number, 1));
    MUST(nc_close(nc));
    printf("closed\n");
    write_data(nc);
}

/* Only the id of the root group closes a dataset. */
static void close_ids(const char *path) {
    int nc, group, var;
    MUST(nc_open(path, 0, &nc));
    if (nc_inq_ncid(nc, "group", &group) || group == nc)
        group = nc + 1;
    SHOW(nc_close(group));
    SHOW(nc_close(nc + 5));
    SHOW(nc_inq_varid(nc, "numbers", &var));
    SHOW(nc_close(nc));
    SHOW(nc_close(nc));
}

static void list_filters(void) {
    int nc;
    size_t count;
    unsigned ids[8], first;
    MUST(nc_open("filtered.nc", 0, &nc));
    MUST(nc_inq_var_filter_ids(nc, 0, &count, ids));
    for (size_t n = 0; n < count; n++)
        printf("filter %u\n", ids[n]);
    MUST(nc_inq_var_filter(nc, 0, &first, NULL, NULL));
    printf("first filter %u\n", first);
    MUST(nc_close(nc));
}

/* A dataset in memory is returned when it is closed. */
static void return_memory(const char *path, int flags) {
    static char bytes[1 << 20];
    int nc;
    FILE *file = fopen(path, "r");
    NC_memio given = {fread(bytes, 1, sizeof bytes, file), NULL, flags}, returned = {7, bytes, 0};
    fclose(file);
    given.memory = malloc(given.size);
    memcpy(given.memory, bytes, given.size);
    void *memory = given.memory;
    MUST(nc_open_memio("x", 0, &given, &nc));
    SHOW(nc_close_memio(nc, &returned));
    printf("%s: %zu bytes, the same: %d\n", path, returned.size, returned.memory && returned.memory == memory);
    free(memory);
}

int main(int count, char **words) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count < 2 || chdir(words[count - 1])) return 2;
    if (count == 3) {
        write_files();
        return 0;
    }
    check_dataset("classic.nc", 0);
    check_dataset("netcdf4.nc", 0);
    check_dataset("netcdf4.nc", NC_CLASSIC_MODEL);
    open_files();
    synchronise();
    close_ids("classic.nc");
    close_ids("netcdf4.nc");
    list_filters();
    return_memory("netcdf4.nc", NC_MEMIO_LOCKED);
    return_memory("netcdf4.nc", 0);
    return 0;
}
