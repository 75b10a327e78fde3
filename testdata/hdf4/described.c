/* Files for descriptions of data: attributes, scales, coordinate variables, and files with more than datasets. */
#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32 start_file(const char *path) {
    return TRY(SDstart(path, DFACC_CREATE));
}

/* An attribute of every type, of one element and of three, both byte orders. */
static void all_types(int32 object) {
    for (int i = 0; i < 2 * NUMBERS; i++) {
        const Number *number = &numbers[i / 2];
        char name[64];
        snprintf(name, sizeof name, "%s%s", number->name, i % 2 ? "_little" : "");
        void *data = values(number->type, 3, (unsigned)i);
        TRY(SDsetattr(object, name, number->type | (i % 2 ? DFNT_LITEND : 0), i % 4 ? 3 : 1, data));
        free(data);
    }
}

static void attributes(const char *path) {
    int32 file = start_file(path);
    all_types(file);
    TRY(SDsetattr(file, "zeros", DFNT_CHAR8, 6, "ab\0c\0\0"));
    TRY(SDsetattr(file, "lines", DFNT_CHAR8, 18, "first\nsecond\n\"\\\t\1\xe9."));
    Dataset dataset = {"data", DFNT_FLOAT64, {2, {2, 3}}};
    int32 sds = create(file, &dataset);
    all_types(sds);
    all_types(TRY(SDgetdimid(sds, 0)));
    write_all(sds, &dataset, 1);
    TRY(SDendaccess(sds));
    TRY(SDend(file));
}

/* Calibration, range, strings, fill value and so on of a dataset of each type. */
static void predefined(const char *path) {
    int32 file = start_file(path);
    for (int i = 0; i < NUMBERS; i++) {
        const Number *number = &numbers[i];
        Dataset dataset = {number->name, number->type | (i % 3 ? 0 : DFNT_LITEND), {2, {2, 3}}};
        int32 sds = create(file, &dataset);
        uint8_t *data = values(number->type, 3, 7);
        TRY(SDsetfillvalue(sds, data + 2 * number->size));
        TRY(SDsetrange(sds, data + number->size, data));
        TRY(SDsetcal(sds, 0.5 * i, 0.25, -3.0, 1e-3, numbers[9 - i].type));
        if (i % 2)
            TRY(SDsetdatastrs(sds, "label of data", "K", "F7.2", "cartesian"));
        else
            TRY(SDsetdatastrs(sds, "only a label", NULL, NULL, NULL));
        TRY(SDsetdimstrs(TRY(SDgetdimid(sds, 1)), "label of dimension", i % 2 ? "m" : NULL, "I4"));
        write_all(sds, &dataset, 1);
        TRY(SDendaccess(sds));
        free(data);
    }
    TRY(SDend(file));
}

static void scale(int32 sds, int dim, int32 count, int32 type) {
    void *data = values(type, (size_t)count, (unsigned)dim + 30);
    TRY(SDsetdimscale(TRY(SDgetdimid(sds, dim)), count, type, data));
    free(data);
}

/* Dimension scales of several types, named and not, with strings, shared, of an unlimited dimension; a coordinate variable that is a
   dataset of its own; dimensions kept as the oldest files have them. */
static void scales(const char *path) {
    int32 file = start_file(path);
    Dataset grid = {"grid", DFNT_FLOAT32, {3, {2, 3, 4}}};
    int32 sds = create(file, &grid);
    static const char *const name[] = {"level", "lat", "lon"};
    static const int32 type[] = {DFNT_INT16, DFNT_FLOAT64, DFNT_UINT8};
    for (int i = 0; i < 3; i++) {
        TRY(SDsetdimname(TRY(SDgetdimid(sds, i)), name[i]));
        scale(sds, i, grid.shape.dims[i], type[i]);
        TRY(SDsetdimstrs(TRY(SDgetdimid(sds, i)), name[i], "unit", NULL));
    }
    write_all(sds, &grid, 1);
    TRY(SDendaccess(sds));

    Dataset unnamed = {"unnamed", DFNT_INT32, {2, {2, 3}}};
    sds = create(file, &unnamed);
    scale(sds, 0, 2, DFNT_INT32 | DFNT_LITEND);
    write_all(sds, &unnamed, 2);
    TRY(SDendaccess(sds));

    Dataset records = {"records", DFNT_INT16, {2, {SD_UNLIMITED, 4}}};
    sds = create(file, &records);
    TRY(SDsetdimname(TRY(SDgetdimid(sds, 0)), "time"));
    TRY(SDsetdimname(TRY(SDgetdimid(sds, 1)), "lon"));
    records.shape.dims[0] = 3;
    write_all(sds, &records, 3);
    scale(sds, 0, 3, DFNT_FLOAT64);
    TRY(SDendaccess(sds));

    Dataset coordinate = {"x", DFNT_FLOAT64, {1, {5}}}, on = {"on_x", DFNT_INT8, {1, {5}}};
    sds = create(file, &coordinate);
    TRY(SDsetdimname(TRY(SDgetdimid(sds, 0)), "x"));
    write_all(sds, &coordinate, 4);
    TRY(SDendaccess(sds));
    sds = create(file, &on);
    TRY(SDsetdimname(TRY(SDgetdimid(sds, 0)), "x"));
    write_all(sds, &on, 5);
    TRY(SDendaccess(sds));
    TRY(SDend(file));
}

