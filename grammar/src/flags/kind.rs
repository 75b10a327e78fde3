//! The kind of the output.

use clap::{ArgAction, Args};
use netcdf_core::format::kind_named;
use netcdf_core::model::Kind;

use super::heading::{self, EVERYDAY};

/// The options that set the kind. The last one on the command line takes precedence.
const KIND: [&str; 6] = [
    "kind",
    "classic",
    "offset64",
    "cdf5",
    "netcdf4",
    "netcdf4_classic",
];

/// The kind of the output.
#[derive(Debug, Args)]
#[command(next_help_heading = EVERYDAY)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate flag")]
pub struct KindArgs {
    /// Kind of the output: nc3 (classic), nc6 (64-bit-offset), nc5 (cdf5), nc4 (netCDF-4), nc7 ("netCDF-4 classic model"), zarr3, zarr,
    /// nczarr3 or nczarr [default: from the name of the output, else from the input]
    #[arg(short, value_name = "KIND", value_parser = parse_kind, action = ArgAction::Set, overrides_with_all = KIND)]
    kind: Option<RequestedKind>,
    /// Write a classic file (CDF-1), as -k nc3
    #[arg(short = '3', overrides_with_all = KIND, help_heading = heading::KIND)]
    classic: bool,
    /// Write a netCDF-4 file, as -k nc4
    #[arg(short = '4', overrides_with_all = KIND, help_heading = heading::KIND)]
    netcdf4: bool,
    /// Write a CDF-5 file, as -k nc5
    #[arg(short = '5', overrides_with_all = KIND, help_heading = heading::KIND)]
    cdf5: bool,
    /// Write a 64-bit offset file (CDF-2), as -k nc6
    #[arg(short = '6', overrides_with_all = KIND, help_heading = heading::KIND)]
    offset64: bool,
    /// Write a netCDF-4 classic model file, as -k nc7
    #[arg(short = '7', overrides_with_all = KIND, help_heading = heading::KIND)]
    netcdf4_classic: bool,
}

impl KindArgs {
    /// The requested kind.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        let digits = [
            (self.classic, Kind::CLASSIC),
            (self.offset64, Kind::OFFSET64),
            (self.cdf5, Kind::CDF5),
            (self.netcdf4, Kind::NETCDF4),
            (self.netcdf4_classic, Kind::NETCDF4_CLASSIC),
        ];
        let digit = digits.into_iter().find(|(is_set, _)| *is_set);
        let named = self.kind.map(|requested| requested.kind);
        digit.map(|(_, kind)| kind).or(named)
    }

    /// Whether `-k` requests references instead of data.
    #[must_use]
    pub fn references(&self) -> bool {
        self.kind.is_some_and(|requested| requested.references)
    }
}

/// The value of `-k`.
#[derive(Debug, Clone, Copy)]
struct RequestedKind {
    kind: Kind,
    references: bool,
}

/// The kinds with references to the chunks of the input.
const REFERENCES: [(&str, Kind); 2] = [
    ("kerchunk", Kind::PURE_ZARR),
    ("kerchunk3", Kind::PURE_ZARR3),
];

/// Parses the value of `-k`. An error lists the expected values.
fn parse_kind(text: &str) -> Result<RequestedKind, String> {
    let is_named = |(name, _): &&(&str, Kind)| name.eq_ignore_ascii_case(text);
    if let Some((_, kind)) = REFERENCES.iter().find(is_named) {
        return Ok(RequestedKind {
            kind: *kind,
            references: true,
        });
    }
    let kind = kind_named(text).map(|kind| RequestedKind {
        kind,
        references: false,
    });
    kind.ok_or_else(|| {
        "expected classic, 64-bit-offset, cdf5, netCDF-4, \"netCDF-4 classic model\", zarr, nczarr, zarr3 or nczarr3"
            .to_owned()
    })
}
