//! Differences as text and JSON lines.

use netcdf_core::error::{Error, Result};
use netcdf_core::json::Json;

use crate::out::{Colour, CommandOut, plain};
use crate::verdict::Verdict;

/// Maximum characters of a printed value.
const SHOWN: usize = 120;

/// A difference.
#[derive(Debug)]
pub(super) struct StoreDifference {
    /// The kind of difference: `shape`, `attribute` …
    pub kind: &'static str,
    /// The name, if there are several of the kind, such as attributes.
    pub name: Option<String>,
    /// The value in the first store.
    pub a: Option<Json>,
    /// The value in the second store.
    pub b: Option<Json>,
    /// Whether the difference only concerns the storage.
    pub layout: bool,
    /// Additional members in JSON.
    pub more: Vec<(&'static str, Json)>,
    /// Lines of text that replace the two values.
    pub text: Vec<String>,
}

impl StoreDifference {
    /// Returns a difference between values.
    pub(super) fn new(kind: &'static str, a: Option<Json>, b: Option<Json>) -> Self {
        Self {
            kind,
            name: None,
            a,
            b,
            layout: false,
            more: vec![],
            text: vec![],
        }
    }

    /// Returns a difference between texts.
    pub(super) fn texts(kind: &'static str, a: &str, b: &str) -> Self {
        Self::new(kind, Some(Json::text(a)), Some(Json::text(b)))
    }

    /// Marks a difference as storage only, if `layout` is true.
    pub(super) fn of_layout(mut self, layout: bool) -> Self {
        self.layout = layout;
        self
    }

    /// Adds a name.
    pub(super) fn named(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Returns the lines of text.
    fn lines(&self) -> Vec<String> {
        let name = self.name.as_ref().map(|name| format!(" {}", plain(name)));
        let name = name.unwrap_or_default();
        let layout = if self.layout { "  (layout)" } else { "" };
        let mut more = self.text.iter();
        let first = match more.next() {
            Some(text) => text.clone(),
            None => format!(
                "{} | {}",
                self.side(self.a.as_ref()),
                self.side(self.b.as_ref())
            ),
        };
        let first = format!("  {}{name}: {first}{layout}", self.kind);
        std::iter::once(first)
            .chain(more.map(|text| format!("    {text}")))
            .collect()
    }

    fn side(&self, side: Option<&Json>) -> String {
        let text = match side {
            None => return "-".to_owned(),
            // Quotes distinguish the value of an attribute from a description.
            Some(Json::Text(text)) if self.name.is_none() => text.clone(),
            Some(json) => json.to_bytes(),
        };
        let text = plain(&String::from_utf8_lossy(&text));
        let mut shown: String = text.chars().take(SHOWN).collect();
        if shown.len() < text.len() {
            shown.push_str(" ...");
        }
        shown
    }
}

/// Prints differences, and counts them.
pub(super) struct DiffReport<'w> {
    /// The output.
    pub out: CommandOut<'w>,
    real: u64,
    layout: u64,
    /// The last path printed.
    path: Option<String>,
}

impl<'w> DiffReport<'w> {
    /// Returns a report without differences.
    pub(super) fn new(out: CommandOut<'w>) -> Self {
        Self {
            out,
            real: 0,
            layout: 0,
            path: None,
        }
    }

    /// Prints a difference at a path.
    ///
    /// # Errors
    /// Returns write errors.
    pub(super) fn tell(&mut self, path: &str, difference: StoreDifference) -> Result<()> {
        match difference.layout {
            true => self.layout += 1,
            false => self.real += 1,
        }
        if self.out.json {
            return self.record(path, difference);
        }
        if self.path.as_deref() != Some(path) {
            let title = self.out.paint(Colour::Bold, &plain(path));
            self.out.line(&title)?;
            self.path = Some(path.to_owned());
        }
        let colour = match difference.layout {
            true => Colour::Dim,
            false => Colour::Yellow,
        };
        for line in difference.lines() {
            let line = self.out.paint(colour, &line);
            self.out.line(&line)?;
        }
        Ok(())
    }

    fn record(&mut self, path: &str, difference: StoreDifference) -> Result<()> {
        let mut members = vec![
            ("kind", Json::text(difference.kind)),
            ("path", Json::text(path)),
        ];
        if let Some(name) = &difference.name {
            members.push(("name", Json::text(name)));
        }
        members.push(("a", difference.a.unwrap_or(Json::Null)));
        members.push(("b", difference.b.unwrap_or(Json::Null)));
        members.push(("layout", Json::Bool(difference.layout)));
        members.extend(difference.more);
        self.out.record("difference", members)
    }

    /// Prints a problem that prevents a comparison.
    ///
    /// # Errors
    /// Returns write errors.
    pub(super) fn problem(&mut self, path: &str, e: &Error) -> Result<()> {
        let text = e.to_string();
        let mut difference = StoreDifference::new("problem", None, None);
        difference.more = vec![("what", Json::text(&text))];
        difference.text = vec![plain(&text)];
        self.tell(path, difference)
    }

    /// Prints the last line. Returns the outcome.
    ///
    /// # Errors
    /// Returns write errors.
    pub(super) fn end(mut self) -> Result<Verdict> {
        if self.out.json {
            let members = [
                ("differences", Json::int(self.real)),
                ("layout", Json::int(self.layout)),
            ];
            self.out.record("summary", members)?;
        } else {
            let text = summary(self.real, self.layout);
            self.out.line(&text)?;
        }
        self.out.end()?;
        Ok(match self.real {
            0 => Verdict::Sound,
            _ => Verdict::Problems,
        })
    }
}

fn summary(real: u64, layout: u64) -> String {
    let count = |n: u64| match n {
        1 => "1 difference".to_owned(),
        n => format!("{n} differences"),
    };
    match (real, layout) {
        (0, 0) => "no differences".to_owned(),
        (0, layout) => format!("no differences, but {layout} in layout"),
        (real, 0) => count(real),
        (real, layout) => format!("{}, and {layout} in layout", count(real)),
    }
}
