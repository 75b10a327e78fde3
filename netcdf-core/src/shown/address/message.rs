//! Addresses in messages.

use std::borrow::Cow;

use super::ShownAddress;
use super::protocol::{Protocol, is_of_protocol};
use crate::shown::control::is_control;

/// Returns a message with the secrets of all addresses removed.
#[must_use]
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut rest, mut changed) = (text, false);
    while let Some((before, address, after)) = next_address(rest) {
        let shown = ShownAddress::new(address);
        changed |= shown.has_secret();
        out.push_str(before);
        out.push_str(shown.text());
        rest = after;
    }
    match changed {
        true => Cow::Owned(out + rest),
        false => Cow::Borrowed(text),
    }
}

/// Returns the text before the first address, the address, and the text after the address.
fn next_address(text: &str) -> Option<(&str, &str, &str)> {
    let mut marks = text.match_indices(':');
    marks.find_map(|(mark, _)| address_at(text, mark))
}

/// Splits a text around the address with the protocol that ends at `mark`: text before, address, text after. Punctuation at the end of a
/// word is not part of an address.
fn address_at(text: &str, mark: usize) -> Option<(&str, &str, &str)> {
    let start = start_of_protocol(text, mark);
    let correct = text.get(mark..)?.starts_with("://");
    let known = || Protocol::before_colon(text.get(start..)?, mark - start);
    if !correct && known().is_none() {
        return None;
    }
    let start = start_of_brackets(text, start);
    let (before, rest) = text.split_at_checked(start)?;
    let (word, _) = rest.split_at_checked(rest.find(ends_address).unwrap_or(rest.len()))?;
    let address = word.trim_end_matches(['.', ',', ':', ';', ')', ']', '}']);
    // Keep at least `:` or `://`, so that the search continues after the protocol.
    let least = mark - start + if correct { 3 } else { 1 };
    let (address, after) = rest.split_at_checked(address.len().max(least))?;
    Some((before, address, after))
}

fn start_of_protocol(text: &str, mark: usize) -> usize {
    let before = text.get(..mark).unwrap_or_default();
    before.trim_end_matches(is_of_protocol).len()
}

/// Returns the start of the brackets before an address; they are part of the address.
fn start_of_brackets(text: &str, mut start: usize) -> usize {
    while let Some(open) = text
        .get(..start)
        .filter(|before| before.ends_with(']'))
        .and_then(|before| before.rfind('['))
    {
        start = open;
    }
    start
}

fn ends_address(c: char) -> bool {
    c.is_whitespace() || is_control(c) || matches!(c, '"' | '\'' | '`' | '<' | '>')
}
