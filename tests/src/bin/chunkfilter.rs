//! Applies filters to chunks, and undoes them, for `.ci/filters`, which compares with libhdf5.
//!
//! Each line of the standard input is a job of words between blanks:
//!
//! - `encode TYPE ORDER SHAPE FILTERS INPUT OUTPUT`: prepares a user's parameters, encodes the chunk in
//!   the file INPUT to the file OUTPUT and prints the mask and the stored filters.
//! - `decode TYPE ORDER SHAPE FILTERS INPUT OUTPUT MASK`: undoes stored filters; prints `ok`.
//!
//! TYPE is a netCDF type, ORDER `little` or `big`, SHAPE numbers between commas, FILTERS `ID,P,P|ID`. What
//! fails is printed as `error: …`.
#![forbid(unsafe_code)]

use std::fs;
use std::io::BufRead;

use netcdf_core::chunk::layout::Element;
use netcdf_core::error::Result;
use netcdf_core::filter::{About, Context, Table};
use netcdf_core::model::{Atomic, Endianness, FilterSpec};

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let [
            what,
            ty,
            order,
            shape,
            filters,
            input,
            output,
            ref rest @ ..,
        ] = words[..]
        else {
            panic!("not a job: {line}");
        };
        let (context, filters) = (context(ty, order, shape), specs(filters));
        let bytes = fs::read(input).unwrap();
        let done = match (what, rest) {
            ("encode", []) => encode(&context, &filters, bytes),
            ("decode", [mask]) => decode(&context, &filters, bytes, mask.parse().unwrap()),
            _ => panic!("not a job: {line}"),
        };
        match done {
            Ok((text, bytes)) => {
                fs::write(output, bytes).unwrap();
                println!("{text}");
            }
            Err(e) => println!("error: {e}"),
        }
    }
}

fn encode(context: &Context, user: &[FilterSpec], bytes: Vec<u8>) -> Result<(String, Vec<u8>)> {
    let table = Table::default();
    let stored = user.iter().map(|spec| {
        let params = table.entry(spec.id)?.prepare(context, &spec.params)?;
        Ok(FilterSpec {
            id: spec.id,
            params,
        })
    });
    let stored = stored.collect::<Result<Vec<FilterSpec>>>()?;
    let chain = table.chain(&stored, context)?;
    let (mask, bytes) = chain.encode(bytes, &mut Vec::new())?;
    let text = stored.iter().map(|spec| {
        let numbers = std::iter::once(&spec.id).chain(&spec.params);
        numbers.map(u32::to_string).collect::<Vec<_>>().join(",")
    });
    let text = text.collect::<Vec<_>>().join("|");
    Ok((format!("{mask} {text}"), bytes))
}

fn decode(
    context: &Context,
    stored: &[FilterSpec],
    bytes: Vec<u8>,
    mask: u32,
) -> Result<(String, Vec<u8>)> {
    let chain = Table::default().chain(stored, context)?;
    let bytes = chain.decode(mask, bytes, &mut Vec::new())?;
    Ok(("ok".to_owned(), bytes))
}

fn context(ty: &str, order: &str, shape: &str) -> Context {
    let ty = match ty {
        "byte" => Atomic::Byte,
        "ubyte" => Atomic::UByte,
        "short" => Atomic::Short,
        "ushort" => Atomic::UShort,
        "int" => Atomic::Int,
        "uint" => Atomic::UInt,
        "int64" => Atomic::Int64,
        "uint64" => Atomic::UInt64,
        "float" => Atomic::Float,
        "double" => Atomic::Double,
        _ => panic!("not a type: {ty}"),
    };
    let shape: Vec<u64> = shape.split(',').map(|n| n.parse().unwrap()).collect();
    let (size, elements) = (ty.size().unwrap(), shape.iter().product::<u64>());
    Context {
        shape,
        element: Element {
            ty: ty.into(),
            size: size as u64,
            order: match order {
                "big" => Endianness::Big,
                _ => Endianness::Little,
            },
            plain: true,
        },
        fill: None,
        len: Some(usize::try_from(elements).unwrap() * size),
        about: About::default(),
    }
}

fn specs(text: &str) -> Vec<FilterSpec> {
    let spec = |text: &str| {
        let mut numbers = text.split(',').map(|n| n.parse().unwrap());
        FilterSpec {
            id: numbers.next().unwrap(),
            params: numbers.collect(),
        }
    };
    text.split('|').map(spec).collect()
}
