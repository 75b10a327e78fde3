//! Sequences of calls of the C interface, on small files of all formats.
//!
//! The input selects files, changes some of their bytes, and then selects functions with their ids, regions and null pointers. Arguments keep
//! the contract of `netcdf.h`: non-null pointers point to enough memory. No call may panic, and no memory may leak. Run with
//! `NETCDF_THREADS=1` and `ASAN_OPTIONS=detect_odr_violation=0`, because the names for HDF5 plugins are defined twice.

use std::ffi::{c_char, c_int};
use std::ptr::{null, null_mut};

use netcdf::calls::*;

const FILES: [&[u8]; 16] = [
    include_bytes!("../../../testdata/classic/types-1.nc"),
    include_bytes!("../../../testdata/classic/records-2.nc"),
    include_bytes!("../../../testdata/classic/unsigned-5.nc"),
    include_bytes!("../../../testdata/classic/ranks-1.nc"),
    include_bytes!("../../../testdata/classic/times-2.nc"),
    include_bytes!("../../../testdata/netcdf4/model.nc"),
    include_bytes!("../../../testdata/netcdf4/values_3.nc"),
    include_bytes!("../../../testdata/netcdf4/filtered.nc"),
    include_bytes!("../../../testdata/hdf5/truth.h5"),
    include_bytes!("../../../testdata/hdf5/inexpressible.h5"),
    include_bytes!("../../../testdata/hdf5/rare_types.h5"),
    include_bytes!("../../../testdata/hdf5/same_types.h5"),
    include_bytes!("../../../testdata/hdf5/groups_narrow.h5"),
    include_bytes!("../../../testdata/hdf5/records_v110_16_deflated.h5"),
    include_bytes!("../../../testdata/hdf4/mixed.hdf"),
    include_bytes!("../../../testdata/hdf4/records.hdf"),
];

const NAMES: [&[u8]; 11] = [
    b"\0",
    b"/\0",
    b"x\0",
    b"time\0",
    b"t\0",
    b"/g\0",
    b"units\0",
    b"_FillValue\0",
    b"_NCProperties\0",
    b"none\0",
    b"\xff\xfe\0",
];

/// Eight-byte words of memory for values.
const WORDS: usize = 1 << 15;
/// The maximum rank, `NC_MAX_VAR_DIMS`.
const RANK: usize = 1024;
/// The error number of a caught panic, `NC_EINTERNAL`.
const INTERNAL: c_int = -92;

/// Runs a sequence of calls.
pub fn calls(input: &[u8]) {
    let mut run = Run::new(input);
    for _ in 0..3 {
        run.open();
    }
    while !run.input.is_empty() {
        run.call();
    }
    for id in run.open {
        check(nc_close(id));
    }
}

fn check(status: c_int) -> bool {
    assert!(
        status > -300 && status < 200 && status != INTERNAL,
        "status {status}"
    );
    status == 0
}

struct Run<'a> {
    input: &'a [u8],
    open: Vec<c_int>,
    values: Vec<u64>,
    name: Vec<c_char>,
    ids: Vec<c_int>,
    start: [usize; RANK],
    count: [usize; RANK],
    stride: [isize; RANK],
    map: [isize; RANK],
    len: usize,
    number: c_int,
}

impl<'a> Run<'a> {
    fn new(input: &'a [u8]) -> Self {
        Self {
            input,
            open: vec![],
            values: vec![0; WORDS],
            name: vec![0; 1 << 16],
            ids: vec![0; 1 << 14],
            start: [0; RANK],
            count: [1; RANK],
            stride: [1; RANK],
            map: [1; RANK],
            len: 0,
            number: 0,
        }
    }

    fn byte(&mut self) -> u8 {
        let (first, rest) = self.input.split_first().unwrap_or((&0, &[]));
        self.input = rest;
        *first
    }

    fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n.max(1)
    }

    /// Opens a file after changes of a few bytes.
    fn open(&mut self) {
        let which = self.below(FILES.len());
        let mut bytes = FILES[which].to_vec();
        for _ in 0..self.below(8).saturating_sub(4) {
            let at = usize::from(u16::from_le_bytes([self.byte(), self.byte()])) % bytes.len();
            bytes[at] = self.byte();
        }
        let mut id = 0;
        if check(nc_open_mem(
            c"fuzz".as_ptr(),
            0,
            bytes.len(),
            bytes.as_mut_ptr().cast(),
            &raw mut id,
        )) {
            self.open.push(id);
        }
    }

    /// An id of an open dataset or group, rarely another number.
    fn id(&mut self) -> c_int {
        let selected = self.byte();
        let open = self
            .open
            .get(usize::from(selected >> 5) % self.open.len().max(1));
        let id = open.copied().unwrap_or(65536);
        match selected & 31 {
            31 => -1,
            30 => id.wrapping_add(65536),
            n @ 20.. => id.wrapping_add(c_int::from(n) - 19),
            _ => id,
        }
    }

    fn number(&mut self) -> c_int {
        match self.byte() {
            n @ 250.. => c_int::from(n) - 300,
            n => c_int::from(n % 24) - 1,
        }
    }

    fn any_name(&mut self) -> *const c_char {
        let n = self.below(NAMES.len() + 4);
        match NAMES.get(n) {
            Some(name) => name.as_ptr().cast(),
            // The name that the last inquiry returned.
            None if n % 4 != 0 => self.name.as_ptr(),
            None => null(),
        }
    }

    fn name(&mut self) -> *mut c_char {
        self.name.as_mut_ptr()
    }

    /// Memory for one number, or null.
    fn one(&mut self) -> *mut c_int {
        match self.below(6) {
            0 => null_mut(),
            _ => &raw mut self.number,
        }
    }

    fn size(&mut self) -> *mut usize {
        match self.below(6) {
            0 => null_mut(),
            _ => &raw mut self.len,
        }
    }

    fn list(&mut self) -> *mut c_int {
        self.ids.as_mut_ptr()
    }

    fn memory<T>(&mut self) -> *mut T {
        self.values.as_mut_ptr().cast()
    }

    fn shape(&mut self, id: c_int, var: c_int) -> Option<Vec<usize>> {
        let mut rank = 0;
        let mut dims = vec![0; RANK];
        if !check(nc_inq_var(
            id,
            var,
            null_mut(),
            null_mut(),
            &raw mut rank,
            dims.as_mut_ptr(),
            null_mut(),
        )) {
            return None;
        }
        let len = |&dim: &c_int| {
            let mut len = 0;
            check(nc_inq_dim(id, dim, null_mut(), &raw mut len)).then_some(len)
        };
        dims.iter()
            .take(usize::try_from(rank).ok()?)
            .map(len)
            .collect()
    }

    /// Sets a region near the shape of a variable. Returns the number of elements and the last position of a mapped read, if they fit in
    /// memory. The number is 0 if the region must be refused.
    fn region(&mut self, id: c_int, var: c_int) -> Option<usize> {
        let shape = self.shape(id, var)?;
        let (mut elements, mut last, mut beyond) = (1usize, 0usize, false);
        for (k, &len) in shape.iter().enumerate() {
            self.start[k] = self.below(len.min(255) + 1);
            let left = len.saturating_sub(self.start[k]);
            self.count[k] = match self.byte() {
                255 => usize::MAX,
                254 => left.saturating_add(1),
                n => usize::from(n) % left.saturating_add(1),
            };
            self.stride[k] = isize::try_from(self.below(5)).unwrap_or(1) - 1;
            let map = self.below(9);
            self.map[k] = isize::try_from(map).unwrap_or(1);
            beyond |= self.start[k] > len || self.count[k] > left;
            elements = elements.saturating_mul(self.count[k]);
            last = last.saturating_add(self.count[k].saturating_sub(1).saturating_mul(map));
        }
        match beyond {
            true => Some(0),
            false => (elements.max(last) < WORDS).then_some(elements),
        }
    }

    /// Reads values in the type of the variable, and frees their strings and lists.
    fn read_own_type(&mut self, id: c_int, var: c_int) {
        let (mut ty, mut size) = (0, 0);
        let Some(elements) = self.region(id, var) else {
            return;
        };
        check(nc_inq_var(
            id,
            var,
            null_mut(),
            &raw mut ty,
            null_mut(),
            null_mut(),
            null_mut(),
        ));
        check(nc_inq_type(id, ty, null_mut(), &raw mut size));
        if elements.saturating_mul(size) > WORDS * 8 {
            return;
        }
        self.values.fill(0);
        let (start, count) = (self.start.as_ptr(), self.count.as_ptr());
        if check(nc_get_vara(id, var, start, count, self.memory())) {
            check(nc_reclaim_data(id, ty, self.memory(), elements));
        }
    }

    /// Reads an attribute in its type, and frees its strings and lists.
    fn read_attribute(&mut self, id: c_int, var: c_int, name: *const c_char) {
        let (mut ty, mut len, mut size) = (0, 0, 0);
        if !check(nc_inq_att(id, var, name, &raw mut ty, &raw mut len)) {
            return;
        }
        check(nc_inq_type(id, ty, null_mut(), &raw mut size));
        if len.saturating_mul(size.max(8)) > WORDS * 8 {
            return;
        }
        self.values.fill(0);
        if check(nc_get_att(id, var, name, self.memory())) {
            check(nc_reclaim_data(id, ty, self.memory(), len));
        }
        check(nc_get_att_double(id, var, name, self.memory()));
        check(nc_get_att_text(id, var, name, self.memory()));
    }

    fn read_numbers(&mut self, id: c_int, var: c_int) {
        if self.region(id, var).is_none() {
            return;
        }
        let (start, count) = (self.start.as_ptr(), self.count.as_ptr());
        let (stride, map) = (self.stride.as_ptr(), self.map.as_ptr());
        match self.below(8) {
            0 => check(nc_get_vara_double(id, var, start, count, self.memory())),
            1 => check(nc_get_vara_schar(id, var, start, count, self.memory())),
            2 => check(nc_get_vara_text(id, var, start, count, self.memory())),
            3 => check(nc_get_vars_float(
                id,
                var,
                start,
                count,
                stride,
                self.memory(),
            )),
            4 => check(nc_get_varm_double(
                id,
                var,
                start,
                count,
                stride,
                map,
                self.memory(),
            )),
            5 => check(nc_get_vara_double(id, var, null(), count, self.memory())),
            6 => check(nc_get_vars_float(
                id,
                var,
                start,
                count,
                null(),
                self.memory(),
            )),
            _ => check(nc_get_vara_double(id, var, start, count, null_mut())),
        };
    }

    fn call(&mut self) {
        let what = self.below(40);
        let (id, var) = (self.id(), self.number());
        let name = self.any_name();
        match what {
            0 => self.open(),
            1 if !self.open.is_empty() => {
                let which = self.below(self.open.len());
                check(nc_close(self.open.swap_remove(which)));
            }
            2 => _ = check(nc_sync(id)),
            3..10 => self.read_own_type(id, var),
            10..16 => self.read_numbers(id, var),
            16..20 => self.read_attribute(id, var, name),
            20 => {
                _ = check(nc_get_var1_double(
                    id,
                    var,
                    self.start.as_ptr(),
                    self.memory(),
                ))
            }
            21 => {
                check(nc_put_var_int(id, var, self.ids.as_ptr()));
                check(nc_def_dim(id, name, 3, self.one()));
            }
            _ => self.inquire(what, id, var, name),
        }
    }

    fn inquire(&mut self, what: usize, id: c_int, var: c_int, name: *const c_char) {
        let (text, one, size, list) = (self.name(), self.one(), self.size(), self.list());
        let ty = var.wrapping_add(31);
        let status = match what {
            22 => nc_inq(id, one, one, null_mut(), one),
            23 => nc_inq_var(id, var, text, one, one, list, one),
            24 => nc_inq_dim(id, var, text, size),
            25 => nc_inq_dimid(id, name, one),
            26 => nc_inq_varid(id, name, one),
            27 => nc_inq_attname(id, var, c_int::from(self.byte() % 9), text),
            28 => nc_inq_user_type(id, ty, text, size, one, size, one),
            29 => nc_inq_compound_field(
                id,
                ty,
                c_int::from(self.byte() % 5),
                text,
                size,
                one,
                one,
                list,
            ),
            30 => nc_inq_enum_member(id, ty, c_int::from(self.byte() % 5), text, self.memory()),
            31 => nc_inq_grps(id, one, list),
            32 => nc_inq_grp_full_ncid(id, name, one),
            33 => nc_inq_grpname_full(id, size, text),
            34 => nc_inq_typeids(id, one, list),
            35 => nc_inq_dimids(id, one, list, var & 1),
            36 => nc_inq_var_chunking(id, var, one, self.start.as_mut_ptr()),
            37 => nc_inq_var_filter_ids(id, var, size, self.memory()),
            38 => self.inquire_filter(id, var),
            _ => self.inquire_format(id, var),
        };
        check(status);
    }

    /// Queries the parameters of the first filter.
    fn inquire_filter(&mut self, id: c_int, var: c_int) -> c_int {
        let mut ids = [0; 64];
        let mut count = 0;
        check(nc_inq_var_filter_ids(id, var, &raw mut count, null_mut()));
        if count > 0 && count <= ids.len() {
            check(nc_inq_var_filter_ids(
                id,
                var,
                &raw mut count,
                ids.as_mut_ptr(),
            ));
        }
        nc_inq_var_filter_info(id, var, ids[0], self.size(), self.memory())
    }

    fn inquire_format(&mut self, id: c_int, var: c_int) -> c_int {
        let (one, list) = (self.one(), self.list());
        check(nc_inq_format_extended(id, one, one));
        check(nc_inq_unlimdims(id, one, list));
        check(nc_inq_enum_ident(id, var.wrapping_add(31), 1, self.name()));
        self.values.fill(0);
        nc_inq_var_fill(id, var, one, null_mut())
    }
}
