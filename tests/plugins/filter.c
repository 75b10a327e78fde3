/* A filter plugin for tests: each byte becomes one more. The first parameter says how it misbehaves, the macros of the
 * compiler what kind of library it is. It is built without the headers of HDF5. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ID
#define ID 40100
#endif

typedef int64_t hid_t;

struct filter_class {
    int version, id;
    unsigned encoder_present, decoder_present;
    const char *name;
    int (*can_apply)(hid_t, hid_t, hid_t);
    int (*set_local)(hid_t, hid_t, hid_t);
    size_t (*filter)(unsigned, size_t, const unsigned *, size_t, size_t *, void **);
};

extern hid_t H5E_ERR_CLS_g, H5E_PLINE_g, H5E_CANTFILTER_g, H5T_NATIVE_INT_g, H5T_NATIVE_FLOAT_g;
int H5Epush2(hid_t, const char *, const char *, unsigned, hid_t, hid_t, hid_t, const char *, ...);
int H5Pget_filter_by_id2(hid_t, int, unsigned *, size_t *, unsigned *, size_t, char *, unsigned *);
int H5Pmodify_filter(hid_t, int, unsigned, size_t, const unsigned *);
int H5Pget_nfilters(hid_t);
int H5Pget_filter2(hid_t, unsigned, unsigned *, size_t *, unsigned *, size_t, char *, unsigned *);
int H5Pget_chunk(hid_t, int, uint64_t *);
int H5Pfill_value_defined(hid_t, int *);
int H5Pget_fill_value(hid_t, hid_t, void *);
int H5Sget_simple_extent_ndims(hid_t);
int H5Sget_simple_extent_dims(hid_t, uint64_t *, uint64_t *);
int64_t H5Sget_simple_extent_npoints(hid_t);
int H5Tget_class(hid_t);
size_t H5Tget_size(hid_t);
int H5Tget_order(hid_t);
int H5Tget_sign(hid_t);
size_t H5Tget_precision(hid_t);
hid_t H5Tget_native_type(hid_t, int);
hid_t H5Tget_super(hid_t);
hid_t H5Tcopy(hid_t);
size_t H5Tget_member_offset(hid_t, unsigned);
int H5Tequal(hid_t, hid_t);
void *H5allocate_memory(size_t, unsigned);
int H5free_memory(void *);
int H5Tconvert(hid_t, hid_t, size_t, void *, void *, hid_t);

#ifdef COMMON
int common_work(void);
#endif

/* Integers and others of one to four bytes. */
static int can_apply(hid_t list, hid_t type, hid_t space) {
    (void)list;
    (void)space;
#ifdef WITH_FILL
    int state;
    if (H5Pfill_value_defined(list, &state) < 0 || state != 2)
        return 0;
#endif
    return H5Tget_size(type) <= 4;
}

/* Whether memory that is asked for with this truth is empty. */
static int is_clear(unsigned truth) {
    char *block = malloc(1000);
    int clear = 1;
    memset(block, 1, 1000);
    free(block);
    block = H5allocate_memory(1000, truth);
    for (int i = 0; i < 1000; i++)
        clear &= block[i] == 0;
    H5free_memory(block);
    return clear;
}

/* What is said of two types, which both may be that of the chunk. */
static int questions_of_types(hid_t list, hid_t type, unsigned flags) {
    hid_t native = H5Tget_native_type(type, 0);
    unsigned char bytes[4] = {1, 2, 3, 4};
    unsigned all[12], n = 0;
    all[n++] = H5Tequal(type, type);
    all[n++] = H5Tequal(type, H5Tcopy(type));
    all[n++] = H5Tequal(type, native);
    all[n++] = H5Tequal(type, H5T_NATIVE_INT_g);
    all[n++] = H5Tconvert(type, H5Tcopy(type), 2, bytes, NULL, 0);
    all[n++] = bytes[0];
    all[n++] = H5Tconvert(type, native, 2, bytes, NULL, 0);
    all[n++] = bytes[0];
    all[n++] = is_clear(1);
    all[n++] = is_clear(2);
    all[n++] = H5Tget_sign(H5T_NATIVE_FLOAT_g);
    all[n++] = (unsigned)H5Tget_member_offset(type, 0);
    return H5Pmodify_filter(list, ID, flags, n, all);
}

