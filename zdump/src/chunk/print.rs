//! Chunks as text and JSON lines.

use netcdf_core::chunk::scatter::Block;
use netcdf_core::error::{Error, Result};
use netcdf_core::json::Json;
use netcdf_core::model::Values;
use netcdf_core::model::region::product;
use netcdf_core::tool::table::left;

use super::rows::{self, RowPiece};
use crate::array::{ChunkPlace, OpenArray, PartiallyDecoded, numbers};
use crate::hex;
use crate::out::{Colour, CommandOut, numbers as list, object, plain};
use crate::table::{count, shape};
use crate::words::dtype;

/// Maximum characters in a line of values.
const WIDTH: usize = 100;

/// Bytes of a line of JSON.
const RECORD: usize = 4096;

/// Prints chunks.
pub(super) struct ChunkPrinter<'a, 'w> {
    /// The array.
    pub opened: &'a OpenArray<'a>,
    /// The output.
    pub out: CommandOut<'w>,
    /// The number of decoding steps, if limited.
    pub stage: Option<usize>,
    /// The key of the last printed shard.
    pub shard: Option<String>,
}

impl ChunkPrinter<'_, '_> {
    /// Prints a chunk.
    ///
    /// # Errors
    /// Returns write errors.
    pub(super) fn chunk(
        &mut self,
        place: &ChunkPlace,
        (undone, values): &(PartiallyDecoded, Option<Values>),
    ) -> Result<()> {
        self.head(place, Some(&undone.sizes))?;
        match values {
            None => self.bytes(&undone.bytes),
            Some(values) => self.values(place, values),
        }
    }

    /// Prints bytes: offset, hexadecimal digits, characters.
    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        if self.out.json {
            let stage = Json::int(self.stage.unwrap_or_default());
            let mut at = 0;
            return bytes.chunks(RECORD).try_for_each(|part| {
                let hex = ("hex", Json::text(&hex::digits(part)));
                let offset = ("offset", Json::int(at));
                at += part.len();
                self.out
                    .record("bytes", [("stage", stage.clone()), offset, hex])
            });
        }
        for (n, line) in bytes.chunks(hex::LINE).enumerate() {
            let (digits, text) = hex::line(n.saturating_mul(hex::LINE) as u64, line);
            self.out.line(&format!("  {digits}  {text}"))?;
        }
        Ok(())
    }

    /// Prints the head of a chunk, before its values. `sizes` are the numbers of bytes after each decoding step.
    ///
    /// # Errors
    /// Returns write errors.
    pub(super) fn head(&mut self, place: &ChunkPlace, sizes: Option<&[u64]>) -> Result<()> {
        let stored = place.range.end.saturating_sub(place.range.start);
        let stored = [stored];
        let sizes = sizes.unwrap_or(&stored);
        if self.out.json {
            return self.head_record(place, sizes);
        }
        self.title(&place.place, &place.key)?;
        let mut text = format!("{} B", sizes.first().copied().unwrap_or(0));
        if self.opened.sharded() {
            text.push_str(&format!(" from byte {} on", place.range.start));
        }
        for (name, size) in self.opened.codecs().iter().zip(sizes.iter().skip(1)) {
            text.push_str(&format!(" -> {name} -> {size} B"));
        }
        let whole = sizes.len() > self.opened.codecs().len();
        if whole {
            let elements = count(product(&self.opened.chunk));
            text.push_str(&format!(" = {elements} of {}", dtype(self.opened.array)));
        }
        self.out.line(&format!("  stored    {text}"))
    }

    /// Prints the first lines of a chunk: coordinates, key and elements.
    fn title(&mut self, place: &[u64], key: &str) -> Result<()> {
        let opened = self.opened;
        let title = format!("{} chunk {}  {}", opened.path, numbers(place), plain(key));
        let title = self.out.paint(Colour::Bold, &title);
        self.out.line(&title)?;
        let block = opened.block(place);
        let inside = opened.inside(&block);
        let span = |(start, count): (&u64, &u64)| {
            let last = start.saturating_add(count.saturating_sub(1));
            format!("{start}..{last}")
        };
        let spans: Vec<_> = block.start.iter().zip(&block.count).map(span).collect();
        let elements = match spans.is_empty() {
            true => "scalar".to_owned(),
            false => format!("{} of {}", spans.join(", "), shape(&opened.shape)),
        };
        let clipped = self.clipped(&block, &inside);
        self.out.line(&format!("  elements  {elements}{clipped}"))
    }

    /// Describes a chunk that extends beyond the end of the array.
    fn clipped(&self, block: &Block, inside: &[u64]) -> String {
        if inside == block.count {
            return String::new();
        }
        let (inside, all) = (count(product(inside)), count(product(&block.count)));
        format!("; clipped: {inside} of {all} are in the array, those after | are not")
    }

    fn head_record(&mut self, place: &ChunkPlace, sizes: &[u64]) -> Result<()> {
        let codecs = self.opened.codecs();
        let stages = codecs
            .iter()
            .zip(sizes.iter().skip(1))
            .map(|(name, size)| object([("codec", Json::text(name)), ("bytes", Json::int(size))]));
        let stages = Json::Array(stages.collect());
        let stored = sizes.first().copied().unwrap_or(0);
        let mut members = self.about(&place.place, &place.key);
        members.push(("missing", Json::Bool(false)));
        members.push(("offset", Json::int(place.range.start)));
        members.push(("stored_bytes", Json::int(stored)));
        members.push(("stages", stages));
        self.out.record("chunk", members)
    }

    /// Returns the common JSON members of all chunks.
    fn about(&self, place: &[u64], key: &str) -> Vec<(&'static str, Json)> {
        let block = self.opened.block(place);
        vec![
            ("path", Json::text(&self.opened.path)),
            ("place", list(place)),
            ("key", Json::text(key)),
            ("start", list(&block.start)),
            ("shape", list(&block.count)),
            ("inside", list(&self.opened.inside(&block))),
            (
                "fill",
                self.opened
                    .fill_text()
                    .map_or(Json::Null, |f| Json::text(&f)),
            ),
        ]
    }

    /// Prints a missing chunk.
    ///
    /// # Errors
    /// Returns write errors.
    pub(super) fn missing(&mut self, place: &[u64]) -> Result<()> {
        let key = self.opened.key(&self.opened.key_place(place));
        if self.out.json {
            let mut members = self.about(place, &key);
            members.push(("missing", Json::Bool(true)));
            return self.out.record("chunk", members);
        }
        self.title(place, &key)?;
        let text = match self.opened.fill_text() {
            Some(fill) => {
                format!("nothing: the chunk is missing, all its elements are the fill value {fill}")
            }
            None => "nothing: the chunk is missing, and there is no fill value; readers use zeros"
                .to_owned(),
        };
        self.out.line(&format!("  stored    {text}"))
    }

    /// Prints that no chunk is stored.
    ///
    /// # Errors
    /// Returns write errors.
    pub(super) fn nothing(&mut self) -> Result<()> {
        if self.out.json {
            return Ok(());
        }
        let path = self.opened.path.clone();
        self.out.line(&format!("{path}: no chunk is stored"))
    }

    /// Prints a chunk or shard that cannot be decoded.
    ///
    /// # Errors
    /// Returns write errors.
    pub(super) fn problem(&mut self, place: Option<&ChunkPlace>, e: &Error) -> Result<()> {
        if let Some(place) = place {
            self.head(place, None)?;
        }
        if self.out.json {
            let object = e.object().map_or(Json::Null, Json::text);
            let remedy = e.remedy().map_or(Json::Null, Json::text);
            let what = ("what", Json::text(&e.what().text()));
            return self
                .out
                .record("problem", [("key", object), what, ("remedy", remedy)]);
        }
        let text = format!("  cannot be decoded: {}", plain(&e.to_string()));
        let text = self.out.paint(Colour::Red, &text);
        self.out.line(&text)
    }

    fn values(&mut self, place: &ChunkPlace, values: &Values) -> Result<()> {
        let block = self.opened.block(&place.place);
        let last = block.start.iter().zip(&block.count);
        let last: Vec<u64> = last
            .map(|(start, n)| start.saturating_add(n.saturating_sub(1)))
            .collect();
        let width = numbers(&last).len().saturating_add(2);
        let (opened, out) = (self.opened, &mut self.out);
        rows::each(opened, place, values, &mut |piece| match out.json {
            true => record(out, piece),
            false => lines(out, &piece, width),
        })
    }
}

