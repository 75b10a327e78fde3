//! Surveys of files in memory.
