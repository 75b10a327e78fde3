/* Files about types, shapes and names. */
#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32 start_file(const char *path) {
    return TRY(SDstart(path, DFACC_CREATE));
}

/* Every number type, with a flag for the byte order. */
static void types(const char *path, int32 flag) {
    int32 file = start_file(path);
    for (int i = 0; i < NUMBERS; i++) {
        Dataset dataset = {numbers[i].name, numbers[i].type | flag, {2, {3, 5}}};
        write_new(file, &dataset, (unsigned)i);
    }
    TRY(SDend(file));
}

static void types_big(const char *path) { types(path, 0); }
static void types_little(const char *path) { types(path, DFNT_LITEND); }
static void types_native(const char *path) { types(path, DFNT_NATIVE); }

/* NaN, infinities, signed zero, denormal numbers. */
static void floats(const char *path) {
    uint32_t single[6] = {0x7fc00000, 0x7f800000, 0xff800000, 0x80000000, 1, 0x7f800001};
    uint64_t twice[6] = {0x7ff8000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x8000000000000000, 1,
                         0x7ff0000000000001};
    int32 file = start_file(path), zero[1] = {0}, six[1] = {6};
    for (int flag = 0; flag < 2; flag++) {
        int32 order = flag ? DFNT_LITEND : 0;
        int32 sds = TRY(SDcreate(file, flag ? "float_little" : "float", DFNT_FLOAT32 | order, 1, six));
        TRY(SDwritedata(sds, zero, NULL, six, single));
        TRY(SDendaccess(sds));
        sds = TRY(SDcreate(file, flag ? "double_little" : "double", DFNT_FLOAT64 | order, 1, six));
        TRY(SDwritedata(sds, zero, NULL, six, twice));
        TRY(SDendaccess(sds));
    }
    TRY(SDend(file));
}

/* One element, and every rank up to the highest. */
static void ranks(const char *path) {
    int32 file = start_file(path);
    for (int rank = 1; rank <= H4_MAX_VAR_DIMS; rank += rank < 5 ? 1 : 9) {
        char name[32];
        Dataset dataset = {name, DFNT_INT16, {rank, {0}}};
        snprintf(name, sizeof name, "rank_%d", rank);
        for (int i = 0; i < rank; i++)
            dataset.shape.dims[i] = i + 3 > rank ? 2 : 1;
        write_new(file, &dataset, (unsigned)rank);
        snprintf(name, sizeof name, "one_%d", rank);
        for (int i = 0; i < rank; i++)
            dataset.shape.dims[i] = 1;
        write_new(file, &dataset, (unsigned)rank);
    }
    TRY(SDend(file));
}

/* Rank 0 is allowed by SDcreate; SDwritedata writes one element. */
static void rank_0(const char *path) {
    int32 file = start_file(path), none[1] = {0}, value = 42;
    int32 sds = TRY(SDcreate(file, "scalar", DFNT_INT32, 0, none));
    TRY(SDwritedata(sds, none, NULL, none, &value));
    TRY(SDendaccess(sds));
    TRY(SDendaccess(TRY(SDcreate(file, "never", DFNT_FLOAT64, 0, none))));
    Dataset beside = {"beside", DFNT_INT8, {1, {4}}};
    write_new(file, &beside, 1);
    TRY(SDend(file));
}

/* Names that netCDF does not support unchanged, and one name for three datasets. */
static void names(const char *path) {
    static const char *const odd[] = {
        "a/b", "/", "caf\xe9", "caf\xc3\xa9", "trailing ", " leading", "two\nlines", "tab\there", "del\x7f", "7 days",
        "a:b(c)#\"'\\", ".", "..", "_FillValue", "\xff\xfe", "same", "same", "same", "same_1", "",
    };
    int32 file = start_file(path);
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++) {
        Dataset dataset = {odd[i], DFNT_INT16, {1, {2 + (int32)i % 3}}};
        int32 sds = create(file, &dataset);
        if (i < 15)
            TRY(SDsetdimname(TRY(SDgetdimid(sds, 0)), odd[i]));
        if (i < 15)
            TRY(SDsetattr(sds, odd[i], DFNT_INT8, 1, "\7"));
        write_all(sds, &dataset, i);
        TRY(SDendaccess(sds));
    }
    char longest[256];
    memset(longest, 'n', sizeof longest - 1);
    longest[255] = 0;
    Dataset dataset = {longest, DFNT_INT16, {1, {2}}};
    write_new(file, &dataset, 1);
    TRY(SDsetattr(file, "global/attribute\n", DFNT_CHAR8, 5, "value"));
    TRY(SDend(file));
}