fn record(out: &mut CommandOut<'_>, mut piece: RowPiece) -> Result<()> {
    let beyond = piece
        .constants
        .split_off(piece.inside.min(piece.constants.len()));
    let texts = |texts: &[String]| Json::Array(texts.iter().map(|t| Json::text(t)).collect());
    let index = ("index", list(&piece.index));
    let inside = ("values", texts(&piece.constants));
    let beyond = ("beyond", texts(&beyond));
    out.record("row", [index, inside, beyond])
}

/// Splits a row fragment into lines that begin with the index of their first element.
fn lines(out: &mut CommandOut<'_>, piece: &RowPiece, width: usize) -> Result<()> {
    let mut line = String::new();
    let mut index = piece.index.clone();
    let mut used = 0usize;
    for (n, constant) in piece.constants.iter().enumerate() {
        let len = constant.chars().count().saturating_add(2);
        if !line.is_empty() && used.saturating_add(len) > WIDTH.saturating_sub(width) {
            end(out, &index, width, &line)?;
            line.clear();
            used = 0;
            let first = piece.index.last().copied().unwrap_or(0);
            if let Some(last) = index.last_mut() {
                *last = first.saturating_add(n as u64);
            }
        }
        let before = match (n == piece.inside, line.is_empty()) {
            (true, true) => "| ",
            (true, false) => " | ",
            (false, true) => "",
            (false, false) => ", ",
        };
        let beyond = n >= piece.inside;
        let text = match beyond || constant == "_" {
            true => out.paint(Colour::Dim, constant),
            false => constant.clone(),
        };
        line.push_str(before);
        line.push_str(&text);
        used = used.saturating_add(len);
    }
    end(out, &index, width, &line)
}

fn end(out: &mut CommandOut<'_>, index: &[u64], width: usize, line: &str) -> Result<()> {
    if index.is_empty() {
        return out.line(&format!("  {line}"));
    }
    let label = format!("[{}]", numbers(index));
    out.line(format!("  {}  {line}", left(&label, width)).trim_end())
}
