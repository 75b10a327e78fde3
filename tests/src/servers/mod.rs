//! Local servers, for tests of remote data.
//!
//! [`Proxy`] can stand before each server: it adds delays and faults, and counts requests. The feature `s3`, which the tests of this
//! package turn on, adds three servers: `S3` has the S3 interface, `Tls` can stand before each server, and `Forward` is a proxy that
//! clients are configured to use.

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
