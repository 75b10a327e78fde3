//! The library as other crates see it: its API, filters, files beyond 4 GiB.

mod filters;
mod in_place;
mod inquire;
mod kinds;
mod large;
mod random;
mod sparse;
mod store_in_place;
mod writers;
