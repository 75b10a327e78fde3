//! The rules for stores.

/// The severity of a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleSeverity {
    /// Readers fail, or read wrong or no data.
    Error,
    /// Some readers or systems may have trouble.
    Warning,
}

impl RuleSeverity {
    /// Returns the name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// Declares the rules with their names, severities and usual remedies.
macro_rules! rules {
    ($($rule:ident $name:literal $severity:ident $remedy:literal,)*) => {
        /// A rule. `docs/zdump.md` has a table of all rules.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Rule {
            $(
                #[doc = $name]
                $rule,
            )*
        }

        impl Rule {
            /// All rules.
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$rule,)*];

            /// Returns the name, which never changes.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => $name,)*
                }
            }

            /// Returns the severity.
            pub(crate) fn severity(self) -> RuleSeverity {
                match self {
                    $(Self::$rule => RuleSeverity::$severity,)*
                }
            }

            /// Returns the remedy.
            pub(crate) fn remedy(self) -> &'static str {
                match self {
                    $(Self::$rule => $remedy,)*
                }
            }
        }
    };
}

rules! {
    KeyUnreadable "key-unreadable" Error "copy the key again from where it came from",
    JsonInvalid "json-invalid" Error "correct the text, or write the metadata again",
    JsonLenient "json-lenient" Warning "write the value as JSON has it: zarr-python refuses the whole object",
    JsonDuplicate "json-duplicate" Error "remove all but one: readers differ in which one counts",
    MemberMissing "member-missing" Error "add the member",
    MemberWrong "member-wrong" Error "correct the member",
    FormatWrong "format-wrong" Error "set zarr_format to the version in which the object is written",
    RankMismatch "rank-mismatch" Error "give both the same number of dimensions",
    DtypeUnknown "dtype-unknown" Error "correct the type, or store the array with another type",
    CodecMissing "codec-missing" Error "install a plugin for the codec, or store the array with another codec",
    CodecWrong "codec-wrong" Error "correct the codecs in the metadata",
    Undecodable "undecodable" Warning "zarr-python may be able to read it; store the array in a common way",
    FillWrong "fill-wrong" Error "set a fill value that the type can hold",
    DimensionCount "dimension-count" Error "give each dimension a name",
    DimensionNames "dimension-names" Error "make the names agree: readers differ in which ones count",
    DimensionUnknown "dimension-unknown" Error "define the dimension in its group, or correct the reference",
    DimensionLength "dimension-length" Error "correct the dimension or the shape: netCDF-C takes the dimension's length",
    DimensionConflict "dimension-conflict" Warning "give dimensions of different lengths different names: xarray refuses the group",
    NczarrWrong "nczarr-wrong" Error "write the group again with netCDF, or remove the object to have a plain Zarr group",
    NczarrListed "nczarr-listed" Error "remove the name from the list, or restore what it names: netCDF-C does not open the store",
    NczarrUnlisted "nczarr-unlisted" Warning "add the name to the list: netCDF-C does not show unlisted objects",
    ConsolidatedWrong "consolidated-wrong" Error "consolidate the metadata again, or remove it",
    ConsolidatedStale "consolidated-stale" Error "consolidate the metadata again, or remove it: readers that use it see a different store",
    ConsolidatedOnly "consolidated-only" Warning "restore the objects: readers that do not use consolidated metadata find no store",
    GroupMissing "group-missing" Error "add the group's metadata: readers do not find what is below it",
    GroupOrArray "group-or-array" Error "remove the wrong one of them: readers differ in which one counts",
    BelowArray "below-array" Error "move it: only chunk keys may be below an array",
    MixedVersions "mixed-versions" Error "remove the objects of one version: readers see only one of them",
    OrphanMetadata "orphan-metadata" Warning "remove the object, or add the group or array it belongs to",
    OrphanChunk "orphan-chunk" Error "remove the chunks of an array that is gone, or restore its metadata",
    OrphanKey "orphan-key" Warning "remove the key if it is not needed",
    ChangeUnfinished "change-unfinished" Warning "open the store for writing with netcdf-tools, for example with nccopy --append: the old values are restored",
    ChunkKey "chunk-key" Error "rename the chunk: no reader finds it",
    ChunkOutside "chunk-outside" Error "remove the chunk, or correct the shape: it reappears when the array grows",
    ChunkSize "chunk-size" Error "restore the chunk, or remove it to have fill values",
    ChunkChecksum "chunk-checksum" Error "restore the chunk, or remove it to have fill values",
    ChunkUndecodable "chunk-undecodable" Error "restore the chunk, or remove it to have fill values",
    ChunkMissing "chunk-missing" Error "restore the chunk if it was ever written: readers see the fill value instead",
    ShardIndex "shard-index" Error "restore the shard, or remove it to have fill values",
    KeyLong "key-long" Warning "choose shorter names: S3 allows keys of 1024 bytes, file systems names of 255 bytes",
    KeyIllegal "key-illegal" Error "rename it: our readers do not find it, and others may find it elsewhere",
    KeyTwice "key-twice" Error "write the zip file again: readers differ in which one counts",
    KeyNamed "key-named" Error "write the zip file again: readers refuse the member or mistake it for another",
    NamesCase "names-case" Warning "rename one of them: some file systems cannot hold both",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_in_the_documentation() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/zdump.md");
        let text = std::fs::read_to_string(path).unwrap();
        for rule in Rule::ALL {
            let row = format!("| `{}` | {} |", rule.name(), rule.severity().name());
            assert!(text.contains(&row), "{row}");
        }
    }
}