/* Dimensions in the form of the oldest files (class Dim0.0), with and without a scale, and dimensions in the form of newer files. */
static void old_dims(const char *path) {
    int32 file = start_file(path);
    for (int i = 0; i < 2; i++) {
        Dataset dataset = {i ? "incompatible" : "compatible", DFNT_INT32, {3, {2, 3, 4}}};
        int32 sds = create(file, &dataset);
        for (int dim = 0; dim < 3; dim++)
            TRY(SDsetdimval_comp(TRY(SDgetdimid(sds, dim)), i ? SD_DIMVAL_BW_INCOMP : SD_DIMVAL_BW_COMP));
        scale(sds, 1, 3, DFNT_FLOAT32);
        write_all(sds, &dataset, (unsigned)i);
        TRY(SDendaccess(sds));
    }
    Dataset records = {"records", DFNT_INT32, {1, {SD_UNLIMITED}}};
    int32 sds = create(file, &records);
    TRY(SDsetdimval_comp(TRY(SDgetdimid(sds, 0)), SD_DIMVAL_BW_COMP));
    records.shape.dims[0] = 3;
    write_all(sds, &records, 3);
    TRY(SDendaccess(sds));
    TRY(SDend(file));
}

/* Data shaped as HDF-EOS2 writes it: a grid and a swath with datasets and dimensions of their own names, in Vgroups. */
static void eos(const char *path) {
    static const char structure[] = "GROUP=SwathStructure\nEND_GROUP=SwathStructure\nGROUP=GridStructure\n"
                                    "END_GROUP=GridStructure\nEND\n";
    int32 file = start_file(path), refs[4];
    TRY(SDsetattr(file, "HDFEOSVersion", DFNT_CHAR8, 12, "HDFEOS_V2.19"));
    TRY(SDsetattr(file, "StructMetadata.0", DFNT_CHAR8, (int32)strlen(structure), structure));
    for (int i = 0; i < 4; i++) {
        static const char *const name[] = {"Height", "Quality", "Height", "Latitude"};
        static const char *const dims[][2] = {{"YDim:G/1", "XDim:G/1"}, {"YDim:G/1", "XDim:G/1"},
                                              {"Track:Swath", "Cross:Swath"}, {"Track:Swath", "Cross:Swath"}};
        Dataset dataset = {name[i], i % 2 ? DFNT_UINT8 : DFNT_FLOAT32, {2, {i < 2 ? 3 : 2, 4}}};
        int32 sds = create(file, &dataset);
        for (int dim = 0; dim < 2; dim++)
            TRY(SDsetdimname(TRY(SDgetdimid(sds, dim)), dims[i][dim]));
        write_all(sds, &dataset, (unsigned)i);
        refs[i] = SDidtoref(sds);
        TRY(SDendaccess(sds));
    }
    TRY(SDend(file));
    int32 h = TRY(Hopen(path, DFACC_RDWR, 0));
    TRY(Vstart(h));
    for (int i = 0; i < 2; i++) {
        int32 group = TRY(Vattach(h, -1, "w")), fields = TRY(Vattach(h, -1, "w"));
        TRY(Vsetname(group, i ? "Swath" : "G/1"));
        TRY(Vsetclass(group, i ? "SWATH" : "GRID"));
        TRY(Vsetname(fields, "Data Fields"));
        TRY(Vsetclass(fields, i ? "SWATH Vgroup" : "GRID Vgroup"));
        TRY(Vaddtagref(fields, DFTAG_NDG, refs[2 * i]));
        TRY(Vaddtagref(fields, DFTAG_NDG, refs[2 * i + 1]));
        TRY(Vinsert(group, fields));
        TRY(Vdetach(fields));
        TRY(Vdetach(group));
    }
    TRY(Vend(h));
    TRY(Hclose(h));
}