/* A name of 256 bytes, which libhdf4 writes and then cannot read. */
static void long_name(const char *path) {
    int32 file = start_file(path);
    char longest[257];
    memset(longest, 'n', sizeof longest - 1);
    longest[256] = 0;
    Dataset dataset = {longest, DFNT_INT16, {1, {2}}};
    write_new(file, &dataset, 1);
    TRY(SDend(file));
}

/* Dimensions whose names make.py makes equal: two lengths of one name. libhdf4 itself refuses to write them. */
static void two_lengths(const char *path) {
    int32 file = start_file(path);
    static const char *const dims[] = {"length_A", "length_B", "length_C"};
    for (int i = 0; i < 3; i++) {
        char name[8] = {'v', (char)('0' + i), 0};
        Dataset dataset = {name, DFNT_INT32, {2, {2 + i / 2, 3 + i}}};
        int32 sds = create(file, &dataset);
        TRY(SDsetdimname(TRY(SDgetdimid(sds, 0)), i < 2 ? "shared" : "other"));
        TRY(SDsetdimname(TRY(SDgetdimid(sds, 1)), dims[i]));
        write_all(sds, &dataset, (unsigned)i);
        if (i == 1) {
            Dataset scale = {"", DFNT_INT16, {1, {4}}};
            void *data = values(scale.type, 4, 9);
            TRY(SDsetdimscale(TRY(SDgetdimid(sds, 1)), 4, DFNT_INT16, data));
            free(data);
        }
        TRY(SDendaccess(sds));
    }
    TRY(SDend(file));
}

/* Unwritten datasets: plain, with a fill value, chunked, compressed, without records. */
static void empty(const char *path) {
    int32 file = start_file(path), dims[2] = {3, 4}, records[2] = {SD_UNLIMITED, 4};
    int16 fill = -7;
    HDF_CHUNK_DEF chunks = {.chunk_lengths = {2, 3}};
    comp_info deflate = {.deflate = {6}};
    TRY(SDendaccess(TRY(SDcreate(file, "plain", DFNT_INT16, 2, dims))));
    TRY(SDendaccess(TRY(SDcreate(file, "characters", DFNT_CHAR8, 2, dims))));
    TRY(SDendaccess(TRY(SDcreate(file, "double", DFNT_FLOAT64, 2, dims))));
    int32 sds = TRY(SDcreate(file, "filled", DFNT_INT16, 2, dims));
    TRY(SDsetfillvalue(sds, &fill));
    TRY(SDendaccess(sds));
    sds = TRY(SDcreate(file, "chunked", DFNT_INT16, 2, dims));
    TRY(SDsetchunk(sds, chunks, HDF_CHUNK));
    TRY(SDendaccess(sds));
    sds = TRY(SDcreate(file, "chunked_filled", DFNT_INT16 | DFNT_LITEND, 2, dims));
    TRY(SDsetfillvalue(sds, &fill));
    TRY(SDsetchunk(sds, chunks, HDF_CHUNK));
    TRY(SDendaccess(sds));
    sds = TRY(SDcreate(file, "compressed", DFNT_INT16, 2, dims));
    TRY(SDsetfillvalue(sds, &fill));
    TRY(SDsetcompress(sds, COMP_CODE_DEFLATE, &deflate));
    TRY(SDendaccess(sds));
    TRY(SDendaccess(TRY(SDcreate(file, "no_records", DFNT_INT16, 2, records))));
    TRY(SDend(file));
}

/* No dataset at all, with and without an attribute. */
static void nothing(const char *path) { TRY(SDend(start_file(path))); }

static void only_attribute(const char *path) {
    int32 file = start_file(path);
    TRY(SDsetattr(file, "title", DFNT_CHAR8, 4, "only"));
    TRY(SDend(file));
}

const Recipe plain_files[] = {
    {"types_big.hdf", types_big}, {"types_little.hdf", types_little}, {"types_native.hdf", types_native},
    {"floats.hdf", floats}, {"ranks.hdf", ranks}, {"rank_0.hdf", rank_0}, {"names.hdf", names}, {"long_name.hdf", long_name},
    {"two_lengths.hdf", two_lengths}, {"empty.hdf", empty}, {"nothing.hdf", nothing},
    {"only_attribute.hdf", only_attribute}, {NULL, NULL},
};
