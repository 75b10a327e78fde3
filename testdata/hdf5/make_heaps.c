/* Creates the files of make_heaps.py for which h5py has no functions; see README.md. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

#define CHECK(call)                                                     \
    do {                                                                \
        if ((call) < 0) {                                               \
            fprintf(stderr, "line %d: %s\n", __LINE__, #call);          \
            return 1;                                                   \
        }                                                               \
    } while (0)

/* An old group with symbol tables of four links, in a B-tree of three levels; a user block. */
static int old(const char *path, size_t sizes)
{
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    CHECK(H5Pset_userblock(fcpl, 512));
    CHECK(H5Pset_sym_k(fcpl, 2, 2));
    CHECK(H5Pset_sizes(fcpl, sizes, sizes));
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, H5P_DEFAULT);
    CHECK(file);
    hid_t many = H5Gcreate2(file, "many", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(many);
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "link%03d", i);
        CHECK(H5Lcreate_hard(file, "many", many, name, H5P_DEFAULT, H5P_DEFAULT));
    }
    CHECK(H5Lcreate_soft("/many/link000", many, "soft", H5P_DEFAULT, H5P_DEFAULT));
    CHECK(H5Gclose(many));
    CHECK(H5Gclose(H5Gcreate2(file, "empty", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    H5Pclose(fcpl);
    return H5Fclose(file) < 0;
}

/* Soft links L000 ... to targets of n bytes: the heap of links goes through filters. */
static int add_links(hid_t group, int count, size_t n)
{
    char target[4096], name[16];
    for (int i = 0; i < count; i++) {
        memset(target, 'a' + i % 26, n);
        target[n] = 0;
        snprintf(name, sizeof name, "L%03d", i);
        CHECK(H5Lcreate_soft(target, group, name, H5P_DEFAULT, H5P_DEFAULT));
    }
    return 0;
}

/* One group whose heap is a single filtered block, one whose heap has nested indirect blocks, and
 * one with links too large for the blocks. */
static int filtered(const char *path)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
    CHECK(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
    CHECK(H5Pset_link_phase_change(gcpl, 0, 0));
    CHECK(H5Pset_deflate(gcpl, 9));
    CHECK(H5Pset_obj_track_times(gcpl, 0));
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    CHECK(H5Pset_obj_track_times(fcpl, 0)); /* of the root group: files come out the same again */
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl);
    CHECK(file);
    const struct { const char *name; int count; size_t n; } groups[] = {
        {"small", 5, 30}, {"nested", 170, 3900}, {"huge", 3, 4090}};
    for (int i = 0; i < 3; i++) {
        hid_t group = H5Gcreate2(file, groups[i].name, H5P_DEFAULT, gcpl, H5P_DEFAULT);
        CHECK(group);
        CHECK(-add_links(group, groups[i].count, groups[i].n));
        CHECK(H5Gclose(group));
    }
    H5Pclose(fcpl);
    H5Pclose(gcpl);
    H5Pclose(fapl);
    return H5Fclose(file) < 0;
}

static int add_attributes(hid_t object, hid_t type, int count)
{
    const hsize_t dims[] = {3};
    hid_t simple = H5Screate_simple(1, dims, NULL), scalar = H5Screate(H5S_SCALAR);
    char name[16];
    for (int i = 0; i < count; i++) {
        const int values[] = {i, i + 1, i + 2};
        snprintf(name, sizeof name, "a%02d", i);
        hid_t a = H5Acreate2(object, name, type, i % 2 ? scalar : simple, H5P_DEFAULT, H5P_DEFAULT);
        CHECK(a);
        CHECK(H5Awrite(a, H5T_NATIVE_INT, values));
        CHECK(H5Aclose(a));
    }
    H5Sclose(simple);
    return H5Sclose(scalar) < 0;
}

/* Shared messages: datatypes and dataspaces in one index (as a B-tree), fill values, filters and
 * attributes in another one (as a list). */
static int shared(const char *path)
{
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE), fapl = H5Pcreate(H5P_FILE_ACCESS);
    CHECK(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
    CHECK(H5Pset_obj_track_times(fcpl, 0));
    CHECK(H5Pset_shared_mesg_nindexes(fcpl, 2));
    CHECK(H5Pset_shared_mesg_index(fcpl, 0, H5O_SHMESG_DTYPE_FLAG | H5O_SHMESG_SDSPACE_FLAG, 1));
    CHECK(H5Pset_shared_mesg_index(
        fcpl, 1, H5O_SHMESG_FILL_FLAG | H5O_SHMESG_PLINE_FLAG | H5O_SHMESG_ATTR_FLAG, 1));
    CHECK(H5Pset_shared_mesg_phase_change(fcpl, 2, 1));
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl);
    CHECK(file);
    for (int i = 0; i < 3; i++) {
        char name[16];
        const hsize_t dims[] = {4, 3};
        snprintf(name, sizeof name, "d%d", i);
        hid_t space = H5Screate_simple(2, dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
        CHECK(H5Pset_obj_track_times(dcpl, 0));
        CHECK(H5Pset_attr_phase_change(dcpl, 4, 2));
        hid_t set = H5Dcreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        CHECK(set);
        CHECK(-add_attributes(set, H5T_STD_I32LE, i == 2 ? 8 : 2));
        CHECK(H5Dclose(set));
        H5Pclose(dcpl);
        H5Sclose(space);
    }
    H5Pclose(fcpl);
    H5Pclose(fapl);
    return H5Fclose(file) < 0;
}

int main(int argc, char **argv)
{
    const struct { const char *name; int (*make)(const char *path); } simple[] = {
        {"heap_filtered.h5", filtered}, {"shared_messages.h5", shared}};
    char path[4096];
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", argv[1], simple[i].name);
        if (simple[i].make(path))
            return 1;
    }
    snprintf(path, sizeof path, "%s/groups_old.h5", argv[1]);
    if (old(path, 8))
        return 1;
    snprintf(path, sizeof path, "%s/groups_narrow.h5", argv[1]);
    return old(path, 4);
}
