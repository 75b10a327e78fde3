//! The imports in the text of a file.

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, UseTree, Visibility};

/// The imports of a file, outside of tests.
#[derive(Debug, Default)]
pub struct Found {
    /// Names imported by `use`.
    pub uses: Vec<Use>,
    /// Other paths with several segments, with their lines.
    pub paths: Vec<(Vec<String>, usize)>,
    /// Test-only modules in separate files.
    pub tests: Vec<String>,
}

/// A name imported by `use`.
#[derive(Debug)]
pub struct Use {
    /// The path.
    pub path: Vec<String>,
    /// The name.
    pub name: String,
    /// Whether the import is `pub`.
    pub public: bool,
    /// The line, from 1.
    pub line: usize,
}

/// Finds all imports of a text.
///
/// # Errors
/// Returns the error of the parser.
pub fn find(text: &str) -> syn::Result<Found> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder::default();
    finder.visit_file(&file);
    Ok(finder.found)
}

#[derive(Default)]
struct Finder {
    found: Found,
    /// Number of inline modules around the current item.
    depth: usize,
}

impl Finder {
    fn add(&mut self, path: Vec<String>, line: usize) {
        if path.len() > 1 {
            let path = self.outside(path);
            self.found.paths.extend(path.map(|path| (path, line)));
        }
    }

    /// Returns the path as seen from the file; `None` if it stays within the file.
    fn outside(&self, mut path: Vec<String>) -> Option<Vec<String>> {
        for _ in 0..self.depth {
            match path.first()?.as_str() {
                "super" => drop(path.remove(0)),
                "self" => return None,
                _ => break,
            }
        }
        Some(path)
    }

    fn tree(&mut self, tree: &UseTree, before: &[String], public: bool) {
        let line = tree.span().start().line;
        let mut add = |path: Vec<String>, name: String| {
            let path = match path.last().map(String::as_str) {
                Some("self") => path[..path.len() - 1].to_vec(),
                _ => path,
            };
            let name = match name.as_str() {
                "self" => path.last().cloned().unwrap_or_default(),
                _ => name,
            };
            if let Some(path) = self.outside(path) {
                self.found.uses.push(Use {
                    path,
                    name,
                    public,
                    line,
                });
            }
        };
        let with = |name: String| [before, &[name]].concat();
        match tree {
            UseTree::Path(path) => {
                let before = with(path.ident.to_string());
                self.tree(&path.tree, &before, public);
            }
            UseTree::Name(name) => add(with(name.ident.to_string()), name.ident.to_string()),
            UseTree::Rename(name) => add(with(name.ident.to_string()), name.rename.to_string()),
            UseTree::Glob(_) => add(before.to_vec(), "*".to_owned()),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.tree(tree, before, public);
                }
            }
        }
    }

    /// Finds paths in the tokens of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path = Vec::new();
        let mut colons = 0;
        let mut line = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.add(std::mem::take(&mut path), line);
                        line = ident.span().start().line;
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.add(std::mem::take(&mut path), line);
                    colons = 0;
                    self.tokens(group.stream());
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {
                    self.add(std::mem::take(&mut path), line);
                    colons = 0;
                }
            }
        }
        self.add(path, line);
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_test(attributes(item)) {
            if let Item::Mod(module) = item
                && module.content.is_none()
            {
                self.found.tests.push(module.ident.to_string());
            }
            return;
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        if let syn::ImplItem::Fn(function) = item
            && is_test(&function.attrs)
        {
            return;
        }
        visit::visit_impl_item(self, item);
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        self.depth += 1;
        visit::visit_item_mod(self, module);
        self.depth -= 1;
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let public = !matches!(item.vis, Visibility::Inherited);
        self.tree(&item.tree, &[], public);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter().map(|part| part.ident.to_string());
        self.add(names.collect(), path.span().start().line);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    /// Visibility such as `pub(in crate::format)` imports no item.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    /// Attributes contain no paths of the workspace.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

/// Returns whether an item exists only in tests.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let all = attribute.meta.require_list();
        attribute.path().is_ident("cfg")
            && all.is_ok_and(|list| {
                let text = list.tokens.to_string().replace(' ', "");
                text == "test" || text.starts_with("all(test") || text.starts_with("any(test")
            })
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
