/* A filter plugin with a codec that calls all functions with results in memory of the caller. Each result gets exactly as
 * much memory as C code may assume, between bytes that must not change. The stored parameters are the number of
 * functions that changed them, and what else was found. It is built without the headers of HDF5 and netCDF. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ID
#define ID 40110
#endif

typedef int64_t hid_t;

int H5get_libversion(unsigned *, unsigned *, unsigned *);
int H5is_library_threadsafe(_Bool *);
int H5Eget_auto1(void **, void **);
int H5Eget_auto2(hid_t, void **, void **);
int H5Zget_filter_info(int, unsigned *);
int H5Iget_type(hid_t);
hid_t H5Ecreate_msg(hid_t, int, const char *);
hid_t H5Eregister_class(const char *, const char *, const char *);
hid_t H5Pget_class(hid_t);
int H5Pget_chunk(hid_t, int, uint64_t *);
int H5Pget_filter1(hid_t, unsigned, unsigned *, size_t *, unsigned *, size_t, char *);
int H5Pget_filter2(hid_t, unsigned, unsigned *, size_t *, unsigned *, size_t, char *, unsigned *);
int H5Pget_filter_by_id1(hid_t, int, unsigned *, size_t *, unsigned *, size_t, char *);
int H5Pget_filter_by_id2(hid_t, int, unsigned *, size_t *, unsigned *, size_t, char *, unsigned *);
int H5Pmodify_filter(hid_t, int, unsigned, size_t, const unsigned *);
int H5Pfill_value_defined(hid_t, int *);
int H5Pget_fill_value(hid_t, hid_t, void *);
int H5Sget_simple_extent_ndims(hid_t);
int H5Sget_simple_extent_dims(hid_t, uint64_t *, uint64_t *);
size_t H5Tget_size(hid_t);
hid_t H5Tget_native_type(hid_t, int);
int H5Tconvert(hid_t, hid_t, size_t, void *, void *, hid_t);
extern hid_t H5E_ERR_CLS_g, H5E_PLINE_g, H5P_CLS_DATASET_CREATE_ID_g, H5P_CLS_ROOT_ID_g, H5T_NATIVE_INT_g;
int nc_inq_var(int, int, char *, int *, int *, int *, int *);
int nc_inq_varname(int, int, char *);
int nc_inq_vartype(int, int, int *);
int nc_inq_varndims(int, int, int *);
int nc_inq_vardimid(int, int, int *);
int nc_inq_type(int, int, char *, size_t *);
int nc_inq_dimlen(int, int, size_t *);
int nc_inq_var_chunking(int, int, int *, size_t *);
int nc_inq_var_endian(int, int, int *);
int nc_inq_var_fill(int, int, int *, void *);
int nc_free_string(size_t, char **);
void ncaux_h5filterspec_fix8(void *, int);

enum { SIDE = 1 << 14, RANK = 32, VAR_DIMS = 1024, NAME = 257 };

static unsigned over;

/* Memory of `size` bytes, with bytes on both sides. */
static void *give(size_t size) {
    unsigned char *all = malloc(sizeof size + size + 2 * SIDE);
    memset(all, 0xEE, sizeof size + size + 2 * SIDE);
    memcpy(all, &size, sizeof size);
    return all + sizeof size + SIDE;
}

/* Looks at the bytes on both sides. */
static void take(const char *function, void *given) {
    unsigned char *start = (unsigned char *)given - SIDE;
    size_t size, changed = 0;
    memcpy(&size, start - sizeof size, sizeof size);
    for (size_t n = 0; n < SIDE; n++)
        changed += (start[n] != 0xEE) + (start[SIDE + size + n] != 0xEE);
    if (changed) {
        fprintf(stderr, "%s wrote %zu bytes beside %zu\n", function, changed, size);
        over++;
    }
    free(start - sizeof size);
}

static void queries_of_filters(hid_t list) {
    for (size_t room = 0; room < 4; room++) {
        for (int function = 0; function < 4; function++) {
            unsigned *flags = give(sizeof *flags), *config = give(sizeof *config);
            unsigned *params = give(room * sizeof *params);
            size_t *count = give(sizeof *count);
            char *name = give(room);
            *count = room;
            if (function == 0)
                H5Pget_filter1(list, 0, flags, count, params, room, name);
            else if (function == 1)
                H5Pget_filter2(list, 0, flags, count, params, room, name, config);
            else if (function == 2)
                H5Pget_filter_by_id1(list, ID, flags, count, params, room, name);
            else
                H5Pget_filter_by_id2(list, ID, flags, count, params, room, name, config);
            take("H5Pget_filter: flags", flags);
            take("H5Pget_filter: config", config);
            take("H5Pget_filter: params", params);
            take("H5Pget_filter: count", count);
            take("H5Pget_filter: name", name);
        }
    }
}

