//! Tags of data elements.

/// An unused descriptor.
pub const NULL: u16 = 1;
/// A linked block, or a table of linked blocks.
pub const LINKED: u16 = 20;
/// The data of a compressed element.
pub const COMPRESSED: u16 = 40;
/// A chunk.
pub const CHUNK: u16 = 61;
/// A label of the file.
pub const FILE_LABEL: u16 = 100;
/// A description of the file.
pub const FILE_DESCRIPTION: u16 = 101;
/// A label of an element.
pub const DATA_LABEL: u16 = 104;
/// A description of an element.
pub const DATA_DESCRIPTION: u16 = 105;
/// A number type.
pub const NUMBER_TYPE: u16 = 106;
/// Free space.
pub const FREE: u16 = 108;
/// An 8-bit image.
pub const IMAGE_8: u16 = 202;
/// An 8-bit image, compressed with RLE.
pub const IMAGE_8_RLE: u16 = 203;
/// An 8-bit image, compressed with IMCOMP.
pub const IMAGE_8_IMCOMP: u16 = 204;
/// A raster image group.
pub const IMAGE_GROUP: u16 = 306;
/// A scientific data group, the older form of a numeric data group.
pub const SCIENTIFIC_DATA_GROUP: u16 = 700;
/// Rank, dimension lengths and number types of a group.
pub const DIMENSION_RECORD: u16 = 701;
/// The data of a dataset.
pub const DATA: u16 = 702;
/// The scales of all dimensions.
pub const SCALES: u16 = 703;
/// Labels of a dataset and its dimensions.
pub const LABELS: u16 = 704;
/// Units of a dataset and its dimensions.
pub const UNITS: u16 = 705;
/// Formats of a dataset and its dimensions.
pub const FORMATS: u16 = 706;
/// The largest and the smallest valid value.
pub const MAX_MIN: u16 = 707;
/// A coordinate system.
pub const COORDINATE_SYSTEM: u16 = 708;
/// The numeric data group that belongs to a scientific data group.
pub const LINK: u16 = 710;
/// A numeric data group.
pub const NUMERIC_DATA_GROUP: u16 = 720;
/// Calibration.
pub const CALIBRATION: u16 = 731;
/// The header of a Vdata.
pub const VDATA_HEADER: u16 = 1962;
/// The records of a Vdata.
pub const VDATA: u16 = 1963;
/// A Vgroup.
pub const VGROUP: u16 = 1965;
