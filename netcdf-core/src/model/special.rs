//! Special attributes: names to which CDL gives an additional meaning.

/// The special attributes, in the order in which `ncdump -s` prints them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Special {
    /// `_Storage`
    Storage,
    /// `_ChunkSizes`
    ChunkSizes,
    /// `_ShardSizes`
    ShardSizes,
    /// `_Fletcher32`
    Fletcher32,
    /// `_Shuffle`
    Shuffle,
    /// `_DeflateLevel`
    DeflateLevel,
    /// `_Filter`
    Filter,
    /// `_Codecs`
    Codecs,
    /// `_Endianness`
    Endianness,
    /// `_NoFill`
    NoFill,
    /// `_NCProperties` (dataset)
    NcProperties,
    /// `_SuperblockVersion` (dataset)
    SuperblockVersion,
    /// `_IsNetcdf4` (dataset)
    IsNetcdf4,
    /// `_Format` (dataset)
    Format,
}

impl Special {
    /// All special attributes.
    pub const ALL: [Self; 14] = [
        Self::Storage,
        Self::ChunkSizes,
        Self::ShardSizes,
        Self::Fletcher32,
        Self::Shuffle,
        Self::DeflateLevel,
        Self::Filter,
        Self::Codecs,
        Self::Endianness,
        Self::NoFill,
        Self::NcProperties,
        Self::SuperblockVersion,
        Self::IsNetcdf4,
        Self::Format,
    ];

    /// Returns the attribute name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Storage => "_Storage",
            Self::ChunkSizes => "_ChunkSizes",
            Self::ShardSizes => "_ShardSizes",
            Self::Fletcher32 => "_Fletcher32",
            Self::Shuffle => "_Shuffle",
            Self::DeflateLevel => "_DeflateLevel",
            Self::Filter => "_Filter",
            Self::Codecs => "_Codecs",
            Self::Endianness => "_Endianness",
            Self::NoFill => "_NoFill",
            Self::NcProperties => "_NCProperties",
            Self::SuperblockVersion => "_SuperblockVersion",
            Self::IsNetcdf4 => "_IsNetcdf4",
            Self::Format => "_Format",
        }
    }

    /// Returns the special attribute with this name.
    #[must_use]
    pub fn from_name(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name().as_bytes() == name)
    }

    /// Returns whether the special attribute belongs to the dataset.
    #[must_use]
    pub fn is_global(self) -> bool {
        match self {
            Self::Storage | Self::ChunkSizes | Self::ShardSizes => false,
            Self::Fletcher32 | Self::Shuffle | Self::DeflateLevel => false,
            Self::Filter | Self::Codecs => false,
            Self::Endianness | Self::NoFill => false,
            Self::NcProperties | Self::SuperblockVersion | Self::IsNetcdf4 | Self::Format => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for s in Special::ALL {
            assert_eq!(Special::from_name(s.name().as_bytes()), Some(s));
        }
        assert_eq!(Special::from_name(b"_FillValue"), None);
    }
}
