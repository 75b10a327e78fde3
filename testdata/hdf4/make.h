/* Shared code of the generator: errors, number types, values. */
#ifndef MAKE_H
#define MAKE_H

#include <mfhdf.h>
#include <stddef.h>
#include <stdint.h>

/* Ends the program if a call of libhdf4 fails. */
#define TRY(call) tried((call), #call, __FILE__, __LINE__)
int32 tried(int32 result, const char *call, const char *file, int line);

typedef struct {
    const char *name;
    int32 type;
    size_t size;
} Number;

#define NUMBERS 10
extern const Number numbers[NUMBERS];

typedef struct {
    int rank;
    int32 dims[H4_MAX_VAR_DIMS];
} Shape;

/* One dataset of a file: type with its flags for the byte order, and shape. */
typedef struct {
    const char *name;
    int32 type;
    Shape shape;
} Dataset;

const Number *number_of(int32 type);
size_t elements(const Shape *shape);
/* Values in the machine's own form, for the caller to free: extremes first, then runs, a ramp and noise. */
void *values(int32 type, size_t count, unsigned seed);
int32 create(int32 file, const Dataset *dataset);
void write_all(int32 sds, const Dataset *dataset, unsigned seed);
/* Creates, writes everything, ends access. */
void write_new(int32 file, const Dataset *dataset, unsigned seed);
unsigned noise(unsigned *state);

/* The files by name; each function makes one. */
typedef struct {
    const char *name;
    void (*make)(const char *path);
} Recipe;
extern const Recipe plain_files[], stored_files[], described_files[], old_files[], szip_files[];

void random_file(const char *path, unsigned seed);
void sparse_file(const char *path);
void repack_input(const char *path, long megabytes);

#endif
