/* Files about how data are stored: coders, chunks, records, linked blocks, external files. */
#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32 start_file(const char *path) {
    return TRY(SDstart(path, DFACC_CREATE));
}

typedef struct {
    const char *name;
    comp_coder_t coder;
    comp_info info;
} Coder;

static const Coder coders[] = {
    {"rle", COMP_CODE_RLE, {{0}}},
    {"huffman_1", COMP_CODE_SKPHUFF, {.skphuff = {1}}},
    {"huffman_2", COMP_CODE_SKPHUFF, {.skphuff = {2}}},
    {"huffman_8", COMP_CODE_SKPHUFF, {.skphuff = {8}}},
    {"deflate", COMP_CODE_DEFLATE, {.deflate = {6}}},
};
#define CODERS 5

/* Every type through a coder, big-endian and little-endian. */
static void coded(const char *path, const Coder *coder) {
    int32 file = start_file(path);
    for (int i = 0; i < 2 * NUMBERS; i++) {
        const Number *number = &numbers[i / 2];
        char name[64];
        snprintf(name, sizeof name, "%s%s", number->name, i % 2 ? "_little" : "");
        Dataset dataset = {name, number->type | (i % 2 ? DFNT_LITEND : 0), {2, {4, 11}}};
        int32 sds = create(file, &dataset);
        comp_info info = coder->info;
        TRY(SDsetcompress(sds, coder->coder, &info));
        write_all(sds, &dataset, (unsigned)i);
        TRY(SDendaccess(sds));
    }
    TRY(SDend(file));
}

static void rle(const char *path) { coded(path, &coders[0]); }
static void huffman_1(const char *path) { coded(path, &coders[1]); }
static void huffman_8(const char *path) { coded(path, &coders[3]); }
static void deflate(const char *path) { coded(path, &coders[4]); }

/* Runs longer than a count of RLE holds, runs of 2 and 3, and long stretches without any. */
static void runs(const char *path) {
    int32 file = start_file(path), zero[1] = {0}, size[1] = {1200};
    uint8_t data[1200];
    unsigned state = 5;
    for (int i = 0; i < 1200; i++)
        data[i] = (uint8_t)(i < 300 ? 7 : i < 600 ? i * 13 : i < 800 ? i / 2 : i < 1000 ? i / 3 : noise(&state));
    for (int i = 0; i < CODERS; i++) {
        comp_info info = coders[i].info;
        int32 sds = TRY(SDcreate(file, coders[i].name, DFNT_UINT8, 1, size));
        TRY(SDsetcompress(sds, coders[i].coder, &info));
        TRY(SDwritedata(sds, zero, NULL, size, data));
        TRY(SDendaccess(sds));
    }
    TRY(SDend(file));
}

typedef struct {
    int32 type;
    intn start, length, sign, one;
} Bits;

/* Numbers of some bits only: signs extended or not, the rest filled with ones or zeros, both byte orders. */
static void nbit(const char *path) {
    static const Bits bits[] = {
        {DFNT_INT8, 6, 7, 1, 0},   {DFNT_UINT8, 5, 4, 0, 1},   {DFNT_INT16, 9, 6, 1, 0},   {DFNT_INT16, 9, 6, 0, 1},
        {DFNT_UINT16, 11, 12, 0, 0}, {DFNT_INT32, 6, 7, 0, 0}, {DFNT_INT32, 6, 7, 1, 1},   {DFNT_INT32, 31, 32, 0, 0},
        {DFNT_UINT32, 20, 17, 0, 0}, {DFNT_UINT32, 20, 17, 0, 1}, {DFNT_INT32, 14, 3, 1, 0}, {DFNT_UCHAR8, 7, 8, 0, 0},
        {DFNT_INT16, 15, 1, 1, 0},
    };
    int32 file = start_file(path);
    for (unsigned i = 0; i < 2 * sizeof bits / sizeof *bits; i++) {
        const Bits *b = &bits[i / 2];
        char name[64];
        snprintf(name, sizeof name, "%s_%d_%d_%d_%d%s", number_of(b->type)->name, b->start, b->length, b->sign, b->one,
                 i % 2 ? "_little" : "");
        Dataset dataset = {name, b->type | (i % 2 ? DFNT_LITEND : 0), {2, {3, 9}}};
        int32 sds = create(file, &dataset);
        TRY(SDsetnbitdataset(sds, b->start, b->length, b->sign, b->one));
        write_all(sds, &dataset, i);
        TRY(SDendaccess(sds));
    }
    TRY(SDend(file));
}

/* How a chunked dataset is made: its coder (none: -1), and whether all of it is written. */
typedef struct {
    int coder;
    int whole;
    int nbit;
} Chunked;