static void queries_of_shapes(hid_t list, hid_t space) {
    int rank = H5Sget_simple_extent_ndims(space);
    for (int most = 0; most <= RANK; most++) {
        uint64_t *dims = give(most * sizeof *dims);
        H5Pget_chunk(list, most, dims);
        take("H5Pget_chunk", dims);
    }
    if (rank < 0)
        rank = RANK;
    uint64_t *dims = give(rank * sizeof *dims), *max = give(rank * sizeof *max);
    H5Sget_simple_extent_dims(space, dims, max);
    take("H5Sget_simple_extent_dims", dims);
    take("H5Sget_simple_extent_dims: max", max);
}

static void queries_of_values(hid_t list, hid_t type) {
    hid_t native = H5Tget_native_type(type, 0), types[] = {type, native, H5T_NATIVE_INT_g};
    int *state = give(sizeof *state);
    H5Pfill_value_defined(list, state);
    take("H5Pfill_value_defined", state);
    for (int n = 0; n < 3; n++) {
        void *value = give(H5Tget_size(types[n]));
        H5Pget_fill_value(list, types[n], value);
        take("H5Pget_fill_value", value);
        value = give(3 * H5Tget_size(types[n]));
        H5Tconvert(types[n], type, 3, value, NULL, 0);
        H5Tconvert(type, types[n], H5Tget_size(type) <= H5Tget_size(types[n]) ? 3 : 0, value, NULL, 0);
        take("H5Tconvert", value);
    }
}

static void queries_of_the_library(void) {
    unsigned *all[4];
    void **print = give(sizeof *print), **data = give(sizeof *data);
    _Bool *safe = give(sizeof *safe);
    for (int n = 0; n < 4; n++)
        all[n] = give(sizeof *all[n]);
    H5get_libversion(all[0], all[1], all[2]);
    H5Zget_filter_info(ID, all[3]);
    H5is_library_threadsafe(safe);
    H5Eget_auto1(print, data);
    H5Eget_auto2(0, print, data);
    for (int n = 0; n < 4; n++)
        take("H5get_libversion, H5Zget_filter_info", all[n]);
    take("H5Eget_auto", print);
    take("H5Eget_auto: data", data);
    take("H5is_library_threadsafe", safe);
}

static int set_local(hid_t list, hid_t type, hid_t space) {
    over = 0;
    queries_of_filters(list);
    queries_of_shapes(list, space);
    queries_of_values(list, type);
    queries_of_the_library();
    unsigned version[3];
    H5get_libversion(version, version + 1, version + 2);
    unsigned all[] = {
        over,
        100 * version[0] + version[1],
        H5Iget_type(type),
        H5Iget_type(H5T_NATIVE_INT_g),
        H5Iget_type(space),
        H5Iget_type(H5P_CLS_ROOT_ID_g),
        H5Iget_type(H5Pget_class(list)),
        H5Iget_type(list),
        H5Iget_type(H5E_ERR_CLS_g),
        H5Iget_type(H5Eregister_class("", "", "")),
        H5Iget_type(H5E_PLINE_g),
        H5Iget_type(H5Ecreate_msg(H5E_ERR_CLS_g, 0, "")),
        H5Iget_type(7),
        H5Sget_simple_extent_ndims(space),
    };
    return H5Pmodify_filter(list, ID, 0, sizeof all / sizeof *all, all);
}

static void queries_of_dimensions(int set, int var) {
    int *rank = give(sizeof *rank), *storage = give(sizeof *storage);
    size_t *len = give(sizeof *len);
    int room = nc_inq_varndims(set, var, rank) ? VAR_DIMS : *rank;
    int *dims = give(room * sizeof *dims);
    size_t *shape = give(room * sizeof *shape);
    nc_inq_vardimid(set, var, dims);
    nc_inq_var_chunking(set, var, storage, shape);
    nc_inq_dimlen(set, 0, len);
    take("nc_inq_varndims", rank);
    take("nc_inq_vardimid", dims);
    take("nc_inq_var_chunking", storage);
    take("nc_inq_var_chunking: shape", shape);
    take("nc_inq_dimlen", len);
}