/* The user's first parameter, then all that can be asked. */
static int set_local(hid_t list, hid_t type, hid_t space) {
    unsigned user[4] = {0}, all[32], n = 0, flags;
    size_t count = 4;
    uint64_t dims[8], extent[8];
    int state = -1, fill = -1, rank = H5Pget_chunk(list, 8, dims);
#ifdef UNCHANGED
    return 1;
#endif
    if (H5Pget_filter_by_id2(list, ID, &flags, &count, user, 0, NULL, NULL) < 0 || rank < 0)
        return -1;
    if (user[0] == 99) {
        H5Epush2(0, __FILE__, __func__, __LINE__, H5E_ERR_CLS_g, H5E_PLINE_g, H5E_CANTFILTER_g, "99 is not taken");
        return -1;
    }
    all[n++] = user[0];
    if (count >= 2 && user[1] == 2)
        return questions_of_types(list, type, flags);
    if (count < 2 || user[1] != 1)
        return H5Pmodify_filter(list, ID, flags, n, all);
    H5Pfill_value_defined(list, &state);
    H5Pget_fill_value(list, H5Tget_native_type(type, 0), &fill);
    H5Sget_simple_extent_dims(space, extent, NULL);
    all[n++] = H5Tget_class(type);
    all[n++] = (unsigned)H5Tget_size(type);
    all[n++] = H5Tget_order(type);
    all[n++] = H5Tget_sign(type);
    all[n++] = (unsigned)H5Tget_precision(type);
    all[n++] = H5Tget_super(type) > 0;
    all[n++] = H5Pget_nfilters(list);
    all[n++] = H5Pget_filter2(list, 0, NULL, NULL, NULL, 0, NULL, NULL);
    all[n++] = flags;
    all[n++] = state;
    all[n++] = fill;
    all[n++] = (unsigned)H5Sget_simple_extent_npoints(space);
    all[n++] = H5Sget_simple_extent_ndims(space);
    for (int i = 0; i < rank; i++)
        all[n++] = dims[i] == extent[i] ? (unsigned)dims[i] : 0;
    all[n++] = (unsigned)H5Tget_size(H5T_NATIVE_INT_g);
    return H5Pmodify_filter(list, ID, flags, n, all);
}

/* Puts a block of `size` bytes in place of the old one, which has `used`. */
static void replace(void **block, size_t used, size_t size) {
    void *other = malloc(size);
    memcpy(other, *block, used < size ? used : size);
    free(*block);
    *block = other;
}

/* Writes to 3 MiB of the stack, from the far end on. */
static __attribute__((noinline)) int deep(void) {
    volatile unsigned char all[3 << 20];
    for (size_t i = 0; i < sizeof all; i += 512)
        all[i] = (unsigned char)i;
    return all[0] == 0;
}

#ifdef TOGETHER
/* Waits until two processes have been in here, for at most 20 s. */
static int meets_another(void) {
    char name[4096];
    snprintf(name, sizeof name, "%s/%ld", TOGETHER, (long)getpid());
    fclose(fopen(name, "w"));
    for (int i = 0; i < 2000; i++) {
        int entries = -2;
        DIR *all = opendir(TOGETHER);
        while (readdir(all))
            entries++;
        closedir(all);
        if (entries >= 2)
            return 1;
        usleep(10000);
    }
    return 0;
}
#endif

