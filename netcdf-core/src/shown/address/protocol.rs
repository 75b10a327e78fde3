//! The protocol of an address, also of a malformed address: `http:/host`, `s3:bucket`.

/// Protocols of datasets. A text after these protocols is an address even without `//`.
const KNOWN: [&str; 14] = [
    "abfs", "abfss", "az", "azure", "dap4", "dods", "file", "ftp", "gs", "gs3", "http", "https",
    "s3", "sftp",
];
/// Protocols with the syntax `CONTAINER@HOST`, which has no login.
const AZURE: [&str; 4] = ["az", "azure", "abfs", "abfss"];
/// Maximum login length in bytes after an unknown protocol.
const LOGIN_LIMIT: usize = 4096;

/// The protocol of an address, with the text before and after.
#[derive(Debug)]
pub(super) struct Protocol<'t> {
    /// The text before the colon; it ends with the protocol.
    pub(super) before: &'t str,
    /// The slashes after the colon, two in a correct address.
    pub(super) slashes: &'t str,
    /// The text after the slashes.
    pub(super) rest: &'t str,
    name: String,
}

impl<'t> Protocol<'t> {
    /// Returns the first protocol of an address, or `None` for a path.
    pub(super) fn find(text: &'t str) -> Option<Self> {
        let mut marks = text.match_indices(':');
        marks.find_map(|(mark, _)| Self::before_colon(text, mark))
    }

    /// Returns the protocol before the colon at `mark`, or `None` if no address begins with it.
    pub(super) fn before_colon(text: &'t str, mark: usize) -> Option<Self> {
        Self::at(text, mark).filter(Self::is_address)
    }

    fn at(text: &'t str, mark: usize) -> Option<Self> {
        let (before, behind) = text.split_at_checked(mark)?;
        let behind = behind.strip_prefix(':')?;
        let name = before.rsplit(|c| !is_of_protocol(c)).next()?;
        let rest = behind.trim_start_matches(['/', '\\']);
        let slashes = behind.strip_suffix(rest)?;
        let name = name.to_ascii_lowercase();
        (!name.is_empty()).then_some(Self {
            before,
            slashes,
            rest,
            name,
        })
    }

    /// Returns the protocol at the end of `before`, followed by `://` and `rest`.
    pub(super) fn correct(before: &'t str, rest: &'t str) -> Self {
        let name = before.rsplit(|c| !is_of_protocol(c)).next();
        Self {
            before,
            slashes: "//",
            rest,
            name: name.unwrap_or_default().to_ascii_lowercase(),
        }
    }

    /// Returns whether an address begins with this protocol.
    fn is_address(&self) -> bool {
        let alone = self.before.len() == self.name.len();
        // `file:x` is a path.
        let begins = !self.is_file() || !self.slashes.is_empty();
        self.is_correct() || (self.is_known() && alone && begins) || self.has_login()
    }

    /// Returns whether two slashes follow the colon.
    pub(super) fn is_correct(&self) -> bool {
        self.slashes.starts_with("//")
    }

    fn is_known(&self) -> bool {
        KNOWN.contains(&self.name.as_str())
    }

    fn is_file(&self) -> bool {
        self.name == "file"
    }

    /// Returns whether `CONTAINER@HOST` has no login.
    pub(super) fn is_azure(&self) -> bool {
        AZURE.contains(&self.name.as_str())
    }

    /// Returns whether the address may be a path, so that only a text with a colon is a login.
    pub(super) fn may_be_path(&self) -> bool {
        self.is_file() || !(self.is_correct() || self.is_known())
    }

    /// Returns whether a host must follow; after `file:///` none does.
    pub(super) fn has_host(&self) -> bool {
        !self.may_be_path() || self.slashes == "//"
    }

    /// Returns whether `NAME:PASSWORD@` follows. A protocol of one letter may be a variable name.
    fn has_login(&self) -> bool {
        let long = self.name.len() > 1 && self.name.starts_with(|c: char| c.is_ascii_alphabetic());
        let end = self.rest.find('@').filter(|end| *end <= LOGIN_LIMIT);
        let login = end.and_then(|end| self.rest.get(..end));
        let other = |c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#');
        let fits = |login: &str| login.contains(':') && !login.contains(other);
        long && login.is_some_and(fits)
    }
}

/// Returns whether a protocol may contain a character.
pub(super) fn is_of_protocol(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')
}
