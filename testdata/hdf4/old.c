/* Files of the older interface (DFSD): NDG and SDG without Vgroups. */
#include "make.h"

#include <stdlib.h>

static void add(const char *path, const Dataset *dataset, unsigned seed) {
    int32 dims[H4_MAX_VAR_DIMS];
    void *data = values(dataset->type, elements(&dataset->shape), seed);
    for (int i = 0; i < dataset->shape.rank; i++)
        dims[i] = dataset->shape.dims[i];
    TRY(DFSDadddata(path, dataset->shape.rank, dims, data));
    free(data);
}

/* Every number type, big-endian, little-endian and native. */
static void dfsd_types(const char *path) {
    TRY(DFSDclear());
    for (int i = 0; i < 3 * NUMBERS; i++) {
        static const int32 flags[] = {0, DFNT_LITEND, DFNT_NATIVE};
        Dataset dataset = {NULL, numbers[i / 3].type | flags[i % 3], {2, {2, 3}}};
        TRY(DFSDsetNT(dataset.type));
        add(path, &dataset, (unsigned)i);
    }
}

static void describe(int32 type, int rank, const int32 *dims) {
    for (int i = 0; i < rank; i++) {
        void *scale = values(type, (size_t)dims[i], (unsigned)i + 40);
        TRY(DFSDsetdimscale(i + 1, dims[i], scale));
        TRY(DFSDsetdimstrs(i + 1, i ? "columns" : "rows", i ? "m" : "km", "F4.1"));
        free(scale);
    }
    TRY(DFSDsetdatastrs("temperature", "K", "F7.2", "cartesian"));
}

/* Scales, strings, range, calibration and fill value, with two sets of the same dimensions. */
static void dfsd_described(const char *path) {
    static const int32 types[] = {DFNT_FLOAT32, DFNT_INT16, DFNT_FLOAT64 | DFNT_LITEND};
    for (int i = 0; i < 3; i++) {
        Dataset dataset = {NULL, types[i], {2, {2, 3}}};
        uint8_t *data = values(types[i], 3, 8);
        size_t size = number_of(types[i])->size;
        TRY(DFSDclear());
        TRY(DFSDsetNT(types[i]));
        TRY(DFSDsetdims(2, dataset.shape.dims));
        describe(types[i], 2, dataset.shape.dims);
        TRY(DFSDsetrange(data + size, data));
        /* A group can have only ten members. */
        if (i == 1)
            TRY(DFSDsetfillvalue(data + 2 * size));
        else
            TRY(DFSDsetcal(0.5, 0.25, -3.0, 1e-3, DFNT_INT16));
        add(path, &dataset, (unsigned)i);
        add(path, &dataset, (unsigned)i + 10);
        free(data);
    }
    TRY(DFSDclear());
}

/* Strings of dimensions without scales; a scale of the first dimension only. */
static void dfsd_strings(const char *path) {
    Dataset dataset = {NULL, DFNT_INT16, {2, {2, 3}}};
    TRY(DFSDclear());
    TRY(DFSDsetNT(dataset.type));
    TRY(DFSDsetdims(2, dataset.shape.dims));
    TRY(DFSDsetdimstrs(1, "rows", "", "F4.1"));
    TRY(DFSDsetdimstrs(2, "", "m", ""));
    add(path, &dataset, 1);
    TRY(DFSDclear());
    TRY(DFSDsetNT(dataset.type));
    TRY(DFSDsetdims(2, dataset.shape.dims));
    int16 scale[2] = {5, 6};
    TRY(DFSDsetdimscale(1, 2, scale));
    add(path, &dataset, 2);
    TRY(DFSDclear());
}

/* Data written in slices. */
static void dfsd_slices(const char *path) {
    int32 dims[2] = {3, 4}, from[2] = {1, 1}, size[2] = {2, 4};
    TRY(DFSDclear());
    TRY(DFSDsetNT(DFNT_INT32));
    TRY(DFSDsetdims(2, dims));
    TRY(DFSDstartslab(path));
    void *data = values(DFNT_INT32, 8, 3);
    int32 stride[2] = {1, 1};
    TRY(DFSDwriteslab(from, stride, size, data));
    TRY(DFSDendslab());
    free(data);
    TRY(DFSDclear());
}

/* A newer file to which an older program adds a dataset: SD does not see it. (libhdf4 cannot do the reverse.) */
static void sd_and_dfsd(const char *path) {
    Dataset new = {"newer", DFNT_FLOAT32, {1, {3}}}, old = {NULL, DFNT_INT16, {1, {4}}};
    int32 file = TRY(SDstart(path, DFACC_CREATE));
    write_new(file, &new, 3);
    TRY(SDend(file));
    TRY(DFSDclear());
    TRY(DFSDsetNT(old.type));
    TRY(DFSDsetdatastrs("older", "m", "I5", "none"));
    add(path, &old, 2);
    TRY(DFSDclear());
}

/* Input of make.py for the oldest form, with only SDG groups. */
static void sdg(const char *path) {
    int32 dims[2] = {2, 3};
    Dataset dataset = {NULL, DFNT_FLOAT32, {2, {2, 3}}};
    TRY(DFSDclear());
    TRY(DFSDsetNT(DFNT_FLOAT32));
    TRY(DFSDsetdims(2, dims));
    describe(DFNT_FLOAT32, 2, dims);
    float range[2] = {99, -1};
    TRY(DFSDsetrange(range, range + 1));
    add(path, &dataset, 1);
    add(path, &dataset, 2);
    TRY(DFSDclear());
}

const Recipe old_files[] = {
    {"dfsd_types.hdf", dfsd_types}, {"dfsd_described.hdf", dfsd_described}, {"dfsd_strings.hdf", dfsd_strings}, {"dfsd_slices.hdf", dfsd_slices},
    {"sd_and_dfsd.hdf", sd_and_dfsd}, {"sdg.hdf", sdg}, {NULL, NULL},
};
