/* Files that are not committed: of random datasets, sparse, large. */
#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned below(unsigned *state, unsigned limit) {
    return noise(state) % limit;
}

/* The rank follows from the number of the dataset, so that .ci/hdf4 knows the ranks for hrepack. */
static void random_shape(unsigned *state, int at, Shape *shape) {
    shape->rank = 1 + at % 4;
    for (int i = 0; i < shape->rank; i++)
        shape->dims[i] = 1 + (int32)below(state, shape->rank < 3 ? 40 : 9);
}

/* A coder that fits the type. */
static int32 random_coder(unsigned *state, const Dataset *dataset, comp_info *info) {
    memset(info, 0, sizeof *info);
    switch (below(state, 4)) {
    case 0: return COMP_CODE_RLE;
    case 1:
        info->skphuff.skp_size = below(state, 2) ? (intn)number_of(dataset->type)->size : 1 + (intn)below(state, 9);
        return COMP_CODE_SKPHUFF;
    case 2: info->deflate.level = (intn)below(state, 10); return COMP_CODE_DEFLATE;
    default: return COMP_CODE_NONE;
    }
}

static int whole_numbers(int32 type) {
    int32 plain = number_of(type)->type;
    return plain != DFNT_FLOAT32 && plain != DFNT_FLOAT64 && plain != DFNT_CHAR8;
}

typedef struct {
    intn start, length, sign, one;
} Bits;

static Bits random_bits(unsigned *state, int32 type) {
    unsigned width = 8 * (unsigned)number_of(type)->size, length = 1 + below(state, width);
    Bits bits = {(intn)(length - 1 + below(state, width - length + 1)), (intn)length, (intn)below(state, 2),
                 (intn)below(state, 2)};
    return bits;
}

static void set_chunks(int32 sds, const Dataset *dataset, unsigned *state) {
    HDF_CHUNK_DEF def;
    int32 lengths[H4_MAX_VAR_DIMS], flags = HDF_CHUNK;
    memset(&def, 0, sizeof def);
    for (int i = 0; i < dataset->shape.rank; i++)
        lengths[i] = 1 + (int32)below(state, (unsigned)dataset->shape.dims[i]);
    if (whole_numbers(dataset->type) && below(state, 4) == 0) {
        Bits bits = random_bits(state, dataset->type);
        def.nbit.start_bit = bits.start;
        def.nbit.bit_len = bits.length;
        def.nbit.sign_ext = bits.sign;
        def.nbit.fill_one = bits.one;
        memcpy(def.nbit.chunk_lengths, lengths, sizeof lengths);
        flags |= HDF_NBIT;
    } else {
        comp_info info;
        int32 coder = random_coder(state, dataset, &info);
        memcpy(def.comp.chunk_lengths, lengths, sizeof lengths);
        if (coder != COMP_CODE_NONE) {
            def.comp.comp_type = coder;
            def.comp.cinfo = info;
            flags |= HDF_COMP;
        }
    }
    TRY(SDsetchunk(sds, def, flags));
}

/* Whether the dataset must be written as a whole. */
static int random_storage(int32 sds, const Dataset *dataset, unsigned *state) {
    comp_info info;
    switch (below(state, 4)) {
    case 0: return 0;
    case 1: set_chunks(sds, dataset, state); return 0;
    case 2:
        if (whole_numbers(dataset->type)) {
            Bits bits = random_bits(state, dataset->type);
            TRY(SDsetnbitdataset(sds, bits.start, bits.length, bits.sign, bits.one));
            return 1;
        }
        return 0;
    default: {
        int32 coder = random_coder(state, dataset, &info);
        if (coder != COMP_CODE_NONE)
            TRY(SDsetcompress(sds, coder, &info));
        return 1;
    }
    }
}

/* A region somewhere in the shape. */
static void random_region(const Shape *shape, unsigned *state, int32 *start, int32 *edge) {
    for (int i = 0; i < shape->rank; i++) {
        start[i] = (int32)below(state, (unsigned)shape->dims[i]);
        edge[i] = 1 + (int32)below(state, (unsigned)(shape->dims[i] - start[i]));
    }
}