static void queries_of_variables(int set, int var) {
    char *name = give(NAME);
    int *ints[4], room, *dims;
    for (int n = 0; n < 4; n++)
        ints[n] = give(sizeof *ints[n]);
    room = nc_inq_varndims(set, var, ints[1]) ? VAR_DIMS : *ints[1];
    dims = give(room * sizeof *dims);
    nc_inq_varname(set, var, name);
    nc_inq_vartype(set, var, ints[0]);
    nc_inq_var(set, var, name, ints[0], ints[1], dims, ints[2]);
    nc_inq_var_endian(set, var, ints[3]);
    for (int n = 0; n < 4; n++)
        take("nc_inq_var", ints[n]);
    take("nc_inq_var: dims", dims);
    take("nc_inq_var: name", name);
}

/* The first bytes of the fill value, or of its text. */
static unsigned queries_of_types(int set, int var) {
    int type, *none = give(sizeof *none);
    unsigned first = 0;
    size_t size = 0;
    if (nc_inq_vartype(set, var, &type))
        return 0;
    for (int other = 0; other < 40; other++) {
        char *name = give(NAME);
        size_t *bytes = give(sizeof *bytes);
        if (nc_inq_type(set, other == 0 ? type : other, name, bytes) == 0 && other == 0)
            size = *bytes;
        take("nc_inq_type", bytes);
        take("nc_inq_type: name", name);
    }
    void *value = give(size);
    memset(value, 0, size);
    nc_inq_var_fill(set, var, none, value);
    if (type == 12) {
        char *text = *(char **)value;
        memcpy(&first, text ? text : "", text ? strnlen(text, 4) : 0);
        nc_free_string(1, value);
    } else
        memcpy(&first, value, size < 4 ? size : 4);
    take("nc_inq_var_fill", value);
    take("nc_inq_var_fill: none", none);
    value = give(8);
    ncaux_h5filterspec_fix8(value, 0);
    ncaux_h5filterspec_fix8(value, 1);
    take("ncaux_h5filterspec_fix8", value);
    return first;
}

static int modify(int set, int var, size_t *shown, unsigned **visible, size_t *count, unsigned **working) {
    (void)shown;
    (void)visible;
    over = 0;
    queries_of_dimensions(set, var);
    queries_of_variables(set, var);
    unsigned first = queries_of_types(set, var);
    *count = 2;
    *working = malloc(2 * sizeof **working);
    (*working)[0] = over;
    (*working)[1] = first;
    return 0;
}

static int to_params(const char *json, size_t *count, unsigned **params) {
    (void)json;
    *count = 0;
    *params = NULL;
    return 0;
}

static int to_json(size_t count, const unsigned *params, char **json) {
    (void)count;
    (void)params;
    *json = strdup("{\"id\": \"guarded\"}");
    return 0;
}

static size_t filter(unsigned flags, size_t count, const unsigned *params, size_t used, size_t *size, void **block) {
    (void)flags;
    (void)count;
    (void)params;
    (void)size;
    (void)block;
    return used;
}

static const struct {
    int version, id;
    unsigned encoder_present, decoder_present;
    const char *name;
    int (*can_apply)(hid_t, hid_t, hid_t);
    int (*set_local)(hid_t, hid_t, hid_t);
    size_t (*filter)(unsigned, size_t, const unsigned *, size_t, size_t *, void **);
} class = {1, ID, 1, 1, "guarded", NULL, set_local, filter};

static const struct {
    int version, sort;
    const char *name;
    unsigned filter;
    void (*initialize)(void);
    void (*finalize)(void);
    int (*to_params)(const char *, size_t *, unsigned **);
    int (*to_json)(size_t, const unsigned *, char **);
    int (*modify)(int, int, size_t *, unsigned **, size_t *, unsigned **);
} codec = {1, 1, "guarded", ID, NULL, NULL, to_params, to_json, modify};

int H5PLget_plugin_type(void) { return 0; }
const void *H5PLget_plugin_info(void) { return &class; }
const void *NCZ_get_codec_info(void) { return &codec; }