static void add_table(const char *path) {
    int32 h = TRY(Hopen(path, DFACC_RDWR, 0));
    TRY(Vstart(h));
    int32 table = TRY(VSattach(h, -1, "w"));
    int32 rows[4] = {1, 2, 3, 4};
    TRY(VSsetname(table, "table"));
    TRY(VSsetclass(table, "class of table"));
    TRY(VSfdefine(table, "a", DFNT_INT32, 1));
    TRY(VSfdefine(table, "b", DFNT_INT32, 1));
    TRY(VSsetfields(table, "a,b"));
    TRY(VSwrite(table, (uint8 *)rows, 2, FULL_INTERLACE));
    int32 group = TRY(Vattach(h, -1, "w"));
    TRY(Vsetname(group, "group of users"));
    TRY(Vsetclass(group, "class of group"));
    TRY(Vinsert(group, table));
    TRY(Vsetattr(group, "attribute", DFNT_INT32, 2, rows));
    TRY(Vdetach(group));
    TRY(VSdetach(table));
    TRY(Vend(h));
    TRY(DFANaddfid(h, "label of the file"));
    TRY(DFANaddfds(h, "description of the file", 23));
    TRY(Hclose(h));
}

static void add_images(const char *path) {
    int32 h = TRY(Hopen(path, DFACC_RDWR, 0)), gr = TRY(GRstart(h)), start[2] = {0, 0}, size[2] = {4, 3};
    comp_info level = {.deflate = {6}};
    uint8_t pixels[36], palette[768];
    for (int i = 0; i < 36; i++)
        pixels[i] = (uint8_t)(i * 7);
    for (int i = 0; i < 768; i++)
        palette[i] = (uint8_t)i;
    for (int i = 0; i < 2; i++) {
        int32 image = TRY(GRcreate(gr, i ? "true colours" : "image", i ? 3 : 1, DFNT_UINT8, MFGR_INTERLACE_PIXEL, size));
        if (i)
            TRY(GRsetcompress(image, COMP_CODE_DEFLATE, &level));
        TRY(GRwriteimage(image, start, NULL, size, pixels));
        if (!i)
            TRY(GRwritelut(TRY(GRgetlutid(image, 0)), 3, DFNT_UINT8, MFGR_INTERLACE_PIXEL, 256, palette));
        TRY(GRendaccess(image));
    }
    TRY(GRend(gr));
    TRY(Hclose(h));
    TRY(DFR8addimage(path, pixels, 6, 6, COMP_RLE));
}

/* Datasets beside raster images, a Vdata, a Vgroup and annotations, of the file and of a dataset. */
static void mixed(const char *path) {
    int32 file = start_file(path);
    Dataset dataset = {"data", DFNT_INT16, {2, {2, 3}}};
    int32 sds = create(file, &dataset);
    write_all(sds, &dataset, 1);
    uint16 ref = (uint16)SDidtoref(sds);
    TRY(SDendaccess(sds));
    TRY(SDend(file));
    add_table(path);
    add_images(path);
    TRY(DFANputlabel(path, DFTAG_NDG, ref, "label of data"));
    TRY(DFANputdesc(path, DFTAG_NDG, ref, "description of data", 19));
}

/* Raster images, a table and annotations only. */
static void no_datasets(const char *path) {
    TRY(Hclose(TRY(Hopen(path, DFACC_CREATE, 0))));
    add_table(path);
    add_images(path);
}

/* Many datasets in a file with small blocks of data descriptors; one deleted through its descriptor by make.py. */
static void many(const char *path) {
    TRY(Hclose(TRY(Hopen(path, DFACC_CREATE, 4))));
    int32 file = TRY(SDstart(path, DFACC_RDWR));
    for (int i = 0; i < 12; i++) {
        char name[16];
        snprintf(name, sizeof name, "number_%d", i);
        Dataset dataset = {name, DFNT_INT8, {1, {1 + i % 4}}};
        write_new(file, &dataset, (unsigned)i);
    }
    TRY(SDend(file));
}

const Recipe described_files[] = {
    {"attributes.hdf", attributes}, {"predefined.hdf", predefined}, {"scales.hdf", scales}, {"old_dims.hdf", old_dims},
    {"eos.hdf", eos}, {"mixed.hdf", mixed}, {"no_datasets.hdf", no_datasets}, {"many.hdf", many}, {NULL, NULL},
};
