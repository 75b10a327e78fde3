/* Functions of netcdf-tools' libnetcdf.so that netCDF-C does not have. Include netcdf.h of netCDF-C for all others. */
#ifndef NETCDF_TOOLS_H
#define NETCDF_TOOLS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the error message of the last call of this thread, with the file, the object and the byte offset. The text is empty if the call
   succeeded, or if its error number says everything. It lives until the next call of the thread. A program that also runs on netCDF-C
   declares the function as weak: it is then null. */
const char *nctools_error(void);

#ifdef __cplusplus
}
#endif

#endif
