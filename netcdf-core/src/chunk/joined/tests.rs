//! Grids of joined variables, and conversions of elements.

use std::sync::Arc;

use super::{
    Conversion, JoinedAxis, JoinedVariable, JoinedVariableParts, LinearMap, MissingValues, Packing,
    Piece, Unpacking,
};
use crate::chunk::layout::tests::layout;
use crate::chunk::scatter::Block;
use crate::error::{Error, ErrorKind};
use crate::model::{Atomic, Endianness, StoredElement, Values};

/// Returns runs of whole inputs with these lengths.
fn pieces(lengths: &[u64]) -> Arc<[Piece]> {
    let mut start = 0;
    let one = |(input, &len): (usize, &u64)| {
        let piece = Piece {
            input,
            start,
            from: 0,
            len,
            of: len,
        };
        start += len;
        piece
    };
    lengths.iter().enumerate().map(one).collect()
}

/// Returns a variable of shape `(3, total)` or `(total, 3)` with chunks of 2 along the axis and of 2 along the other dimension.
fn variable(axis: usize, lengths: &[u64]) -> JoinedVariable {
    let total = lengths.iter().sum();
    let (shape, base) = match axis {
        0 => (vec![total, 3], layout(&[lengths[0], 3], &[2, 2])),
        _ => (vec![3, total], layout(&[3, lengths[0]], &[2, 2])),
    };
    JoinedVariable::new(JoinedVariableParts {
        base,
        shape,
        axis: Some(JoinedAxis {
            index: axis,
            added: false,
        }),
        pieces: pieces(lengths),
        conversions: vec![],
        alike: true,
        tag: None,
        has_index: false,
    })
    .unwrap()
}

#[test]
fn inputs_with_whole_chunks_are_stacked() {
    assert!(variable(0, &[4, 2, 3]).is_stacked());
    assert!(!variable(0, &[4, 3, 2]).is_stacked());
    assert!(!variable(1, &[3, 4]).is_stacked());
    assert!(variable(1, &[4, 1]).is_stacked());
}

#[test]
fn chunk_numbers_lead_to_inputs_and_back() {
    for (axis, lengths) in [(0, [4, 2, 3]), (1, [2, 4, 1])] {
        let variable = variable(axis, &lengths);
        let grid = variable.layout.grid();
        let mut seen = vec![];
        let visited = variable.boxes(&Block::whole(&grid), |part| {
            let own = match axis {
                0 => vec![part.piece.of.div_ceil(2), 2],
                _ => vec![2, part.piece.of.div_ceil(2)],
            };
            for y in 0..part.chunks.count[0] {
                for x in 0..part.chunks.count[1] {
                    let (y, x) = (y + part.chunks.start[0], x + part.chunks.start[1]);
                    let number = variable.outer_number(&part.piece, y * own[1] + x)?;
                    seen.push(number);
                    let (piece, inner) = variable.inner_number(number)?;
                    assert_eq!((piece, inner), (part.piece, y * own[1] + x));
                }
            }
            Ok::<_, Error>(())
        });
        visited.unwrap();
        let all: Vec<u64> = (0..grid.iter().product()).collect();
        assert_eq!(seen, all, "row-major order along axis {axis}");
    }
}

fn element(ty: Atomic) -> StoredElement {
    StoredElement {
        ty: ty.into(),
        size: ty.size().unwrap() as u64,
        order: Endianness::Little,
        plain: true,
    }
}

/// Converts values of a type to another type.
fn converted(conversion: &Conversion, values: &Values, to: Atomic) -> Result<Values, ErrorKind> {
    let from = element(values.data_type().unwrap());
    let mut bytes = vec![];
    crate::chunk::elements::encode(values, from.order, &mut bytes).unwrap();
    let bytes = conversion
        .apply(&bytes, (from, element(to)))
        .map_err(|e| e.kind())?;
    Ok(crate::chunk::elements::decode(to, Endianness::Little, &bytes).unwrap())
}

#[test]
fn times_are_rebased_exactly() {
    let hours_to_days = Conversion {
        linear: Some(LinearMap {
            factor: 1,
            divisor: 24,
            offset: 48,
            tolerance: 0.5e-9 / 86400.0,
            missing: vec![Values::Int(vec![-1])],
            remedy: "",
        }),
        ..Conversion::default()
    };
    let whole =
        |values: &[i32]| converted(&hours_to_days, &Values::Int(values.to_vec()), Atomic::Int);
    assert_eq!(whole(&[0, 24, -1]), Ok(Values::Int(vec![2, 3, -1])));
    assert_eq!(whole(&[12]), Err(ErrorKind::Range));
    let real = |x: f64| converted(&hours_to_days, &Values::Double(vec![x]), Atomic::Double);
    assert_eq!(real(12.0), Ok(Values::Double(vec![2.5])));
    assert_eq!(real(1.0), Ok(Values::Double(vec![2.0 + 1.0 / 24.0])));
    let single = |x: f32| converted(&hours_to_days, &Values::Float(vec![x]), Atomic::Float);
    assert_eq!(single(12.0), Ok(Values::Float(vec![2.5])));
    assert_eq!(single(1.0), Err(ErrorKind::Range));
}

#[test]
fn missing_values_are_replaced() {
    let conversion = Conversion {
        ty: Some(Atomic::Int),
        missing: Some(MissingValues {
            from: vec![Values::Int(vec![-2])],
            to: Values::Int(vec![-1]),
            refused: vec![Values::Int(vec![-1])],
        }),
        ..Conversion::default()
    };
    let short =
        |values: &[i16]| converted(&conversion, &Values::Short(values.to_vec()), Atomic::Int);
    assert_eq!(short(&[1, -2]), Ok(Values::Int(vec![1, -1])));
    assert_eq!(short(&[1, -1]), Err(ErrorKind::Range));
}

#[test]
fn packed_numbers_are_unpacked_and_packed_again() {
    let mut unpack = Unpacking {
        scale: 0.5,
        offset: 1.0,
        unsigned: true,
        missing: vec![255.0],
        fill: -9.0,
        packing: None,
    };
    let with = |unpack: &Unpacking| Conversion {
        unpack: Some(unpack.clone()),
        ty: Some(Atomic::Short),
        ..Conversion::default()
    };
    let bytes = Values::Byte(vec![2, -2, -1]);
    assert_eq!(
        converted(&with(&unpack), &bytes, Atomic::Short),
        Ok(Values::Short(vec![2, 128, -9]))
    );
    unpack.packing = Some(Packing {
        scale: 0.25,
        offset: 2.0,
        fill: -100.0,
    });
    assert_eq!(
        converted(&with(&unpack), &bytes, Atomic::Short),
        Ok(Values::Short(vec![0, 504, -100]))
    );
}