static void set_chunks(int32 sds, const Dataset *dataset, const Chunked *how) {
    HDF_CHUNK_DEF def;
    memset(&def, 0, sizeof def);
    int32 flags = HDF_CHUNK;
    if (how->nbit) {
        HDF_CHUNK_DEF bits = {.nbit = {.start_bit = 6, .bit_len = 7, .sign_ext = 1, .fill_one = 0}};
        def = bits;
        for (int i = 0; i < dataset->shape.rank; i++)
            def.nbit.chunk_lengths[i] = i ? 3 : 2;
        flags |= HDF_NBIT;
    } else if (how->coder >= 0) {
        for (int i = 0; i < dataset->shape.rank; i++)
            def.comp.chunk_lengths[i] = i ? 3 : 2;
        def.comp.comp_type = coders[how->coder].coder;
        def.comp.cinfo = coders[how->coder].info;
        flags |= HDF_COMP;
    } else {
        for (int i = 0; i < dataset->shape.rank; i++)
            def.chunk_lengths[i] = i ? 3 : 2;
    }
    TRY(SDsetchunk(sds, def, flags));
}

/* One row in the first chunks and one element in the last: chunks between are missing. */
static void write_some(int32 sds, const Dataset *dataset) {
    int32 start[H4_MAX_VAR_DIMS] = {0}, edge[H4_MAX_VAR_DIMS];
    void *data = values(dataset->type, 64, 3);
    for (int i = 0; i < dataset->shape.rank; i++)
        edge[i] = 1;
    edge[dataset->shape.rank - 1] = 4;
    TRY(SDwritedata(sds, start, NULL, edge, data));
    for (int i = 0; i < dataset->shape.rank; i++)
        start[i] = dataset->shape.dims[i] - 1;
    edge[dataset->shape.rank - 1] = 1;
    TRY(SDwritedata(sds, start, NULL, edge, data));
    free(data);
}

static void chunked_set(int32 file, const Dataset *dataset, const Chunked *how) {
    static const uint8_t fill[8] = {'F', 'F', 'F', 'F', 'F', 'F', 'F', 'F'};
    int32 sds = create(file, dataset);
    if (!how->whole && dataset->type & DFNT_LITEND)
        TRY(SDsetfillvalue(sds, (VOIDP)fill));
    set_chunks(sds, dataset, how);
    if (how->whole)
        write_all(sds, dataset, (unsigned)how->coder + 20);
    else
        write_some(sds, dataset);
    TRY(SDendaccess(sds));
}

/* Every coder in chunks, those at the edges being cut, with missing chunks; some types in both byte orders. */
static void chunked(const char *path, int coder) {
    static const int32 types[] = {DFNT_INT16, DFNT_FLOAT64 | DFNT_LITEND};
    int32 file = start_file(path);
    for (int i = 0; i < 4; i++) {
        char name[64];
        int32 type = types[i / 2];
        snprintf(name, sizeof name, "%s%s_%s", number_of(type)->name, type & DFNT_LITEND ? "_little" : "",
                 i % 2 ? "some" : "whole");
        Dataset dataset = {name, type, {2, {5, 7}}};
        Chunked how = {coder, !(i % 2), 0};
        chunked_set(file, &dataset, &how);
    }
    TRY(SDend(file));
}

static void chunked_none(const char *path) { chunked(path, -1); }
static void chunked_rle(const char *path) { chunked(path, 0); }
static void chunked_huffman(const char *path) { chunked(path, 2); }
static void chunked_deflate(const char *path) { chunked(path, 4); }

/* Characters in chunks, other ranks, NBIT, chunks as large as the data. */
static void chunked_others(const char *path) {
    int32 file = start_file(path);
    Chunked none = {-1, 1, 0}, deflated = {4, 1, 0}, nbits = {-1, 1, 1}, some = {-1, 0, 0}, some_bits = {-1, 0, 1};
    Dataset sets[] = {
        {"characters", DFNT_CHAR8, {2, {5, 7}}},          {"characters_deflate", DFNT_CHAR8, {2, {5, 7}}},
        {"line", DFNT_INT32, {1, {7}}},                   {"cube", DFNT_FLOAT32, {3, {3, 4, 5}}},
        {"cube_deflate", DFNT_FLOAT32, {4, {3, 2, 4, 5}}}, {"bits", DFNT_INT16, {2, {5, 7}}},
        {"bits_little", DFNT_INT32 | DFNT_LITEND, {2, {5, 7}}}, {"whole", DFNT_INT16, {2, {2, 3}}},
        {"multiple", DFNT_INT16, {2, {4, 6}}},            {"cube_some", DFNT_UINT16, {3, {3, 4, 5}}},
        {"bits_some", DFNT_INT16 | DFNT_LITEND, {2, {5, 7}}},
    };
    const Chunked *how[] = {&none, &deflated, &none, &none, &deflated, &nbits, &nbits, &none, &none, &some, &some_bits};
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++)
        chunked_set(file, &sets[i], how[i]);
    TRY(SDend(file));
}

