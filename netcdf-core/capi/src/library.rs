//! Functions of the library as a whole: version, error texts, settings.

use std::collections::BTreeMap;
use std::ffi::{c_float, c_int};
use std::sync::{PoisonError, RwLock};

use crate::border::{InText, OutArray, export, export_text};
use crate::dataset::CacheSettings;
use crate::error_number::ErrorNumber;
use crate::texts;

/// The version of the interface, in the form of netCDF-C: number, ` of `, and the build. Programs compare numbers as text, where 4.10 comes
/// before 4.6.
const VERSION: &std::ffi::CStr = match std::ffi::CStr::from_bytes_with_nul(
    concat!("4.9.3 of netcdf-tools ", env!("CARGO_PKG_VERSION"), " $\0").as_bytes(),
) {
    Ok(text) => text,
    Err(_) => c"4.9.3 of netcdf-tools $",
};

/// Settings that programs may set and query. They have no effect here.
struct Settings {
    cache: CacheSettings,
    threshold: c_int,
    alignment: c_int,
    format: c_int,
    /// The values of keys of `.ncrc`.
    keys: BTreeMap<Vec<u8>, Vec<u8>>,
}

/// The defaults of netCDF-C.
static SETTINGS: RwLock<Settings> = RwLock::new(Settings {
    cache: CacheSettings::DEFAULT,
    threshold: 0,
    alignment: 0,
    format: 1,
    keys: BTreeMap::new(),
});

fn settings<R>(read: impl FnOnce(&Settings) -> R) -> R {
    read(&SETTINGS.read().unwrap_or_else(PoisonError::into_inner))
}

fn change(change: impl FnOnce(&mut Settings)) {
    change(&mut SETTINGS.write().unwrap_or_else(PoisonError::into_inner));
}

export_text! {
    fn nc_inq_libvers() {
        VERSION.into()
    }

    fn nc_strerror(number: c_int) {
        texts::text(ErrorNumber(number))
    }

    /// Returns the error message of the last call of this thread, with file, object and byte offset: empty if the call succeeded or has no
    /// message. The text lives until the next call. Not a function of netCDF-C.
    fn nctools_error() {
        crate::border::last_error()
    }

    /// Returns a copy of a value that the program has set, which the program frees. No key has an initial value, because this library
    /// reads no `.ncrc` file.
    fn nc_rc_get(key: InText) {
        settings(|s| {
            let value = key.path().ok().and_then(|key| s.keys.get(key));
            crate::border::StaticText::copied(value.map(Vec::as_slice))
        })
    }
}

export! {
    fn nc_initialize() {
        Ok(())
    }

    fn nc_finalize() {
        Ok(())
    }

    fn nc_set_log_level(_level: c_int) {
        Ok(())
    }

    fn nc_get_chunk_cache(
        size: OutArray<usize>,
        slots: OutArray<usize>,
        preemption: OutArray<c_float>,
    ) {
        settings(|s| {
            size.set(s.cache.size);
            slots.set(s.cache.slots);
            preemption.set(s.cache.preemption);
        });
        Ok(())
    }

    fn nc_set_chunk_cache(size: usize, slots: usize, preemption: c_float) {
        let cache = CacheSettings::checked(size, slots, preemption)?;
        change(|s| s.cache = cache);
        Ok(())
    }

    fn nc_get_alignment(threshold: OutArray<c_int>, alignment: OutArray<c_int>) {
        settings(|s| {
            threshold.set(s.threshold);
            alignment.set(s.alignment);
        });
        Ok(())
    }

    fn nc_set_alignment(threshold: c_int, alignment: c_int) {
        change(|s| (s.threshold, s.alignment) = (threshold, alignment));
        Ok(())
    }

    fn nc_set_default_format(format: c_int, old: OutArray<c_int>) {
        settings(|s| old.set(s.format));
        if !(1..=5).contains(&format) {
            return Err(ErrorNumber::EINVAL);
        }
        change(|s| s.format = format);
        Ok(())
    }

    fn nc_rc_set(key: InText, value: InText) {
        let (key, value) = (key.path()?.to_vec(), value.path()?.to_vec());
        change(|s| _ = s.keys.insert(key, value));
        Ok(())
    }
}
