//! Digests of datasets in memory.
