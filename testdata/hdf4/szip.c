/* Files with szip, which only a libhdf4 built with libaec writes (not Debian's). */
#include "make.h"

#include <stdio.h>

/* Nearest neighbour (32) or entropy coding (4), as in szlib.h. */
enum { ENTROPY = 4, NEAREST = 32 };

static comp_info szip_info(int32 mask, int32 pixels) {
    comp_info info = {.szip = {.options_mask = mask, .pixels_per_block = pixels}};
    return info;
}

/* Every type, either way of coding, in blocks of 2 to 32 pixels, both byte orders. */
static void szip(const char *path) {
    int32 file = TRY(SDstart(path, DFACC_CREATE));
    for (int i = 1; i < NUMBERS; i++) {
        for (int entropy = 0; entropy < 2; entropy++) {
            char name[64];
            int32 pixels = 2 << (i + entropy) % 5;
            snprintf(name, sizeof name, "%s_%s_%d", numbers[i].name, entropy ? "entropy_little" : "nearest", (int)pixels);
            Dataset dataset = {name, numbers[i].type | (entropy ? DFNT_LITEND : 0), {2, {5, 17}}};
            int32 sds = create(file, &dataset);
            comp_info info = szip_info(entropy ? ENTROPY : NEAREST, pixels);
            TRY(SDsetcompress(sds, COMP_CODE_SZIP, &info));
            write_all(sds, &dataset, (unsigned)i);
            TRY(SDendaccess(sds));
        }
    }
    TRY(SDend(file));
}

/* Chunks, cut at the edges. */
static void chunked_szip(const char *path) {
    static const int32 types[] = {DFNT_UINT8, DFNT_INT16, DFNT_INT32 | DFNT_LITEND, DFNT_FLOAT64};
    int32 file = TRY(SDstart(path, DFACC_CREATE));
    for (int i = 0; i < 4; i++) {
        Dataset dataset = {number_of(types[i])->name, types[i], {2, {9, 21}}};
        int32 sds = create(file, &dataset);
        HDF_CHUNK_DEF def = {.comp = {.chunk_lengths = {4, 8}, .comp_type = COMP_CODE_SZIP}};
        def.comp.cinfo = szip_info(i % 2 ? ENTROPY : NEAREST, 8);
        TRY(SDsetchunk(sds, def, HDF_CHUNK | HDF_COMP));
        write_all(sds, &dataset, (unsigned)i);
        TRY(SDendaccess(sds));
    }
    TRY(SDend(file));
}

const Recipe szip_files[] = {{"szip.hdf", szip}, {"chunked_szip.hdf", chunked_szip}, {NULL, NULL}};
