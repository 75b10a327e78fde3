//! The grammar of `.netrc`: entries of machines with logins.

use std::iter::Peekable;
use std::str::Chars;

use super::secret::Secret;

/// A login: name and password.
pub(crate) type NetrcLogin = (String, Secret);

/// The login for a host: the first complete entry for the host or `default`. With `name`, only a login of this name counts.
#[must_use]
pub(super) fn find(text: &str, host: &str, name: Option<&str>) -> Option<NetrcLogin> {
    let mut words = NetrcWords(text.chars().peekable());
    let mut entry = NetrcEntry::default();
    while let Some(word) = words.keyword() {
        match word.as_str() {
            "machine" | "default" => {
                if let Some(login) = entry.login(name) {
                    return Some(login);
                }
                let applies = word == "default" || words.value()?.eq_ignore_ascii_case(host);
                entry = NetrcEntry {
                    applies,
                    ..NetrcEntry::default()
                };
            }
            "login" => entry.name = words.value(),
            "password" => entry.password = words.value(),
            "account" => drop(words.value()),
            "macdef" => words.skip_macro(),
            _ => {}
        }
    }
    entry.login(name)
}

/// The entry of a machine.
#[derive(Default)]
struct NetrcEntry {
    applies: bool,
    name: Option<String>,
    password: Option<String>,
}

impl NetrcEntry {
    /// The login, if it is for the host.
    fn login(&mut self, name: Option<&str>) -> Option<NetrcLogin> {
        let (own, password) = (self.name.take()?, self.password.take()?);
        let wanted = self.applies && name.is_none_or(|name| name == own);
        wanted.then(|| (own, Secret::new(password)))
    }
}

/// The words of a file.
struct NetrcWords<'a>(Peekable<Chars<'a>>);

impl NetrcWords<'_> {
    /// The next word that is not in a comment.
    fn keyword(&mut self) -> Option<String> {
        loop {
            match self.next_char()? {
                '#' => self.skip_line(),
                _ => return self.value(),
            }
        }
    }

    /// The next word, which may be in quotes, and may begin with `#`.
    fn value(&mut self) -> Option<String> {
        match self.next_char()? {
            '"' => {
                self.0.next();
                Some(self.quoted())
            }
            _ => Some(self.plain()),
        }
    }

    /// The character at which the next word begins.
    fn next_char(&mut self) -> Option<char> {
        while self.0.next_if(|c| c.is_whitespace()).is_some() {}
        self.0.peek().copied()
    }

    fn plain(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.0.next_if(|c| !c.is_whitespace()) {
            word.push(c);
        }
        word
    }

    /// The rest of a quoted word. A quoted word ends at the end of its line at the latest.
    fn quoted(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.0.next_if(|c| *c != '\n') {
            match c {
                '"' => break,
                '\\' => word.extend(self.0.next().map(escaped)),
                c => word.push(c),
            }
        }
        word
    }

    fn skip_line(&mut self) {
        while self.0.next_if(|c| *c != '\n').is_some() {}
    }

    /// Skips a macro: it ends at an empty line.
    fn skip_macro(&mut self) {
        self.skip_line();
        while self.0.next().is_some() {
            let mut is_empty = true;
            while let Some(c) = self.0.next_if(|c| *c != '\n') {
                is_empty &= c == '\r';
            }
            if is_empty {
                return;
            }
        }
    }
}

/// The character for a letter after `\`.
fn escaped(c: char) -> char {
    match c {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
# machine h login comment password no
machine other.org login o password op
machine h
    login "a \"b\"	c"   # the user
    password "x\\y\tz"
    account none
machine plain login u#1 password #p#w
machine none login u
machine two password "p 1" login one machine two login "two" password p2
macdef init
machine macro login m password mp

machine after login a
  password ap
machine macro2
macdef last
  cd /x
machine inside login i password ip

machine quote login q password "open
machine quote2 login "" password ""
default login anonymous password me@here
machine late login l password lp
"#;

    #[test]
    fn the_first_complete_login_of_a_machine_is_taken() {
        for (host, name, login, password) in [
            ("other.org", None, "o", "op"),
            ("OTHER.org", None, "o", "op"),
            ("h", None, "a \"b\"\tc", "x\\y\tz"),
            ("plain", None, "u#1", "#p#w"),
            ("none", None, "anonymous", "me@here"),
            ("two", None, "one", "p 1"),
            ("two", Some("two"), "two", "p2"),
            ("macro", None, "anonymous", "me@here"),
            ("after", None, "a", "ap"),
            ("inside", None, "anonymous", "me@here"),
            ("quote", None, "q", "open"),
            ("quote2", None, "", ""),
            ("unknown", None, "anonymous", "me@here"),
            ("late", None, "anonymous", "me@here"),
        ] {
            let found = find(FILE, host, name);
            let found = found.as_ref().map(|(name, word)| (&**name, word.show()));
            assert_eq!(found, Some((login, password)), "{host}");
        }
        assert_eq!(find(FILE, "two", Some("three")), None);
    }

    #[test]
    fn nothing_is_made_up_for_broken_files() {
        for text in [
            "",
            "machine",
            "machine h",
            "machine h login",
            "machine h login a password",
            "login a password b",
            "machine h macdef",
            "machine h macdef x\n\n",
            "machine \"h",
            "machine h login a # password b",
            "default",
            "\"\\",
        ] {
            assert_eq!(find(text, "h", None), None, "{text}");
        }
        let crlf = "machine h\r\nmacdef x\r\ny\r\n\r\nlogin a\r\npassword b\r\n";
        assert_eq!(find(crlf, "h", None), Some(("a".into(), Secret::new("b"))));
    }
}
