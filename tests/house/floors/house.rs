//! The files of a crate, and which of them uses which.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::tokens::{is_word, parts, past, tokens, without_tests};

/// The files of a crate.
pub(crate) struct House {
    sources: BTreeMap<String, Source>,
}

/// A file: the names that it defines and the paths that it names.
#[derive(Default)]
struct Source {
    defined: BTreeSet<String>,
    imports: Vec<Import>,
    paths: BTreeSet<Vec<String>>,
    /// Every word outside of imports.
    words: BTreeSet<String>,
}

/// A name that a `use` brings into a file.
struct Import {
    name: String,
    path: Vec<String>,
    /// Whether it is brought to others too.
    is_public: bool,
}

/// A file that uses another, by the path that it names.
#[derive(Debug, Clone)]
pub(crate) struct Arrow {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) path: String,
}

/// Files each of which uses all others, through others.
pub(crate) struct Circle {
    pub(crate) files: Vec<String>,
    arrows: Vec<Arrow>,
}

impl Circle {
    pub(crate) fn told(&self) -> String {
        let mut told = format!("a circle of {} files:", self.files.len());
        for Arrow { from, to, path } in &self.arrows {
            write!(told, "\n    {from} -> {to} ({path})").expect("a text takes any length");
        }
        told
    }
}

impl House {
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let sources = files.iter().map(|(path, text)| (module_of(path), Source::of(text)));
        Self { sources: sources.collect() }
    }

    /// The files, named by their modules; the root is empty.
    pub(crate) fn modules(&self) -> impl Iterator<Item = &str> {
        self.sources.keys().map(String::as_str)
    }

    /// The files that use each other, each circle whole.
    pub(crate) fn circles(&self) -> Vec<Circle> {
        let mut below: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let arrows = self.arrows();
        for arrow in &arrows {
            below.entry(arrow.from.clone()).or_default().insert(arrow.to.clone());
        }
        let reached: BTreeMap<&String, BTreeSet<&String>> =
            below.keys().map(|file| (file, reach(&below, file))).collect();
        let is_mutual = |one: &String, other: &String| {
            reached[one].contains(other) && reached.get(other).is_some_and(|back| back.contains(one))
        };
        let mut circles = Vec::new();
        let mut seen: BTreeSet<&String> = BTreeSet::new();
        for file in below.keys() {
            if seen.contains(file) || !is_mutual(file, file) {
                continue;
            }
            let files: Vec<&String> = below.keys().filter(|other| is_mutual(file, other)).collect();
            seen.extend(&files);
            let files: Vec<String> = files.into_iter().cloned().collect();
            let within = |arrow: &Arrow| files.contains(&arrow.from) && files.contains(&arrow.to);
            let arrows = arrows.iter().filter(|arrow| within(arrow)).cloned().collect();
            circles.push(Circle { files, arrows });
        }
        circles
    }

    /// Every use of a file by another, in order; the root leads to all rooms, and no file uses it.
    pub(crate) fn arrows(&self) -> Vec<Arrow> {
        let mut arrows: BTreeMap<(String, String), String> = BTreeMap::new();
        for (from, source) in self.sources.iter().filter(|(module, _)| !module.is_empty()) {
            // What a file brings to others is not its own use, unless it names it itself.
            let is_lead = |import: &Import| import.is_public && !source.words.contains(&import.name);
            let imports = source.imports.iter().map(|import| (&import.path, is_lead(import)));
            let paths = source.paths.iter().map(|path| (path, false));
            for (path, is_lead) in imports.chain(paths) {
                let Some(to) = self.absolute(from, path, 0).and_then(|path| self.file_of(&path, 0)) else {
                    continue;
                };
                let leads_on = is_lead && to.starts_with(&format!("{from}/"));
                if to != *from && !to.is_empty() && !leads_on {
                    arrows.entry((from.clone(), to)).or_insert_with(|| path.join("::"));
                }
            }
        }
        arrows.into_iter().map(|((from, to), path)| Arrow { from, to, path }).collect()
    }

    /// A path from the root of the crate; `None` for what is of another crate, or local.
    fn absolute(&self, module: &str, path: &[String], depth: u32) -> Option<Vec<String>> {
        let mut own: Vec<String> =
            module.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => return Some(rest.to_vec()),
            "self" => {}
            "super" => {
                own.pop();
                let mut rest = rest;
                while let Some(below) = rest.strip_prefix(&["super".to_owned()]) {
                    own.pop();
                    rest = below;
                }
                own.extend_from_slice(rest);
                return Some(own);
            }
            child if self.sources.contains_key(&joined(&own, child)) => own.push(first.clone()),
            name => {
                // A name that was imported, such as a module; not the import itself.
                let source = self.sources.get(module)?;
                let import =
                    source.imports.iter().find(|import| import.name == name && import.path != path)?;
                let mut found = (depth < 8).then(|| self.absolute(module, &import.path, depth + 1))??;
                found.extend_from_slice(rest);
                return Some(found);
            }
        }
        own.extend_from_slice(rest);
        Some(own)
    }

    /// The file that defines the end of a path: front pages are followed.
    fn file_of(&self, path: &[String], depth: u32) -> Option<String> {
        let mut module = String::new();
        let mut rest = path;
        while let Some((first, below)) = rest.split_first() {
            let next = if module.is_empty() { first.clone() } else { format!("{module}/{first}") };
            if !self.sources.contains_key(&next) {
                break;
            }
            (module, rest) = (next, below);
        }
        let (Some((name, below)), Some(source)) = (rest.split_first(), self.sources.get(&module)) else {
            return Some(module);
        };
        if source.defined.contains(name) || depth > 8 {
            return Some(module);
        }
        let Some(import) = source.imports.iter().find(|import| import.name == *name) else {
            return Some(module);
        };
        let Some(mut path) = self.absolute(&module, &import.path, 0) else { return Some(module) };
        path.extend_from_slice(below);
        self.file_of(&path, depth + 1)
    }
}

