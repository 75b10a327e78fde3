//! Sections of man pages that tools share: the environment and files.

/// Names and their meanings.
type Entries = &'static [(&'static str, &'static str)];

/// Environment variables of all tools.
pub const ENVIRONMENT: Entries = &[
    (
        "NCTRACING",
        "if it is 1, trace operations on Zarr stores on standard error, as --trace does",
    ),
    (
        "NCZARR_CONSOLIDATED",
        "if it is 1, use and write consolidated metadata of Zarr stores",
    ),
    (
        "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL",
        "credentials, profile, region and service for s3:// (docs/remote.md has all variables)",
    ),
    (
        "AZURE_STORAGE_ACCOUNT_NAME, AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_TOKEN, AZURE_STORAGE_CONNECTION_STRING",
        "account and credentials for az://",
    ),
    (
        "GOOGLE_APPLICATION_CREDENTIALS, GOOGLE_SERVICE_ACCOUNT, GOOGLE_BEARER_TOKEN",
        "credentials for gs://",
    ),
    (
        "NETCDF_BEARER_TOKEN",
        "token for servers that take bearer tokens",
    ),
    (
        "AWS_NO_SIGN_REQUEST, AZURE_SKIP_SIGNATURE, GOOGLE_SKIP_SIGNATURE",
        "if true, send no credentials",
    ),
    (
        "https_proxy, http_proxy, all_proxy, no_proxy",
        "proxy, and the hosts that are reached without it",
    ),
    (
        "SSL_CERT_FILE, CURL_CA_BUNDLE, REQUESTS_CA_BUNDLE, AWS_CA_BUNDLE",
        "file with the certificates of trusted authorities",
    ),
    (
        "NCRCENV_RC, NCRCENV_HOME, NCRCENV_IGNORE",
        "path of the rc file, directory of rc files in place of HOME, and whether to ignore rc files, as in netCDF-C",
    ),
];

/// Environment variables of tools that decode or encode data with plugins.
pub const PLUGINS: Entries = &[
    (
        "HDF5_PLUGIN_PATH",
        "directories of HDF5 plugins and codec libraries, separated by colons",
    ),
    ("HDF5_PLUGIN_PRELOAD", "if it is ::, load no plugins"),
];

/// Environment variables of tools that write datasets.
pub const OUTPUTS: Entries = &[
    (
        "HDF5_USE_FILE_LOCKING",
        "if it is FALSE, replace HDF5 files that another program may have open for writing",
    ),
    (
        "TMPDIR",
        "directory of temporary files for outputs that cannot be temporary files beside their names [default: /tmp]",
    ),
];

/// Files of all tools.
pub const FILES: Entries = &[
    (
        "~/.ncrc, ~/.daprc, ~/.dodsrc, and the same in the working directory",
        "settings for servers, as netCDF-C reads them: profile, region, proxy, certificates",
    ),
    ("~/.aws/credentials, ~/.aws/config", "profiles for s3://"),
];

/// Files of tools with plugins.
pub const PLUGIN_FILES: Entries = &[(
    "/usr/local/hdf5/lib/plugin",
    "plugins, unless HDF5_PLUGIN_PATH is set",
)];

/// Files of tools that write datasets.
pub const OUTPUT_FILES: Entries = &[(
    ".NAME.??????.tmp",
    "unfinished output beside its name, on file systems without files that have no name; the next run removes it",
)];
