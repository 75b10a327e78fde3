//! Argument counts of functions; tuple members count one by one.

use syn::visit::{self, Visit};
use syn::{Attribute, FnArg, ItemMod, Signature, Type};

/// A function with tuple arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The line of the name, from 1.
    pub line: usize,
    /// The name.
    pub name: String,
    /// The number of arguments, including `self`; a tuple counts as its members.
    pub arguments: usize,
}

/// Returns the functions with tuple arguments in a text, except test functions.
///
/// # Panics
/// If the text is not Rust.
#[must_use]
pub fn with_tuples(text: &str) -> Vec<Function> {
    let file = syn::parse_file(text).expect("Rust");
    let mut finder = Finder::default();
    finder.visit_file(&file);
    finder.found
}

#[derive(Default)]
struct Finder {
    found: Vec<Function>,
}

fn is_test(attribute: &Attribute) -> bool {
    let list = attribute.meta.require_list();
    list.is_ok_and(|list| list.path.is_ident("cfg") && list.tokens.to_string() == "test")
}

/// Returns the number of members in a tuple and its nested tuples; 1 for other types.
fn members(ty: &Type) -> usize {
    match ty {
        Type::Tuple(tuple) if !tuple.elems.is_empty() => tuple.elems.iter().map(members).sum(),
        _ => 1,
    }
}

impl<'a> Visit<'a> for Finder {
    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        if !item.attrs.iter().any(is_test) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_signature(&mut self, signature: &'a Signature) {
        let arguments = signature.inputs.iter().map(|input| match input {
            FnArg::Receiver(_) => 1,
            FnArg::Typed(typed) => members(&typed.ty),
        });
        let arguments = arguments.sum();
        if arguments > signature.inputs.len() {
            self.found.push(Function {
                line: signature.ident.span().start().line,
                name: signature.ident.to_string(),
                arguments,
            });
        }
        visit::visit_signature(self, signature);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_tuples_count() {
        let text = "
            fn plain(a: u8, b: &[(u8, u8)]) {}
            impl A {
                fn two(&self, (a, (b, c)): (u8, (u8, &u8)), d: fn((u8, u8))) {}
            }
            #[cfg(test)]
            mod tests { fn three((a, b): (u8, u8)) {} }
        ";
        let found = with_tuples(text);
        let found: Vec<_> = found
            .iter()
            .map(|f| (f.line, &*f.name, f.arguments))
            .collect();
        assert_eq!(found, [(4, "two", 5)]);
    }
}