impl Source {
    pub(crate) fn of(text: &str) -> Self {
        let tokens = without_tests(&tokens(text));
        let mut source = Self::default();
        let (mut at, mut depth) = (0, 0_u32);
        let mut is_public = false;
        while let Some(token) = tokens.get(at) {
            let next = tokens.get(at + 1).map_or("", String::as_str);
            match token.as_str() {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                "pub" => {
                    is_public = true;
                    // Where it may be seen is no use of it.
                    at = if next == "(" { past(&tokens, at + 1) } else { at + 1 };
                    continue;
                }
                // Not the bounds of a return type: `use<T>`.
                "use" if next != "<" => {
                    let end = at + tokens[at..].iter().position(|token| token == ";").unwrap_or(0);
                    source.take_tree(&[], &tokens[at + 1..end], is_public);
                    at = end;
                }
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "mod" | "union"
                    if depth == 0 && is_word(next) =>
                {
                    source.defined.insert(next.to_owned());
                }
                "macro_rules" if depth == 0 => {
                    source.defined.extend(tokens.get(at + 2).cloned());
                }
                word if is_word(word) && next == "::" && !tokens[..at].ends_with(&["::".to_owned()]) => {
                    let mut path = vec![word.to_owned()];
                    while tokens.get(at + 1).is_some_and(|token| token == "::")
                        && tokens.get(at + 2).is_some_and(|token| is_word(token))
                    {
                        path.push(tokens[at + 2].clone());
                        at += 2;
                    }
                    source.paths.insert(path);
                }
                _ => {}
            }
            if is_word(&tokens[at]) && !(at > 0 && matches!(tokens[at - 1].as_str(), "mod" | ".")) {
                source.words.insert(tokens[at].clone());
            }
            is_public = false;
            at += 1;
        }
        source
    }

    /// Takes what a `use` names: `a::{b, c::d as e}`.
    fn take_tree(&mut self, above: &[String], tree: &[String], is_public: bool) {
        let mut path = above.to_vec();
        let mut at = 0;
        while let Some(token) = tree.get(at) {
            match token.as_str() {
                "{" => {
                    let body = &tree[at + 1..past(tree, at) - 1];
                    for part in parts(body) {
                        self.take_tree(&path, part, is_public);
                    }
                    return;
                }
                "as" => {
                    let name = tree.get(at + 1).cloned().unwrap_or_default();
                    return self.imports.push(Import { name, path, is_public });
                }
                // The module is named already, and of all its names none is known.
                "::" | "*" => {}
                "self" if !path.is_empty() => {}
                word => path.push(word.to_owned()),
            }
            at += 1;
        }
        if let Some(name) = path.last().cloned() {
            self.imports.push(Import { name, path, is_public });
        }
    }
}

/// All files that are reached from one.
fn reach<'a>(below: &'a BTreeMap<String, BTreeSet<String>>, file: &String) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&String> = below.get(file).into_iter().flatten().collect();
    while let Some(file) = next.pop() {
        if reached.insert(file) {
            next.extend(below.get(file).into_iter().flatten());
        }
    }
    reached
}

/// `gate/door.rs` is `gate/door`, `gate/mod.rs` is `gate`, and the root of a library or a command is empty.
fn module_of(path: &str) -> String {
    let module = path.strip_suffix(".rs").unwrap_or(path);
    if ["lib", "main"].contains(&module) {
        String::new()
    } else {
        module.strip_suffix("/mod").unwrap_or(module).to_owned()
    }
}

pub(crate) fn room_of(module: &str) -> &str {
    module.split('/').next().unwrap_or(module)
}

fn joined(folder: &[String], name: &str) -> String {
    let parts: Vec<&str> = folder.iter().map(String::as_str).chain([name]).collect();
    parts.join("/")
}
