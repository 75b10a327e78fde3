/* Makes `coders.txt`: chunks as libhdf4 stores them with each of its coders, and what it reads back.
 *
 * A line is: coder, its parameters as our filters have them, stored bytes, decoded bytes as they are in the file, all in hexadecimal.
 * Each dataset is written through the SD interface to a file of its own. The stored bytes are those of the file's only element with
 * DFTAG_COMPRESSED, the decoded ones those that Hread finds in the dataset's element. SDreaddata must agree with them.
 *
 * Made with Debian's libhdf4-dev 4.2.15, and for szip, which Debian leaves out, with libhdf4 4.3 built with libaec:
 *
 *     cc -o make_coders make_coders.c -I/usr/include/hdf -lmfhdf -ldf
 *     ./make_coders /tmp/coders.hdf >coders.txt
 *     ./make_coders-szip /tmp/coders.hdf szip >>coders.txt
 *
 * Unused bits at the end of N-bit and skipping Huffman are whatever was in libhdf4's memory: they differ from run to run. Standard error
 * tells where libhdf4 does not read what it was given. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf.h"
#include "mfhdf.h"

#define MOST 20000

/* How the data gets into the file. */
enum way { WHOLE, HALVES, REOPENED, REWRITTEN, PARTIAL };
static const char *const ways[] = {"", "in halves", "in halves, reopened", "rewritten", "in part"};

enum kind { ZEROS, RAMP, NOISE, FEW, STEPS, RUNS };

struct spec {
    comp_coder_t coder;
    int32 type;
    int32 rank;
    int32 shape[2];
    enum kind kind;
    int run; /* of RUNS: elements of a run */
    enum way way;
    comp_info info;
};

static const char *file;
static const char *only;

