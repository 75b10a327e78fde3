//! The objects of a file, each once.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use netcdf_core::env::Env;
use netcdf_core::format::hdf5::dataset::{self, Hdf5ObjectKind};
use netcdf_core::format::hdf5::message::link::LinkedObject;
use netcdf_core::format::hdf5::{Hdf5File, ObjectHeader, attributes, group};
use netcdf_core::{Error, Result};

use super::line;

struct Walk<'a> {
    name: &'a Path,
    file: &'a Arc<Hdf5File>,
    env: &'a Env,
    out: &'a mut dyn Write,
    seen: HashSet<u64>,
}

/// Writes the lines of all objects that hard links lead to.
pub fn objects(
    name: &Path,
    file: &Arc<Hdf5File>,
    env: &Env,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut walk = Walk {
        name,
        file,
        env,
        out,
        seen: HashSet::new(),
    };
    walk.object(vec![], file.superblock().root)
}

impl Walk<'_> {
    fn object(&mut self, path: Vec<u8>, address: u64) -> io::Result<()> {
        if !self.seen.insert(address) {
            return Ok(());
        }
        let header = match ObjectHeader::read(self.file, address) {
            Ok(header) => header,
            Err(e) => return self.error(&path, &e),
        };
        match self.attributes(&header) {
            Ok(count) => self.line('A', &path, &format!("\t{count}"))?,
            Err(e) => self.error(&path, &e)?,
        }
        match dataset::kind(&header) {
            Hdf5ObjectKind::Dataset => {
                let at = (self.name, &*String::from_utf8_lossy(&path));
                match super::dataset(at, self.file, &header, self.env) {
                    Ok((class, rest)) => self.line(class, &path, &rest),
                    Err(e) => self.error(&path, &e),
                }
            }
            Hdf5ObjectKind::Group => self.group(&path, &header),
            Hdf5ObjectKind::Datatype | Hdf5ObjectKind::Unknown => Ok(()),
        }
    }

    fn group(&mut self, path: &[u8], header: &ObjectHeader) -> io::Result<()> {
        let mut links = match group::links(self.file, header) {
            Ok(links) => links,
            Err(e) => return self.error(path, &e),
        };
        links.sort_by(|a, b| a.name.cmp(&b.name));
        for link in links {
            if let LinkedObject::Hard(address) = link.target {
                self.object([path, b"/", &link.name].concat(), address)?;
            }
        }
        Ok(())
    }

    fn attributes(&self, header: &ObjectHeader) -> Result<u64> {
        let mut count = 0;
        attributes::visit(self.file, header, |_| {
            count += 1;
            Ok(())
        })?;
        Ok(count)
    }

    fn line(&mut self, class: char, path: &[u8], rest: &str) -> io::Result<()> {
        write!(self.out, "{class}\t")?;
        self.out.write_all(path)?;
        writeln!(self.out, "{rest}")
    }

    fn error(&mut self, path: &[u8], e: &Error) -> io::Result<()> {
        self.line('E', path, &format!("\t{}", line(e)))
    }
}