static size_t filter(unsigned flags, size_t count, const unsigned *params, size_t used, size_t *size, void **block) {
    int undo = flags & 0x100;
    unsigned how = count ? params[0] : 0;
    for (size_t i = 0; i < used; i++)
        ((unsigned char *)*block)[i] += undo ? -1 : 1;
    switch (how) {
    case 1: /* a larger block, with its size */
        replace(block, used, 3 * used + 1);
        *size = 3 * used + 1;
        return used;
    case 2: /* a larger block, but not its size */
        replace(block, used, 3 * used + 1);
        memset((char *)*block + used, 0, used);
        return undo ? used / 2 : 2 * used;
    case 3: /* a failure that looks like success */
        return (size_t)-1;
    case 4:
        H5Epush2(0, __FILE__, __func__, __LINE__, H5E_ERR_CLS_g, H5E_PLINE_g, H5E_CANTFILTER_g, "it is %d", 4);
        return 0;
    case 5:
        printf("a plugin prints\n");
        fflush(stdout);
        return used;
    case 6: /* more than there is */
        return used + (1 << 20);
    case 7: /* on reading: more than the chunk */
        if (!undo)
            return used;
        replace(block, used, used + 100);
        *size = used + 100;
        return *size;
    case 8: /* on reading: less than the chunk */
        return undo ? used - 1 : used;
    case 9: /* no block any more */
        free(*block);
        *block = NULL;
        return used;
    case 10: { /* works in one thread only: fails if it is called while it works */
        static volatile int inside;
        int others = inside;
        inside = 1;
        usleep(200);
        others |= !inside;
        inside = 0;
        return others ? 0 : used;
    }
    case 11: /* an error of a compressor, as the size of the block, too */
        *size = (size_t)-20;
        return *size;
    case 12: /* more than there is, also in the size of the block */
        *size = used + (1 << 20);
        return *size;
    case 13: /* a crash */
        abort();
    case 14: /* the end of the process, as a success */
        exit(0);
    case 15:
        _exit(0);
    case 16:
        quick_exit(0);
    case 17: /* no end */
        for (;;)
            usleep(1000);
    case 18: /* a crash on reading only */
        if (undo)
            abort();
        return used;
    case 19: /* back in two processes */
        fork();
        return used;
    case 20: { /* all memory that there is, up to 64 GB */
        for (int i = 0; i < 64; i++) {
            char *more = malloc((size_t)1 << 30);
            if (!more)
                abort();
            for (size_t at = 0; at < (size_t)1 << 30; at += 4096)
                more[at] = 1;
        }
        return used;
    }
    case 21:
        return deep() ? used : 0;
    case 23: /* more by the size of an element, if a codec says that */
        for (size_t i = 0; count >= 8 && i < used; i++)
            ((unsigned char *)*block)[i] += undo ? -params[3] : params[3];
        return used;
#ifdef TOGETHER
    case 24:
        return meets_another() ? used : 0;
#endif
#ifdef COMMON
    case 22: /* works in one thread only, together with another plugin */
        return common_work() ? used : 0;
#endif
    default:
        return count || params == NULL ? used : 0;
    }
}

#ifdef MISSING
/* Not a function that a filter could want. */
int H5Dget_storage_size(hid_t);
int missing(void) { return H5Dget_storage_size(0); }
#endif
#ifdef UNDEFINED
int a_function_of_nobody(void);
int undefined(void) { return a_function_of_nobody(); }
#endif
#ifdef TOUCH
/* Says that the library was loaded. */
__attribute__((constructor)) static void loaded(void) { fclose(fopen(TOUCH, "w")); }
#endif

#ifdef CONSTRUCTOR
__attribute__((constructor)) static void begin(void) { CONSTRUCTOR; }
#endif
#ifdef DESTRUCTOR
__attribute__((destructor)) static void end(void) { DESTRUCTOR; }
#endif

#ifndef VERSION
#define VERSION 1
#endif
#ifndef TYPE
#define TYPE 0
#endif
static const struct filter_class info = {VERSION, ID, 1, 1, "one more", can_apply, set_local, filter};

#ifndef HIDDEN
int H5PLget_plugin_type(void) { return TYPE; }
const void *H5PLget_plugin_info(void) { return &info; }
#else
const void *hidden(void) { return &info; }
#endif
