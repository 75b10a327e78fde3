/* Makes the HDF4 files of this folder with libhdf4; see README.md.

     make all FOLDER           the small files
     make szip FOLDER          those with szip, if libhdf4 has it
     make random FILE SEED     a file with datasets of random types, coders, chunks and shapes
     make sparse FILE          a sparse file with offsets up to 2 GiB
     make plain FILE MIB       a file of that many MiB with one dataset, for hrepack
*/
#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const Number numbers[NUMBERS] = {
    {"char", DFNT_CHAR8, 1},     {"uchar", DFNT_UCHAR8, 1},   {"int8", DFNT_INT8, 1},     {"uint8", DFNT_UINT8, 1},
    {"int16", DFNT_INT16, 2},    {"uint16", DFNT_UINT16, 2},  {"int32", DFNT_INT32, 4},   {"uint32", DFNT_UINT32, 4},
    {"float32", DFNT_FLOAT32, 4}, {"float64", DFNT_FLOAT64, 8},
};

int32 tried(int32 result, const char *call, const char *file, int line) {
    if (result == FAIL) {
        fprintf(stderr, "%s:%d: %s failed\n", file, line, call);
        HEprint(stderr, 0);
        exit(1);
    }
    return result;
}

const Number *number_of(int32 type) {
    int32 plain = type & ~(DFNT_NATIVE | DFNT_LITEND);
    for (int i = 0; i < NUMBERS; i++)
        if (numbers[i].type == plain)
            return &numbers[i];
    fprintf(stderr, "no number type %d\n", (int)type);
    exit(1);
}

size_t elements(const Shape *shape) {
    size_t count = 1;
    for (int i = 0; i < shape->rank; i++)
        count *= (size_t)shape->dims[i];
    return count;
}

unsigned noise(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static double extreme(int32 plain, int low) {
    switch (plain) {
    case DFNT_INT8: return low ? -128 : 127;
    case DFNT_INT16: return low ? -32768 : 32767;
    case DFNT_INT32: return low ? -2147483648.0 : 2147483647.0;
    case DFNT_UINT8: case DFNT_UCHAR8: return low ? 0 : 255;
    case DFNT_UINT16: return low ? 0 : 65535;
    case DFNT_UINT32: return low ? 0 : 4294967295.0;
    case DFNT_FLOAT32: return low ? -3.4028234663852886e38 : 1.1754943508222875e-38;
    case DFNT_FLOAT64: return low ? -1.7976931348623157e308 : 2.2250738585072014e-308;
    default: return low ? ' ' : '~';
    }
}

static double value(int32 plain, size_t at, unsigned *state) {
    if (at < 2)
        return extreme(plain, at == 0);
    if (plain == DFNT_CHAR8)
        return at % 9 < 4 ? 'x' : (double)('a' + noise(state) % 26);
    if (plain == DFNT_FLOAT32 || plain == DFNT_FLOAT64)
        return (double)(at / 4) + (double)(noise(state) % 4) / 8;
    return at % 11 < 6 ? (double)(at / 11 % 100) : (double)(noise(state) % 100);
}

static void put(int32 plain, void *out, size_t at, double v) {
    switch (plain) {
    case DFNT_INT8: ((int8_t *)out)[at] = (int8_t)v; break;
    case DFNT_INT16: ((int16_t *)out)[at] = (int16_t)v; break;
    case DFNT_UINT16: ((uint16_t *)out)[at] = (uint16_t)v; break;
    case DFNT_INT32: ((int32_t *)out)[at] = (int32_t)v; break;
    case DFNT_UINT32: ((uint32_t *)out)[at] = (uint32_t)v; break;
    case DFNT_FLOAT32: ((float *)out)[at] = (float)v; break;
    case DFNT_FLOAT64: ((double *)out)[at] = v; break;
    default: ((uint8_t *)out)[at] = (uint8_t)v; break;
    }
}

void *values(int32 type, size_t count, unsigned seed) {
    const Number *number = number_of(type);
    unsigned state = seed + 1;
    void *out = calloc(count ? count : 1, number->size);
    for (size_t i = 0; out && i < count; i++)
        put(number->type, out, i, value(number->type, i, &state));
    return out;
}

int32 create(int32 file, const Dataset *dataset) {
    int32 dims[H4_MAX_VAR_DIMS];
    memcpy(dims, dataset->shape.dims, sizeof dims);
    return TRY(SDcreate(file, dataset->name, dataset->type, dataset->shape.rank, dims));
}

void write_all(int32 sds, const Dataset *dataset, unsigned seed) {
    int32 start[H4_MAX_VAR_DIMS] = {0}, edge[H4_MAX_VAR_DIMS];
    void *data = values(dataset->type, elements(&dataset->shape), seed);
    memcpy(edge, dataset->shape.dims, sizeof edge);
    TRY(SDwritedata(sds, start, NULL, edge, data));
    free(data);
}

void write_new(int32 file, const Dataset *dataset, unsigned seed) {
    int32 sds = create(file, dataset);
    write_all(sds, dataset, seed);
    TRY(SDendaccess(sds));
}

static void make_all(const Recipe *recipes) {
    for (; recipes->name; recipes++) {
        remove(recipes->name);
        recipes->make(recipes->name);
    }
}

/* libhdf4 writes the names of external files as they are given. */
static void enter(const char *folder) {
    if (chdir(folder)) {
        perror(folder);
        exit(1);
    }
}

static int all(const char *folder) {
    enter(folder);
    make_all(plain_files);
    make_all(stored_files);
    make_all(described_files);
    make_all(old_files);
    return 0;
}

static int with_szip(const char *folder) {
    enter(folder);
    make_all(szip_files);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "all"))
        return all(argv[2]);
    if (argc == 3 && !strcmp(argv[1], "szip"))
        return with_szip(argv[2]);
    if (argc == 4 && !strcmp(argv[1], "random"))
        return random_file(argv[2], (unsigned)strtoul(argv[3], NULL, 10)), 0;
    if (argc == 3 && !strcmp(argv[1], "sparse"))
        return sparse_file(argv[2]), 0;
    if (argc == 4 && !strcmp(argv[1], "plain"))
        return repack_input(argv[2], strtol(argv[3], NULL, 10)), 0;
    fprintf(stderr, "usage: make all FOLDER | szip FOLDER | random FILE SEED | sparse FILE | plain FILE MIB\n");
    return 2;
}
