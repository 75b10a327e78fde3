//! Header messages ("IV.A.2"), and their types.

pub mod attribute;
pub mod dense_info;
pub mod external;
pub mod fill;
pub mod filters;
pub mod layout;
pub mod link;
pub mod reference;
pub(crate) mod shared;

/// Null.
pub const NIL: u16 = 0x00;
/// Dataspace.
pub const DATASPACE: u16 = 0x01;
/// Link info.
pub const LINK_INFO: u16 = 0x02;
/// Datatype.
pub const DATATYPE: u16 = 0x03;
/// Fill value (old).
pub const FILL_OLD: u16 = 0x04;
/// Fill value.
pub const FILL: u16 = 0x05;
/// Link.
pub const LINK: u16 = 0x06;
/// External data files.
pub const EXTERNAL: u16 = 0x07;
/// Data layout.
pub const LAYOUT: u16 = 0x08;
/// Filter pipeline.
pub const FILTERS: u16 = 0x0b;
/// Attribute.
pub const ATTRIBUTE: u16 = 0x0c;
/// Group info.
pub const GROUP_INFO: u16 = 0x0a;
/// Shared message table, in the superblock extension.
pub const SHARED_TABLE: u16 = 0x0f;
/// Object header continuation.
pub const CONTINUATION: u16 = 0x10;
/// Symbol table: an old group.
pub const SYMBOL_TABLE: u16 = 0x11;
/// B-tree K values, in the superblock extension.
pub const BTREE_K: u16 = 0x13;
/// Driver information, in the superblock extension.
pub const DRIVER: u16 = 0x14;
/// Attribute info.
pub const ATTRIBUTE_INFO: u16 = 0x15;
/// Object reference count, for objects with more than one link.
pub const REFERENCE_COUNT: u16 = 0x16;
/// File space info, in the superblock extension.
pub const FILE_SPACE_INFO: u16 = 0x17;
/// Metadata cache image, in the superblock extension.
pub const CACHE_IMAGE: u16 = 0x18;
/// The last type in the specification.
pub const LAST_KNOWN: u16 = 0x19;

/// Flag: the body refers to a shared message.
pub const SHARED: u8 = 0x02;
/// Flag: readers must not open the object if they do not know the type.
pub const FAIL_IF_UNKNOWN: u8 = 0x80;
