//! Names of copy methods.

use netcdf_core::chunk::rechunk::RechunkWay;
use netcdf_core::copy::methods::Method;

/// Returns the name of a method.
#[must_use]
pub(crate) fn method(method: Method) -> String {
    match method {
        Method::Move => "move".to_owned(),
        Method::Rows => "move records".to_owned(),
        Method::Convert => "convert".to_owned(),
        Method::Chunks => "move chunks".to_owned(),
        Method::Recode => "re-encode".to_owned(),
        Method::Rechunk(plan) => match plan.way {
            RechunkWay::Direct => "rechunk".to_owned(),
            RechunkWay::Memory { .. } if plan.passes > 1 => {
                format!("rechunk in {} passes", plan.passes)
            }
            RechunkWay::Memory { .. } => "rechunk in memory".to_owned(),
            RechunkWay::Spill => format!("rechunk through a file of {} bytes", plan.disk),
        },
    }
}
