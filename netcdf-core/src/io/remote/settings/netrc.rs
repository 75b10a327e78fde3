//! Logins in `.netrc`: `machine NAME login USER password SECRET`, or `default` in place of `machine NAME`.

use super::Secret;

/// The login for a machine; the first entry that fits counts.
pub fn login(text: &str, machine: &str) -> Option<(String, Secret)> {
    let words = words(text);
    let mut words = words.iter().map(String::as_str);
    let (mut here, mut user, mut password) = (false, None, None);
    while let Some(word) = words.next() {
        match word {
            "machine" | "default" => {
                if here {
                    break;
                }
                here = word == "default" || words.next() == Some(machine);
            }
            "login" => user = words.next().filter(|_| here).or(user),
            "password" => password = words.next().filter(|_| here).or(password),
            "account" => {
                words.next();
            }
            _ => {}
        }
    }
    let found = user.zip(password).filter(|_| here);
    found.map(|(user, password)| (user.to_owned(), Secret::new(password)))
}

/// The words of a file, without comments and macros. Words in quotes may have blanks in them.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![];
    let mut macros = false;
    for line in text.lines() {
        // A macro ends with an empty line.
        macros = macros && !line.trim().is_empty();
        if macros || line.trim_start().starts_with('#') {
            continue;
        }
        let found = words_of(line);
        let end = found.iter().position(|word| word == "macdef");
        macros = end.is_some();
        words.extend(found.into_iter().take(end.unwrap_or(usize::MAX)));
    }
    words
}

fn words_of(line: &str) -> Vec<String> {
    let mut words = vec![];
    let mut chars = line.chars().peekable();
    while let Some(&first) = chars.peek() {
        if first.is_whitespace() {
            chars.next();
            continue;
        }
        let quoted = first == '"';
        if quoted {
            chars.next();
        }
        let mut word = String::new();
        while let Some(c) = chars.next_if(|&c| if quoted { c != '"' } else { !c.is_whitespace() }) {
            match c {
                '\\' if quoted => word.extend(chars.next()),
                c => word.push(c),
            }
        }
        if quoted {
            chars.next();
        }
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# machine a login no password no\nmachine a login me\n  password \"p w\\\"\"\nmacdef init\nmachine b login x password y\n\nmachine b account z login you password q\nmachine c login half\ndefault login any password all\n";

    #[test]
    fn the_first_entry_that_fits_counts() {
        let login = |machine| login(TEXT, machine).map(|(user, p)| (user, p.show().to_owned()));
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(login("a"), pair("me", "p w\""));
        assert_eq!(login("b"), pair("you", "q"));
        assert_eq!(login("c"), None, "an entry without a password");
        assert_eq!(login("d"), pair("any", "all"));
        assert!(super::login("machine a login me password p", "d").is_none());
    }
}
