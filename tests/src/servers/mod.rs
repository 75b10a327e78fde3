//! Servers on this machine, for tests of data on other machines.
//!
//! [`Proxy`] stands before any of them: it adds delays and faults, and counts requests. `S3` is a server for the interface of S3; it
//! is there with the feature `s3`, which the tests of this package turn on, and so are `Tls`, which stands before any of them, and
//! `Forward`, the proxy that clients are told of.

mod proxy;

pub use proxy::{Fault, Manner, Proxy, Traffic};

#[cfg(feature = "s3")]
mod forward;
#[cfg(feature = "s3")]
mod objects;
#[cfg(feature = "s3")]
mod s3;
#[cfg(feature = "s3")]
mod tls;

#[cfg(feature = "s3")]
pub use forward::Forward;
#[cfg(feature = "s3")]
pub use s3::{ACCESS_KEY, BUCKET, S3, SECRET_KEY};
#[cfg(feature = "s3")]
pub use tls::Tls;
