/* Creates files for which h5py has no functions; see ../README.md. For the C library 1.10, in this folder:
 *     h5cc make_rare.c -o /tmp/make_rare && /tmp/make_rare
 *
 * edges.h5: unfiltered chunks across the end of their dataset, with the possible indexes.
 * sizes_OFFSET_LENGTH.h5: addresses and lengths with these sizes in bytes, a group, a chunked dataset, an attribute.
 * user_link.h5: a link with an unknown class, and a dataset.
 * structures/cache_image.h5: a group, a chunked dataset and an attribute whose metadata are in the image of the cache only.
 * family_0.h5: the first file of the driver "family"; multi-s.h5: the first file of the driver "multi".
 */
#include <hdf5.h>
#include <stdio.h>
#include <unistd.h>

#define CHECK(call)                                                     \
    do {                                                                \
        if ((call) < 0) {                                               \
            fprintf(stderr, "line %d: %s\n", __LINE__, #call);          \
            return 1;                                                   \
        }                                                               \
    } while (0)

enum { ROWS = 7, COLUMNS = 5 };

/* ROWS x COLUMNS numbers, 0 and so on, in chunks of 3 x 2. */
static int numbers(hid_t file, const char *name, const hsize_t *most, int filtered)
{
    hsize_t shape[2] = {ROWS, COLUMNS}, chunk[2] = {3, 2};
    short values[ROWS][COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i / COLUMNS][i % COLUMNS] = (short)i;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    CHECK(H5Pset_obj_track_times(dcpl, 0));
    CHECK(H5Pset_chunk(dcpl, 2, chunk));
    if (filtered) {
        CHECK(H5Pset_deflate(dcpl, 4));
        CHECK(H5Pset_fletcher32(dcpl));
        CHECK(H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS));
    }
    hid_t space = H5Screate_simple(2, shape, most);
    hid_t data = H5Dcreate2(file, name, H5T_STD_I16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    CHECK(data);
    CHECK(H5Dwrite(data, H5T_NATIVE_SHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK(H5Dclose(data));
    CHECK(H5Sclose(space));
    return H5Pclose(dcpl);
}

static hid_t latest(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    return fapl;
}

static int edges(void)
{
    hsize_t fixed[2] = {ROWS, COLUMNS}, one[2] = {H5S_UNLIMITED, COLUMNS}, two[2] = {H5S_UNLIMITED, H5S_UNLIMITED};
    hid_t file = H5Fcreate("edges.h5", H5F_ACC_TRUNC, H5P_DEFAULT, latest());
    CHECK(file);
    CHECK(numbers(file, "fixed_array", fixed, 1));
    CHECK(numbers(file, "extensible_array", one, 1));
    CHECK(numbers(file, "btree_v2", two, 1));
    return H5Fclose(file);
}

static int sizes(size_t offset, size_t length)
{
    char path[32];
    snprintf(path, sizeof path, "sizes_%zu_%zu.h5", offset, length);
    hsize_t fixed[2] = {ROWS, COLUMNS}, shape[1] = {3};
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    CHECK(H5Pset_sizes(fcpl, offset, length));
    CHECK(H5Pset_sym_k(fcpl, 2, 2));
    CHECK(H5Pset_istore_k(fcpl, 2));
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, H5P_DEFAULT);
    CHECK(file);
    hid_t group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(group);
    CHECK(numbers(group, "chunked", fixed, 0));
    hid_t space = H5Screate_simple(1, shape, NULL);
    hid_t attribute = H5Acreate2(group, "attribute", H5T_STD_I16LE, space, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(attribute);
    short values[3] = {1, 2, 3};
    CHECK(H5Awrite(attribute, H5T_NATIVE_SHORT, values));
    CHECK(H5Aclose(attribute));
    CHECK(H5Gclose(group));
    return H5Fclose(file);
}

static hid_t nowhere(const char *name, hid_t group, const void *data, size_t len, hid_t lapl, hid_t dxpl)
{
    (void)name, (void)group, (void)data, (void)len, (void)lapl, (void)dxpl;
    return -1;
}

static int user_link(void)
{
    const H5L_class_t class = {H5L_LINK_CLASS_T_VERS, 187, "ours", NULL, NULL, NULL, nowhere, NULL, NULL};
    hsize_t fixed[2] = {ROWS, COLUMNS};
    CHECK(H5Lregister(&class));
    hid_t file = H5Fcreate("user_link.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(file);
    CHECK(numbers(file, "data", fixed, 0));
    CHECK(H5Lcreate_ud(file, "link", 187, "somewhere", 9, H5P_DEFAULT, H5P_DEFAULT));
    return H5Fclose(file);
}

static int cached(void)
{
    hsize_t one[2] = {H5S_UNLIMITED, COLUMNS}, shape[1] = {3};
    int values[3] = {1, 2, 3};
    H5AC_cache_image_config_t config = {H5AC__CURR_CACHE_IMAGE_CONFIG_VERSION, 1, 0, H5AC__CACHE_IMAGE__ENTRY_AGEOUT__NONE};
    hid_t fapl = latest();
    CHECK(H5Pset_mdc_image_config(fapl, &config));
    hid_t file = H5Fcreate("structures/cache_image.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    CHECK(file);
    hid_t group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(group);
    CHECK(numbers(group, "data", one, 1));
    hid_t space = H5Screate_simple(1, shape, NULL);
    hid_t attribute = H5Acreate2(group, "attribute", H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(H5Awrite(attribute, H5T_NATIVE_INT, values));
    CHECK(H5Aclose(attribute));
    CHECK(H5Gclose(group));
    return H5Fclose(file);
}

/* A file split into files of 1024 bytes; only the first file is kept. */
static int family(const char *names, hid_t fapl)
{
    hsize_t fixed[2] = {ROWS, COLUMNS};
    CHECK(H5Pset_fapl_family(fapl, 1024, H5P_DEFAULT));
    hid_t file = H5Fcreate(names, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    CHECK(file);
    CHECK(numbers(file, "data", fixed, 0));
    CHECK(H5Fclose(file));
    for (int i = 1; i < 9; i++) {
        char path[32];
        snprintf(path, sizeof path, names, i);
        unlink(path);
    }
    return 0;
}

static int parts(void)
{
    hsize_t fixed[2] = {ROWS, COLUMNS};
    CHECK(family("family_%d.h5", H5Pcreate(H5P_FILE_ACCESS)));
    CHECK(family("family_new_%d.h5", latest()));
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    CHECK(H5Pset_fapl_split(fapl, "-s.h5", H5P_DEFAULT, "-r.h5", H5P_DEFAULT));
    hid_t file = H5Fcreate("multi", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    CHECK(file);
    CHECK(numbers(file, "data", fixed, 0));
    CHECK(H5Fclose(file));
    return unlink("multi-r.h5");
}

int main(void)
{
    CHECK(edges());
    CHECK(sizes(2, 2));
    CHECK(sizes(2, 8));
    CHECK(sizes(8, 4));
    CHECK(user_link());
    CHECK(cached());
    CHECK(parts());
    return 0;
}
