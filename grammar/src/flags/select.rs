//! Ranges of dimensions.

use clap::Args;

use super::heading::EVERYDAY;
use crate::hyperslab::Hyperslab;

/// Ranges of dimensions.
#[derive(Debug, Args)]
#[command(next_help_heading = EVERYDAY)]
pub struct HyperslabArgs {
    /// Select a range of a dimension: `DIM[,MIN[,MAX[,STRIDE]]]`. Whole numbers are indices from 0, numbers with a point and dates are
    /// coordinate values: time,0,11 or lat,-30.,30. or time,2001-06
    #[arg(long = "select", value_name = "DIM,…", value_parser = parse_hyperslab)]
    select: Vec<Hyperslab>,
}

impl HyperslabArgs {
    /// The selected ranges. An empty list selects the whole dataset.
    #[must_use]
    pub fn parts(&self) -> &[Hyperslab] {
        &self.select
    }
}

fn parse_hyperslab(text: &str) -> Result<Hyperslab, String> {
    Hyperslab::parse(text).map_err(|e| e.to_string())
}
