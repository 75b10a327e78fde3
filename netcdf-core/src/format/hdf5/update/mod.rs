//! Changes of HDF5 files in place.
//!
//! New data goes to the end of the file. Old structures are patched with the bytes that differ, so that a patch is small. The addresses of
//! object headers and of roots of chunk indexes stay the same, because other structures refer to them.
//!
//! | file | contents |
//! |---|---|
//! | `obstacle` | files that can only be written anew |
//! | `superblock` | the end of the file |
//! | `header` | messages of an object header |
//! | `layout_message` | fields of the data layout message |
//! | `tree_node` | a node of a version 1 B-tree of chunks |
//! | `chunk_tree` | new and moved chunks in a version 1 B-tree |
//! | `array_blocks`, `array_element` | blocks and elements of arrays of chunks |
//! | `extensible_array`, `fixed_array` | new and moved chunks in arrays |
//! | `array_change` | datasets with arrays of chunks, or with one chunk |
//! | `heap` | new collections of the global heap |
//! | `slots` | two places for a filtered chunk that fills step by step |
//! | `changes`, `dataset` | the shape and the chunks of a dataset |

mod array_blocks;
mod array_change;
mod array_element;
mod changes;
mod chunk_tree;
mod dataset;
mod extensible_array;
mod fixed_array;
mod header;
mod heap;
mod layout_message;
mod obstacle;
mod slots;
mod superblock;
mod tree_node;

pub(crate) use changes::{DatasetChange, NewChunk};
pub(crate) use dataset::change;
pub(crate) use heap::NewHeap;
pub(crate) use obstacle::{check_closed, obstacle, obstacle_of_dataset};
pub(crate) use slots::{SlotOwner, SlotPair};
pub(crate) use superblock::write_end;
