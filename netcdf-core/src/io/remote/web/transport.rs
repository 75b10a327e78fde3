//! Failures below HTTP: name lookup, connections and certificates.

use std::error::Error as StdError;
use std::io;

use super::tries::Fault;
use crate::error::plain;
use crate::io::remote::reach;

/// Converts a failed request to a fault. Only a refused certificate is permanent.
pub(super) fn fault(e: &reqwest::Error) -> Fault {
    if let Some(tls) = reach::refusal(e) {
        return Fault::Final(reach::unsafe_connection(tls));
    }
    let cause = innermost(e);
    if e.is_timeout() {
        return Fault::passing("no answer in time");
    }
    let what = match e.is_connect() {
        true => "cannot connect",
        false => "the connection broke off",
    };
    Fault::passing(format!("{what}: {cause}"))
}

/// The error and its causes. Causes contain no addresses, which may show secrets.
fn causes<'a>(e: &'a reqwest::Error) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(e.source(), |&e| e.source())
}

/// The message of the first cause.
pub(super) fn innermost(e: &reqwest::Error) -> String {
    match causes(e).last() {
        Some(cause) => match cause.downcast_ref::<io::Error>() {
            Some(system) => plain(system),
            None => cause.to_string(),
        },
        None => "an unknown failure".to_owned(),
    }
}
