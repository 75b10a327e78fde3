//! Options for the storage of the output.

use clap::Args;
use netcdf_grammar::flags::heading::{EVERYDAY, IGNORED, ZARR};

use super::value::{parse_chunk_size, parse_chunks, parse_cloud, parse_level, parse_size};
use crate::request::CloudRules;

/// Heading of further options for the storage.
const STORAGE: &str = "Storage";

/// The storage of netCDF-4 and Zarr output.
#[derive(Debug, Args)]
#[command(next_help_heading = EVERYDAY)]
pub(super) struct StorageArgs {
    /// Deflate level of all variables, 0 to 9 (0: no compression)
    #[arg(short = 'd', value_name = "LEVEL", value_parser = parse_level)]
    pub deflate: Option<u8>,
    /// Shuffle bytes before deflate
    #[arg(short = 's')]
    pub shuffle: bool,
    /// Chunk shapes: "dim/N,dim/N,…" or "var:N,N,…" in elements, "var:contiguous", "var:compact", or "/" to store all variables without
    /// chunks
    #[arg(short = 'c', value_name = "CHUNKS", value_parser = parse_chunks)]
    pub chunks: Vec<String>,
    /// Filters of variables, by name or number: '*,shuffle|zstd,3' or 'v&w,blosc,codec=zstd,level=5'. 'v,none' removes the filters of v
    #[arg(short = 'F', value_name = "FILTER")]
    pub filters: Vec<String>,
    /// Minimum chunk size before filters, where -c sets no shape (suffixes as for --memory). Each chunk spans about the same fraction
    /// of every dimension; a smaller variable is one chunk
    #[arg(long, value_name = "SIZE", value_parser = parse_chunk_size, help_heading = STORAGE)]
    pub chunk_size: Option<u64>,
    /// Optimize the layout for remote readers: metadata before data, and chunks of --chunk-size [default: 4Mi]. RULES: cmip7, paged,
    /// paged,SIZE or cmip7,paged
    #[arg(long, value_name = "RULES", num_args = 0..=1, require_equals = true, hide_possible_values = true,
          default_missing_value = "", value_parser = parse_cloud, help_heading = STORAGE)]
    pub cloud: Option<CloudRules>,
    /// Round numbers to compress them better: "var,ALGORITHM,N", with names and patterns as for -F. bitgroom and granularbr keep N
    /// decimal digits, bitround N bits
    #[arg(long, value_name = "QUANTIZATION", help_heading = STORAGE)]
    pub quantize: Vec<String>,
    /// Store a variable without chunks if its chunks would have fewer than BYTES bytes [default: 8192]
    #[arg(short = 'M', value_name = "BYTES", value_parser = parse_size, help_heading = STORAGE)]
    pub min_chunk: Option<u64>,
    /// Shard shapes of Zarr version 3 in elements: "dim/N,dim/N,…" or "var:N,N,…", as for -c
    #[arg(long = "shard", value_name = "SHARDS", value_parser = parse_chunks, help_heading = ZARR)]
    pub shards: Vec<String>,
}

/// Options of the C tool without effect. nccopy needs no sizes of buffers and caches.
#[derive(Debug, Args)]
#[command(next_help_heading = IGNORED)]
pub(super) struct IgnoredArgs {
    /// Ignored: size of the copy buffer
    #[arg(short = 'm', value_name = "BYTES", value_parser = parse_size)]
    buffer: Option<u64>,
    /// Ignored: size of the chunk cache
    #[arg(short = 'h', value_name = "BYTES", value_parser = parse_size)]
    cache: Option<u64>,
    /// Ignored: number of chunks in the chunk cache
    #[arg(short = 'e', value_name = "CHUNKS", value_parser = parse_size)]
    cache_chunks: Option<u64>,
    /// Ignored: write through memory
    #[arg(short = 'w')]
    write_diskless: bool,
    /// Ignored: read through memory
    #[arg(short = 'r')]
    read_diskless: bool,
    /// Ignored
    #[arg(short = 'x', hide = true)]
    computed_caches: bool,
    /// Ignored: log level
    #[arg(short = 'L', value_name = "LEVEL")]
    log_level: Option<String>,
}
