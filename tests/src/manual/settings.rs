//! Environment variables and files of man pages.

use super::Entries;

/// Environment variables of all tools.
pub const ENVIRONMENT: Entries = &[
    (
        "NCTRACING",
        "if 1 or more, trace operations on Zarr stores to standard error, as --trace does",
    ),
    (
        "NCZARR_CONSOLIDATED",
        "if 1, true or yes, read and write consolidated metadata of Zarr stores",
    ),
    (
        "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL",
        "credentials, profile, region and service for s3:// (docs/environment.md lists all variables)",
    ),
    (
        "AZURE_STORAGE_ACCOUNT_NAME, AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_TOKEN, AZURE_STORAGE_CONNECTION_STRING",
        "account and credentials for az://",
    ),
    (
        "GOOGLE_APPLICATION_CREDENTIALS, GOOGLE_SERVICE_ACCOUNT, GOOGLE_BEARER_TOKEN",
        "credentials for gs://",
    ),
    ("NETCDF_BEARER_TOKEN", "bearer token for web servers"),
    (
        "AWS_NO_SIGN_REQUEST, AZURE_SKIP_SIGNATURE, GOOGLE_SKIP_SIGNATURE",
        "if true, send no credentials",
    ),
    (
        "https_proxy, http_proxy, all_proxy, no_proxy",
        "proxy, and hosts without proxy",
    ),
    (
        "SSL_CERT_FILE, CURL_CA_BUNDLE, REQUESTS_CA_BUNDLE, AWS_CA_BUNDLE",
        "file with additional trusted certificates",
    ),
    (
        "NCRCENV_RC, NCRCENV_HOME, NCRCENV_IGNORE",
        "path of the rc file, directory of rc files in place of HOME, and if set, ignore rc files, as in netCDF-C",
    ),
];

/// Environment variables of tools that decode or encode data with plugins.
pub const PLUGINS: Entries = &[
    (
        "HDF5_PLUGIN_PATH",
        "directories of HDF5 plugins and codec libraries, separated by colons",
    ),
    ("HDF5_PLUGIN_PRELOAD", "if ::, load no plugins"),
];

/// Environment variables of tools that write datasets.
pub const OUTPUTS: Entries = &[
    (
        "HDF5_USE_FILE_LOCKING",
        "if FALSE, replace HDF5 files even if another program has them open for writing",
    ),
    (
        "TMPDIR",
        "directory of temporary files, for outputs that cannot have a temporary file in their own directory [default: /tmp]",
    ),
];

/// Environment variables of tools that run parts of a plan.
pub const TASKS: Entries = &[(
    "SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX",
    "part number for --part auto",
)];

/// Environment variables of tools with colours.
pub const COLOURS: Entries = &[("NO_COLOR", "if not empty, print no colours")];

/// Files of all tools.
pub const FILES: Entries = &[
    (
        "~/.ncrc, ~/.daprc, ~/.dodsrc, and the same in the working directory",
        "settings for servers, as in netCDF-C: profile, region, proxy, certificates",
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
    "unfinished output, on file systems without unnamed files; the next run removes this file",
)];
