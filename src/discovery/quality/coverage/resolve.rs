//! Resolves a path in a report to a file of the tree.

use std::collections::{HashMap, HashSet};

use crate::discovery::tree::{Tree, base};

/// The files of a tree, indexed for look-up.
pub(in crate::discovery::quality) struct Paths<'a> {
    root: String,
    names: HashSet<&'a str>,
    by_base: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Paths<'a> {
    pub(in crate::discovery::quality) fn new(tree: &'a Tree) -> Self {
        let names: HashSet<&str> = tree.files.iter().map(|file| file.name.as_str()).collect();
        let mut by_base: HashMap<&str, Vec<&str>> = HashMap::new();
        for &name in &names {
            by_base.entry(base(name)).or_default().push(name);
        }
        Self { root: tree.root.to_string_lossy().into_owned(), names, by_base }
    }

    /// Finds the file that a path means in a report located in `folder`.
    ///
    /// In this order: below the root; below a source folder of the report; next to the report's project;
    /// without the leading folders of another machine, down to two parts; the only file whose path ends with
    /// it.
    pub(in crate::discovery::quality) fn find(
        &self,
        path: &str,
        sources: &[String],
        folder: &str,
    ) -> Option<&'a str> {
        let path = path.replace('\\', "/");
        if path.len() > 4_096 {
            return None;
        }
        if let Some(found) = self.exact(&path) {
            return Some(found);
        }
        let joined = sources
            .iter()
            .find_map(|source| self.exact(&format!("{}/{path}", source.replace('\\', "/"))));
        if joined.is_some() {
            return joined;
        }
        let is_absolute = path.starts_with('/') || path.get(1..3) == Some(":/");
        if is_absolute {
            return self.without_leading(&path);
        }
        let mut beside = folder;
        while !beside.is_empty() {
            if let Some(found) = self.exact(&format!("{beside}/{path}")) {
                return Some(found);
            }
            beside = beside.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
        let from_elsewhere = sources.iter().find_map(|source| {
            self.without_leading(&format!("{}/{path}", source.replace('\\', "/")))
        });
        from_elsewhere.or_else(|| self.only_ending(&path))
    }

    fn exact(&self, path: &str) -> Option<&'a str> {
        let relative = (path.strip_prefix(self.root.as_str()))
            .and_then(|rest| rest.strip_prefix('/'))
            .unwrap_or(path);
        let parts: Vec<&str> =
            relative.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        if relative.starts_with('/') || parts.contains(&"..") {
            return None;
        }
        self.names.get(parts.join("/").as_str()).copied()
    }

    fn without_leading(&self, path: &str) -> Option<&'a str> {
        let mut rest = path;
        while let Some((_, tail)) = rest.split_once('/') {
            rest = tail;
            if !rest.contains('/') {
                return None;
            }
            if let Some(found) = self.exact(rest) {
                return Some(found);
            }
        }
        None
    }

    fn only_ending(&self, path: &str) -> Option<&'a str> {
        let ending = format!("/{}", path.trim_start_matches("./"));
        let mut fitting =
            (self.by_base.get(base(path))?.iter()).filter(|name| name.ends_with(&ending));
        match (fitting.next(), fitting.next()) {
            (Some(&only), None) => Some(only),
            _ => None,
        }
    }
}
