//! Whole comparisons.
