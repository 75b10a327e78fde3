use super::scale::{CellLook, ChunkMap, MapCell};

#[test]
fn small_grids_have_a_cell_a_chunk() {
    let map = ChunkMap::new(&[3, 4]);
    assert_eq!((map.shape.as_slice(), map.is_whole()), (&[3, 4][..], true));
    assert_eq!(map.place(7), [1, 3]);
    assert_eq!(ChunkMap::new(&[]).cells.len(), 1);
    assert_eq!(ChunkMap::new(&[4, 0]).cells.len(), 0);
}

#[test]
fn large_grids_are_scaled_down() {
    let mut map = ChunkMap::new(&[1000, 7, 51, 250]);
    assert_eq!(map.block, [512, 1, 2, 3]);
    assert_eq!(map.shape, [2, 7, 26, 84]);
    map.cell(&[999, 6, 50, 249]).unwrap().present += 1;
    let last = *map.cells.last().unwrap();
    // The last block has one row, and one column.
    assert_eq!((last.present, last.chunks), (1, 488));
    assert_eq!(map.total().chunks, 1000 * 7 * 51 * 250);
    assert!(map.cell(&[1024, 0, 0, 0]).is_none());
    map.wrong_cells(&[0, 6, 48, 3], &[2, 1, 4, 3]);
    assert_eq!(map.total().wrong, 2);
    for grid in [&[u64::MAX; 3][..], &[2; 600], &[u64::MAX]] {
        let map = ChunkMap::new(grid);
        assert!(map.cells.len() <= 100_000, "{}", map.cells.len());
    }
}

#[test]
fn cells_look_like_what_they_hold() {
    let map = ChunkMap::new(&[1]);
    let cell = |present, fill, bytes| MapCell {
        chunks: 2,
        present,
        fill,
        wrong: 0,
        bytes,
    };
    let look = |cell| map.look(cell, 100);
    assert_eq!(look(cell(0, 0, 0)), CellLook::Missing);
    assert_eq!(look(cell(2, 2, 200)), CellLook::Fill);
    for (bytes, shade) in [
        (2, 0),
        (50, 0),
        (52, 1),
        (100, 1),
        (150, 2),
        (151, 3),
        (200, 3),
    ] {
        assert_eq!(look(cell(2, 1, bytes)), CellLook::Size(shade), "{bytes}");
    }
    let wrong = MapCell {
        wrong: 1,
        ..cell(1, 0, 9)
    };
    assert_eq!(look(wrong), CellLook::Wrong);
}