static void random_write(int32 sds, const Dataset *dataset, int whole, unsigned *state) {
    if (whole || below(state, 3)) {
        write_all(sds, dataset, below(state, 1000));
        return;
    }
    void *data = values(dataset->type, elements(&dataset->shape), below(state, 1000));
    for (unsigned parts = below(state, 4); parts > 0; parts--) {
        int32 start[H4_MAX_VAR_DIMS], edge[H4_MAX_VAR_DIMS];
        random_region(&dataset->shape, state, start, edge);
        TRY(SDwritedata(sds, start, NULL, edge, data));
    }
    free(data);
}

static void random_dataset(int32 file, int at, unsigned *state) {
    char name[16];
    snprintf(name, sizeof name, "v%d", at);
    Dataset dataset = {name, numbers[below(state, NUMBERS)].type | (below(state, 2) ? DFNT_LITEND : 0), {0, {0}}};
    random_shape(state, at, &dataset.shape);
    int unlimited = below(state, 6) == 0;
    Dataset made = dataset;
    if (unlimited)
        made.shape.dims[0] = SD_UNLIMITED;
    int32 sds = create(file, &made);
    if (below(state, 2)) {
        void *fill = values(dataset.type, 3, 1);
        TRY(SDsetfillvalue(sds, (char *)fill + 2 * number_of(dataset.type)->size));
        free(fill);
    }
    int whole = unlimited ? 0 : random_storage(sds, &dataset, state);
    if (unlimited && below(state, 2))
        TRY(SDsetblocksize(sds, 1 + (int32)below(state, 300)));
    random_write(sds, &dataset, whole, state);
    TRY(SDendaccess(sds));
}

void random_file(const char *path, unsigned seed) {
    unsigned state = seed * 2654435761u + 12345;
    remove(path);
    int32 file = TRY(SDstart(path, DFACC_CREATE));
    for (int i = 0; i < 40; i++)
        random_dataset(file, i, &state);
    TRY(SDend(file));
}

static void sparse_set(int32 file, const char *name, int32 mebibytes) {
    int32 dims[2] = {mebibytes, 1 << 20}, start[2] = {mebibytes - 1, (1 << 20) - 4}, edge[2] = {1, 4};
    int32 sds = TRY(SDcreate(file, name, DFNT_INT8, 2, dims));
    TRY(SDwritedata(sds, start, NULL, edge, "\1\2\3\4"));
    TRY(SDendaccess(sds));
}

/* The second dataset begins beyond 2000 MiB; the last bytes lie just before 2 GiB, where 32-bit offsets end. */
void sparse_file(const char *path) {
    remove(path);
    int32 file = TRY(SDstart(path, DFACC_CREATE));
    TRY(SDsetfillmode(file, SD_NOFILL));
    sparse_set(file, "first", 2000);
    sparse_set(file, "second", 46);
    Dataset last = {"last", DFNT_FLOAT64, {1, {5}}};
    write_new(file, &last, 1);
    TRY(SDend(file));
}

/* One dataset of floats: smooth with noise in the lowest bits, so that deflate has work to do. */
void repack_input(const char *path, long megabytes) {
    remove(path);
    int32 file = TRY(SDstart(path, DFACC_CREATE)), dims[2] = {(int32)megabytes * 64, 4096}, start[2] = {0, 0}, edge[2] = {1, 4096};
    int32 sds = TRY(SDcreate(file, "data", DFNT_FLOAT32, 2, dims));
    float row[4096];
    unsigned state = 1;
    TRY(SDsetfillmode(file, SD_NOFILL));
    for (start[0] = 0; start[0] < dims[0]; start[0]++) {
        for (int i = 0; i < 4096; i++)
            row[i] = (float)(250 + (start[0] % 512) / 16 + i / 256) + (float)(noise(&state) % 256) / 512;
        TRY(SDwritedata(sds, start, NULL, edge, row));
    }
    TRY(SDendaccess(sds));
    TRY(SDend(file));
}
