//! Options for references.

use clap::Args;

use super::value::{parse_chunk_size, parse_memory, parse_prefix};

/// Heading of options for references.
const REFERENCES: &str = "References (-k kerchunk)";

/// The form of references to the chunks of the input.
#[derive(Debug, Args)]
#[command(next_help_heading = REFERENCES)]
pub(super) struct ReferenceArgs {
    /// Maximum size of a variable whose values are stored in the references, because readers cannot decode its chunks (suffixes as for
    /// --memory) [default: 1Mi]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub inline: Option<u64>,
    /// Skip variables whose chunks readers cannot decode, with a note, instead of failing
    #[arg(long)]
    pub skip_unreadable: bool,
    /// Replace the start of source names, for readers on other machines: --url-prefix /data/=s3://bucket/
    #[arg(long, value_name = "FROM=TO", value_parser = parse_prefix)]
    pub url_prefix: Vec<(String, String)>,
    /// References per parquet file [default: 10000]
    #[arg(long, value_name = "NUMBER", value_parser = parse_chunk_size)]
    pub record_size: Option<u64>,
}