/* Record variables of different lengths over one unlimited dimension, and one over another. */
static void records(const char *path) {
    static const int32 lengths[] = {3, 5, 0, 1};
    int32 file = start_file(path);
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "records_%d", (int)lengths[i]);
        Dataset dataset = {name, i % 2 ? DFNT_FLOAT32 : DFNT_INT16 | DFNT_LITEND, {2, {SD_UNLIMITED, 2}}};
        int32 sds = create(file, &dataset);
        TRY(SDsetdimname(TRY(SDgetdimid(sds, 0)), i < 3 ? "time" : "event"));
        TRY(SDsetdimname(TRY(SDgetdimid(sds, 1)), "x"));
        dataset.shape.dims[0] = lengths[i];
        if (lengths[i])
            write_all(sds, &dataset, (unsigned)i);
        TRY(SDendaccess(sds));
    }
    Dataset fixed = {"fixed", DFNT_INT8, {1, {2}}};
    write_new(file, &fixed, 1);
    TRY(SDend(file));
}

static void append(int32 sds, int32 at, const void *record) {
    int32 start[2] = {at, 0}, edge[2] = {1, 3};
    TRY(SDwritedata(sds, start, NULL, edge, (VOIDP)record));
}

/* Three variables that grow in turns, so that each is a list of blocks; one grows by leaps that leave records unwritten. */
static void linked(const char *path) {
    int32 file = start_file(path), sds[3];
    static const char *const name[] = {"small_blocks", "default_blocks", "gaps"};
    for (int i = 0; i < 3; i++) {
        Dataset dataset = {name[i], i == 1 ? DFNT_FLOAT32 : DFNT_INT32, {2, {SD_UNLIMITED, 3}}};
        sds[i] = create(file, &dataset);
        if (i != 1)
            TRY(SDsetblocksize(sds[i], 20));
    }
    for (int32 record = 0; record < 6; record++) {
        int32 numbers[3] = {record, 10 * record, 100 * record};
        float reals[3] = {(float)record, 0.5f, -1};
        append(sds[0], record, numbers);
        append(sds[1], record, reals);
        append(sds[2], 3 * record, numbers);
    }
    for (int i = 0; i < 3; i++)
        TRY(SDendaccess(sds[i]));
    TRY(SDend(file));
}

/* Two datasets at offsets in another file, and a dataset with a missing file. */
static void external(const char *path) {
    int32 file = start_file(path);
    remove("external.raw");
    static const char *const name[] = {"first", "second", "lost"};
    for (int i = 0; i < 3; i++) {
        Dataset dataset = {name[i], i ? DFNT_INT32 | DFNT_LITEND : DFNT_INT16, {2, {3, 4}}};
        int32 sds = create(file, &dataset);
        TRY(SDsetexternalfile(sds, i < 2 ? "external.raw" : "external_lost.raw", i ? 32 : 4));
        write_all(sds, &dataset, (unsigned)i);
        TRY(SDendaccess(sds));
    }
    TRY(SDend(file));
    remove("external_lost.raw");
}

/* Partly written datasets, with and without filling. */
static void partial(const char *path) {
    int32 file = start_file(path), start[2] = {1, 1}, edge[2] = {2, 2}, stride[2] = {2, 3};
    for (int i = 0; i < 4; i++) {
        static const char *const name[] = {"filled", "filled_value", "strided", "not_filled"};
        Dataset dataset = {name[i], DFNT_INT16, {2, {5, 6}}};
        int16 data[4] = {1, 2, 3, 4}, fill = -1;
        TRY(SDsetfillmode(file, i == 3 ? SD_NOFILL : SD_FILL));
        int32 sds = create(file, &dataset);
        if (i == 1)
            TRY(SDsetfillvalue(sds, &fill));
        TRY(SDwritedata(sds, start, i == 2 ? stride : NULL, edge, data));
        TRY(SDendaccess(sds));
    }
    TRY(SDend(file));
}

const Recipe stored_files[] = {
    {"rle.hdf", rle}, {"huffman_1.hdf", huffman_1}, {"huffman_8.hdf", huffman_8}, {"deflate.hdf", deflate},
    {"runs.hdf", runs}, {"nbit.hdf", nbit}, {"chunked_none.hdf", chunked_none}, {"chunked_rle.hdf", chunked_rle},
    {"chunked_huffman.hdf", chunked_huffman}, {"chunked_deflate.hdf", chunked_deflate},
    {"chunked_others.hdf", chunked_others}, {"records.hdf", records}, {"linked.hdf", linked},
    {"external.hdf", external}, {"partial.hdf", partial}, {NULL, NULL},
};