static uint32 state;
static uint32 noise(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

/* Fills `count` elements of `size` bytes in the order of memory (little-endian). */
static void fill(const struct spec *s, uint8 *data, int count, int size)
{
    state = 12345;
    for (int i = 0; i < count; i++) {
        unsigned long long v = 0;
        switch (s->kind) {
            case ZEROS: v = 0; break;
            case RAMP: v = 1000 + 3ull * i + (i * i >> 5 & 7); break;
            case NOISE: v = (unsigned long long)noise() << 40 ^ (unsigned long long)noise() << 20 ^ noise(); break;
            case FEW: v = "aaabacadaeab"[noise() % 12]; break;
            case STEPS: v = i / 7; break;
            case RUNS: v = i / (s->run + 1) * 7 + (i % (s->run + 1) == s->run ? 100 : 0); break;
        }
        memcpy(data + (size_t)i * size, &v, size);
    }
}

static void swap(uint8 *data, int count, int size)
{
    for (int i = 0; i < count; i++, data += size)
        for (int a = 0, b = size - 1; a < b; a++, b--) {
            uint8 c = data[a];
            data[a] = data[b];
            data[b] = c;
        }
}

static int elements(const struct spec *s)
{
    return s->rank == 2 ? s->shape[0] * s->shape[1] : s->shape[0];
}

/* Writes rows `from` to `to`. */
static int put(int32 sds, const struct spec *s, uint8 *data, int size, int from, int to)
{
    int32 start[2] = {from, 0}, edges[2] = {to - from, s->shape[1]};
    int row = s->rank == 2 ? s->shape[1] : 1;
    return SDwritedata(sds, start, NULL, edges, data + (size_t)from * row * size);
}

static int make(struct spec *s, uint8 *data, int size)
{
    int rows = s->shape[0], status = 0;
    int32 sd = SDstart(file, DFACC_CREATE);
    int32 sds = SDcreate(sd, "v", s->type, s->rank, s->shape);
    if (s->coder == COMP_CODE_NBIT)
        status = SDsetnbitdataset(sds, s->info.nbit.start_bit, s->info.nbit.bit_len, s->info.nbit.sign_ext,
                                  s->info.nbit.fill_one);
    else
        status = SDsetcompress(sds, s->coder, &s->info);
    if (status == FAIL)
        goto end;
    switch (s->way) {
        case WHOLE: status = put(sds, s, data, size, 0, rows); break;
        case PARTIAL: status = put(sds, s, data, size, 0, rows / 2); break;
        case HALVES:
            status = put(sds, s, data, size, 0, rows / 2);
            if (status != FAIL)
                status = put(sds, s, data, size, rows / 2, rows);
            break;
        case REOPENED:
        case REWRITTEN: {
            uint8 *first = data;
            if (s->way == REWRITTEN) {
                struct spec other = *s;
                other.kind = NOISE;
                first = malloc(MOST);
                fill(&other, first, elements(s), size);
            }
            status = put(sds, s, first, size, 0, s->way == REWRITTEN ? rows : rows / 2);
            SDendaccess(sds);
            SDend(sd);
            if (first != data)
                free(first);
            sd = SDstart(file, DFACC_RDWR);
            sds = SDselect(sd, 0);
            if (status != FAIL)
                status = put(sds, s, data, size, s->way == REWRITTEN ? 0 : rows / 2, rows);
            break;
        }
    }
end:
    SDendaccess(sds);
    SDend(sd);
    return status;
}

static void hex(const uint8 *data, int len)
{
    putchar(' ');
    for (int i = 0; i < len; i++)
        printf("%02x", data[i]);
    if (len == 0)
        putchar('-');
}

/* Reads all bytes of the first element with `tag`; the parameters of its coder go to `info`. */
static int get(uint16 tag, uint8 *bytes, comp_info *info)
{
    int32 id = Hopen(file, DFACC_READ, 0), length = 0, got = 0;
    int32 aid = Hstartread(id, tag, DFREF_WILDCARD);
    uint16 found, ref;
    if (aid != FAIL) {
        Hinquire(aid, NULL, &found, &ref, &length, NULL, NULL, NULL, NULL);
        if (length > MOST)
            exit(3);
        got = length == 0 ? 0 : Hread(aid, length, bytes);
        if (info) {
            comp_coder_t coder;
            HCPgetcompinfo(id, found, ref, &coder, info);
        }
        Hendaccess(aid);
    }
    Hclose(id);
    return got == FAIL ? -1 : got;
}

static void head(const struct spec *s, const comp_info *c, int size)
{
    switch (s->coder) {
        case COMP_CODE_RLE: printf("rle -"); break;
        case COMP_CODE_NBIT:
            printf("nbit %d,%d,%d,%d,%d,%d", (int)c->nbit.nt, c->nbit.sign_ext, c->nbit.fill_one, c->nbit.start_bit,
                   c->nbit.bit_len, size);
            break;
        case COMP_CODE_SKPHUFF: printf("skphuff %d", c->skphuff.skp_size); break;
        case COMP_CODE_DEFLATE: printf("deflate %d", s->info.deflate.level); break;
        case COMP_CODE_SZIP:
            printf("szip %d,%d,%d,%d,%d", (int)(c->szip.options_mask | 0x10000), (int)c->szip.pixels_per_block,
                   (int)c->szip.pixels_per_scanline, (int)c->szip.bits_per_pixel, (int)c->szip.pixels);
            break;
        default: exit(2);
    }
}

static void one(struct spec s)
{
    static uint8 data[MOST], plain[MOST], stored[MOST], again[MOST];
    int size = DFKNTsize(s.type), count = elements(&s), len = count * size;
    if ((s.coder == COMP_CODE_SZIP) != (only && strcmp(only, "szip") == 0))
        return;
    fill(&s, data, count, size);
    int status = make(&s, data, size);
    comp_info info;
    memset(&info, 0, sizeof info);
    memset(plain, 0xEE, sizeof plain);
    int got = get(DFTAG_SD, plain, &info), coded = get(DFTAG_COMPRESSED, stored, NULL);
    char where[200];
    snprintf(where, sizeof where, "coder %d type %d count %d kind %d %s", (int)s.coder, (int)s.type, count, s.kind,
             ways[s.way]);
    if (status == FAIL || got != len || coded < 1) {
        fprintf(stderr, "%s: write %d, read %d of %d bytes, %d stored\n", where, status, got, len, coded);
        return;
    }
    /* what the program gets */
    int32 sd = SDstart(file, DFACC_READ), sds = SDselect(sd, 0), start[2] = {0, 0};
    memset(again, 0xEE, sizeof again);
    status = SDreaddata(sds, start, NULL, s.shape, again);
    SDendaccess(sds);
    SDend(sd);
    int little = (s.type & DFNT_LITEND) != 0;
    if (!little) {
        swap(again, count, size);
        swap(data, count, size);
    }
    if (status == FAIL || memcmp(again, plain, len) != 0)
        fprintf(stderr, "%s: SDreaddata (%d) and Hread differ\n", where, status);
    if (s.coder != COMP_CODE_NBIT && memcmp(data, plain, len) != 0)
        fprintf(stderr, "%s: other values than were written\n", where);
    head(&s, &info, size);
    hex(stored, coded);
    hex(plain, len);
    putchar('\n');
}

static struct spec base(comp_coder_t coder, int32 type, int count, enum kind kind)
{
    struct spec s;
    memset(&s, 0, sizeof s);
    s.coder = coder;
    s.type = type;
    s.rank = 1;
    s.shape[0] = count;
    s.kind = kind;
    return s;
}

static const int32 types[] = {DFNT_INT8,         DFNT_UINT8,        DFNT_CHAR8,        DFNT_INT16,       DFNT_UINT16,
                              DFNT_INT32,        DFNT_UINT32,       DFNT_FLOAT32,      DFNT_FLOAT64,     DFNT_LINT8,
                              DFNT_LITEND | DFNT_INT16, DFNT_LITEND | DFNT_UINT16, DFNT_LITEND | DFNT_INT32,
                              DFNT_LITEND | DFNT_UINT32, DFNT_LITEND | DFNT_FLOAT32, DFNT_LITEND | DFNT_FLOAT64};
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static void rle(void)
{
    static const int lengths[] = {1, 2, 3, 4, 127, 128, 129, 130, 131, 132, 133, 259, 260, 261};
    for (int n = 0; n < COUNT(lengths); n++) {
        one(base(COMP_CODE_RLE, DFNT_UINT8, lengths[n], ZEROS));
        one(base(COMP_CODE_RLE, DFNT_UINT8, lengths[n], NOISE));
    }
    static const int runs[] = {1, 2, 3, 4, 127, 128, 129, 130, 131};
    for (int n = 0; n < COUNT(runs); n++) {
        struct spec s = base(COMP_CODE_RLE, DFNT_INT8, runs[n] * 2 + 5, RUNS);
        s.run = runs[n];
        one(s);
    }
    for (int t = 0; t < COUNT(types); t++)
        one(base(COMP_CODE_RLE, types[t], 37, STEPS));
}

static void nbit_one(int32 type, int count, int start, int len, int flags)
{
    struct spec s = base(COMP_CODE_NBIT, type, count, NOISE);
    s.info.nbit.start_bit = start;
    s.info.nbit.bit_len = len;
    s.info.nbit.sign_ext = flags & 1;
    s.info.nbit.fill_one = flags >> 1;
    one(s);
}

static void nbit(void)
{
    static const int32 of[] = {DFNT_INT8,
                               DFNT_UINT16,
                               DFNT_INT32,
                               DFNT_FLOAT64,
                               DFNT_LITEND | DFNT_INT16,
                               DFNT_LITEND | DFNT_UINT32,
                               DFNT_LITEND | DFNT_FLOAT64};
    for (int t = 0; t < COUNT(of); t++) {
        int bits = DFKNTsize(of[t]) * 8;
        for (int flags = 0; flags < 4; flags++) {
            const int fields[][2] = {{bits - 1, bits}, {bits - 1, 3}, {6, 7},          {6, 4},          {0, 1},
                                     {bits - 2, bits - 3}, {bits / 2, bits / 2 - 1}, {bits / 2 - 1, 3}, {bits - 1, bits - 1}};
            for (int f = 0; f < COUNT(fields); f++)
                nbit_one(of[t], 5, fields[f][0], fields[f][1], flags);
        }
        nbit_one(of[t], 1, bits / 2 + 1, 3, 1);
    }
    /* more than libhdf4 has in its buffer */
    nbit_one(DFNT_INT16, 700, 11, 7, 1);
    nbit_one(DFNT_INT32, 300, 20, 13, 3);
    nbit_one(DFNT_FLOAT64, 129, 63, 33, 2);
    /* more bits than there are below the first */
    nbit_one(DFNT_INT16, 5, 3, 8, 0);
    nbit_one(DFNT_INT32, 5, 13, 30, 1);
}

static void skphuff(void)
{
    static const int skips[] = {1, 2, 3, 4, 8, 16};
    static const int counts[] = {1, 7, 40};
    for (int n = 0; n < COUNT(skips); n++)
        for (int c = 0; c < COUNT(counts); c++)
            for (int k = RAMP; k <= STEPS; k++) {
                static const int32 of[] = {0, DFNT_INT8, DFNT_INT16, DFNT_UINT8, DFNT_INT32, 0, 0, 0, DFNT_FLOAT64};
                int32 type = skips[n] <= 8 ? of[skips[n]] : DFNT_INT32;
                struct spec s = base(COMP_CODE_SKPHUFF, type, counts[c], k);
                s.info.skphuff.skp_size = skips[n];
                one(s);
            }
    for (int t = 0; t < COUNT(types); t++) {
        struct spec s = base(COMP_CODE_SKPHUFF, types[t], 11, RAMP);
        s.info.skphuff.skp_size = DFKNTsize(types[t]);
        one(s);
    }
    /* deep trees */
    struct spec s = base(COMP_CODE_SKPHUFF, DFNT_UINT8, 3000, RAMP);
    s.info.skphuff.skp_size = 1;
    one(s);
    s.kind = ZEROS;
    one(s);
}

static void deflate(void)
{
    static const int levels[] = {0, 1, 6, 9};
    for (int n = 0; n < COUNT(levels); n++)
        for (int k = ZEROS; k <= STEPS; k++) {
            struct spec s = base(COMP_CODE_DEFLATE, DFNT_INT16, 60, k);
            s.info.deflate.level = levels[n];
            one(s);
        }
}

static void written(void)
{
    static const comp_coder_t coders[] = {COMP_CODE_RLE, COMP_CODE_NBIT, COMP_CODE_SKPHUFF, COMP_CODE_DEFLATE,
                                          COMP_CODE_SZIP};
    for (int c = 0; c < COUNT(coders); c++)
        for (int w = HALVES; w <= PARTIAL; w++) {
            struct spec s = base(coders[c], DFNT_INT16, 150, RUNS);
            s.run = 5;
            s.way = w;
            switch (coders[c]) {
                case COMP_CODE_NBIT: s.info.nbit.start_bit = 15, s.info.nbit.bit_len = 16; break;
                case COMP_CODE_SKPHUFF: s.info.skphuff.skp_size = 2; break;
                case COMP_CODE_DEFLATE: s.info.deflate.level = 6; break;
                case COMP_CODE_SZIP: s.info.szip.options_mask = 32, s.info.szip.pixels_per_block = 8; break;
                default: break;
            }
            one(s);
        }
}

static void szip(void)
{
    static const int masks[] = {4, 32, 32 | 16, 4 | 8, 32 | 128, 4 | 128 | 16};
    static const int blocks[] = {2, 8, 16, 32};
    static const int32 of[] = {DFNT_UINT8,
                               DFNT_INT16,
                               DFNT_LITEND | DFNT_UINT16,
                               DFNT_INT32,
                               DFNT_LITEND | DFNT_FLOAT32,
                               DFNT_FLOAT64,
                               DFNT_LITEND | DFNT_FLOAT64};
    for (int t = 0; t < COUNT(of); t++)
        for (int m = 0; m < COUNT(masks); m++) {
            struct spec s = base(COMP_CODE_SZIP, of[t], 67, m % 2 ? RAMP : STEPS);
            s.info.szip.options_mask = masks[m];
            s.info.szip.pixels_per_block = blocks[(t + m) % COUNT(blocks)];
            one(s);
        }
    static const int32 shapes[][2] = {{3, 40}, {10, 5}, {2, 33}, {1, 32}, {30, 3}};
    for (int n = 0; n < COUNT(shapes); n++)
        for (int k = ZEROS; k <= STEPS; k++) {
            struct spec s = base(COMP_CODE_SZIP, k % 2 ? DFNT_INT32 : DFNT_UINT16, 0, k);
            s.rank = 2;
            s.shape[0] = shapes[n][0];
            s.shape[1] = shapes[n][1];
            s.info.szip.options_mask = n % 2 ? 32 : 4;
            s.info.szip.pixels_per_block = 16;
            one(s);
        }
    /* fewer pixels than a block; what does not shrink */
    for (int count = 1; count < 40; count += 9) {
        struct spec s = base(COMP_CODE_SZIP, DFNT_INT16, count, NOISE);
        s.info.szip.options_mask = 32;
        s.info.szip.pixels_per_block = 8;
        one(s);
    }
    struct spec s = base(COMP_CODE_SZIP, DFNT_INT8, 3000, ZEROS);
    s.info.szip.options_mask = 32;
    s.info.szip.pixels_per_block = 8;
    one(s);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    file = argv[1];
    only = argc > 2 ? argv[2] : NULL;
    rle();
    nbit();
    skphuff();
    deflate();
    szip();
    written();
    return 0;
}
