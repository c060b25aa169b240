//! The public names of the library, as rustdoc writes them in JSON.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

/// The crates of the library, each with its JSON.
pub(crate) struct Api(pub(crate) BTreeMap<String, Value>);

/// An item, and the crate in which it is.
#[derive(Clone, Copy)]
pub(crate) struct Item<'a> {
    api: &'a Api,
    pub(crate) of: &'a str,
    pub(crate) value: &'a Value,
}

impl Api {
    /// Reads the JSON of the library, and that of its other packages beside it.
    pub(crate) fn load(path: &Path) -> Self {
        let beside = fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
        let crates = beside.filter_map(|file| {
            let name = file.file_name()?.to_str()?.strip_suffix(".json")?.to_owned();
            let json = || serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
            name.starts_with("noctuary").then(|| (name, json()))
        });
        Self(crates.collect())
    }

    /// Returns every public name with its path.
    pub(crate) fn names(&self) -> Vec<(String, Item<'_>)> {
        let json = &self.0["noctuary"];
        let root = Item { api: self, of: "noctuary", value: &json["index"][json["root"].to_string()] };
        let mut names = Vec::new();
        root.walk("", &mut names);
        names
    }

    pub(crate) fn of_kind(&self, kinds: &[&str]) -> Vec<(String, Item<'_>)> {
        self.names().into_iter().filter(|(_, item)| kinds.contains(&item.kind())).collect()
    }

    pub(crate) fn types(&self) -> Vec<(String, Item<'_>)> {
        self.of_kind(&["struct", "enum", "union"])
    }
}

impl<'a> Item<'a> {
    pub(crate) fn kind(self) -> &'a str {
        self.value["inner"].as_object().unwrap().keys().next().unwrap()
    }

    pub(crate) fn inner(self) -> &'a Value {
        &self.value["inner"][self.kind()]
    }

    pub(crate) fn key(self) -> (&'a str, String) {
        (self.of, self.value["id"].to_string())
    }

    pub(crate) fn has_attribute(self, name: &str) -> bool {
        list(&self.value["attrs"]).iter().any(|attribute| *attribute == name)
    }

    pub(crate) fn has_example(self) -> bool {
        self.value["docs"].as_str().is_some_and(|docs| docs.contains("```"))
    }

    /// Returns the item with an id, also where it is in another package of the library.
    pub(crate) fn at(self, id: &Value) -> Option<Self> {
        let (id, json) = (id.to_string(), &self.api.0[self.of]);
        if let Some(value) = json["index"].get(&id) {
            return Some(Self { value, ..self });
        }
        let path = json["paths"].get(&id)?;
        let (of, other) = self.api.0.get_key_value(path["path"][0].as_str()?)?;
        let is_same = |own: &Value| {
            own["crate_id"] == 0
                && own["kind"] == path["kind"]
                && list(&own["path"]).last() == list(&path["path"]).last()
        };
        let mut own = other["paths"].as_object()?.iter().filter(|(_, own)| is_same(own));
        let value = own.find_map(|(id, _)| other["index"].get(id))?;
        Some(Self { of, value, ..self })
    }

    pub(crate) fn all(self, ids: &'a Value) -> impl Iterator<Item = Self> {
        list(ids).iter().filter_map(move |id| self.at(id))
    }

    fn walk(self, above: &str, names: &mut Vec<(String, Self)>) {
        for item in self.all(&self.inner()["items"]) {
            let lead = (item.kind() == "use").then(|| item.inner());
            let name = lead.unwrap_or(item.value)["name"].as_str().unwrap();
            let target = match lead {
                Some(lead) if lead["is_glob"] == true => panic!("{lead} does not say what it shows"),
                Some(lead) => {
                    item.at(&lead["id"]).unwrap_or_else(|| panic!("{lead} leads to another's crate"))
                }
                None => item,
            };
            match target.kind() {
                "module" => target.walk(&format!("{above}{name}::"), names),
                _ => names.push((format!("{above}{name}"), target)),
            }
        }
    }

    /// Returns the implementations that are written for a type; `None` as their trait are its own methods.
    pub(crate) fn impls(self) -> impl Iterator<Item = (Option<&'a str>, Self)> {
        let written = self.all(&self.inner()["impls"]).filter(|made| made.inner()["blanket_impl"].is_null());
        written.map(|made| {
            let of = made.inner()["trait"]["path"].as_str().and_then(|path| path.rsplit("::").next());
            (of, made)
        })
    }

    pub(crate) fn implements(self, name: &str) -> bool {
        self.impls().any(|(of, made)| of == Some(name) && made.inner()["is_negative"] == false)
    }

    /// Returns the methods of a type or a trait.
    pub(crate) fn methods(self) -> Vec<Self> {
        let own = self.impls().filter(|(of, _)| of.is_none());
        let own = own.flat_map(|(_, made)| made.all(&made.inner()["items"]));
        own.chain(self.all(&self.inner()["items"])).collect()
    }

    /// Returns the visible fields of a type, those of variants too, and whether some are hidden.
    pub(crate) fn fields(self) -> (Vec<Self>, bool) {
        let shape = &self.inner()["kind"];
        let plain = if shape["plain"].is_null() { &shape["struct"] } else { &shape["plain"] };
        let mut fields: Vec<Self> = self.all(&plain["fields"]).chain(self.all(&shape["tuple"])).collect();
        let hides = plain["has_stripped_fields"] == true || list(&shape["tuple"]).iter().any(Value::is_null);
        for variant in self.all(&self.inner()["variants"]) {
            fields.extend(variant.fields().0);
        }
        (fields, hides)
    }

    /// Returns all that says what a name is: itself, its fields and methods, the arguments of its traits, and who implements it.
    pub(crate) fn signatures(self) -> Vec<&'a Value> {
        let made = self.all(&self.inner()["implementations"]).map(|made| &made.inner()["for"]);
        let traits = self.impls().map(|(_, made)| &made.inner()["trait"]["args"]).chain(made);
        let parts = self.fields().0.into_iter().chain(self.methods()).map(Self::inner);
        traits.chain(parts).chain([self.inner()]).collect()
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Collects the ids of all types and traits that a signature names.
pub(crate) fn named<'a>(signature: &'a Value, ids: &mut Vec<&'a Value>) {
    match signature {
        Value::Object(parts) => {
            ids.extend(parts.get("id").filter(|_| parts.contains_key("args")));
            parts.values().for_each(|part| named(part, ids));
        }
        Value::Array(parts) => parts.iter().for_each(|part| named(part, ids)),
        _ => {}
    }
}

/// A crate of which `Sound` keeps every rule, `Bad` and `Odd` none, and `Kept` is one of another package.
pub(crate) fn planted() -> Api {
    let path = |id: u32| json!({ "path": "_", "id": id, "args": null });
    let made = |of: Option<u32>, name: &str, is_negative: bool| {
        let of = of.map(|id| json!({ "path": format!("core::{name}"), "id": id, "args": null }));
        json!({ "impl": { "trait": of, "items": [], "is_negative": is_negative, "blanket_impl": null } })
    };
    let lead = |name: &str, id: u32| json!({ "use": { "name": name, "id": id, "is_glob": false } });
    let shape = |impls: &[u32], fields: &[u32]| {
        let plain = json!({ "plain": { "fields": fields, "has_stripped_fields": false } });
        json!({ "struct": { "kind": plain, "impls": impls } })
    };
    let function = |first: &str, takes: u32| {
        let taken = json!({ "resolved_path": path(takes) });
        json!({ "function": { "sig": { "inputs": [[first, taken]], "output": null } } })
    };
    let mut index = Map::new();
    let mut add = |id: u32, name: &str, docs: &str, attrs: &[&str], inner: Value| {
        let span = json!({ "filename": "bad.rs", "begin": [2, 1], "end": [4, 2] });
        let item =
            json!({ "id": id, "name": name, "docs": docs, "attrs": attrs, "span": span, "inner": inner });
        index.insert(id.to_string(), item);
    };
    add(0, "noctuary", "", &[], json!({ "module": { "items": [1, 2, 3, 4, 5, 6] } }));
    add(1, "Sound", "```\nSound\n```", &["non_exhaustive"], shape(&[10, 11, 12], &[]));
    add(2, "", "", &[], lead("Bad", 20));
    add(3, "", "", &[], lead("Worse", 20));
    add(4, "room", "", &[], json!({ "module": { "items": [7, 8] } }));
    add(5, "Odd", "", &[], json!({ "trait": { "is_dyn_compatible": false, "items": [] } }));
    add(6, "shown", "```\nshown\n```", &[], function("it", 40));
    add(7, "Bad", "", &[], json!({ "enum": { "variants": [], "impls": [24] } }));
    add(8, "", "", &[], lead("Kept", 40));
    add(10, "", "", &[], made(Some(30), "Send", false));
    add(11, "", "", &[], made(Some(31), "Sync", false));
    add(12, "", "", &[], made(Some(32), "fmt::Debug", false));
    add(20, "Bad", "", &[], shape(&[21, 22, 23], &[26]));
    add(21, "", "", &[], made(Some(31), "Sync", true));
    add(22, "", "", &["automatically_derived"], made(Some(32), "Debug", false));
    let own = |items: &[u32]| json!({ "impl": { "trait": null, "items": items, "blanket_impl": null } });
    add(23, "", "", &[], own(&[25]));
    add(24, "", "", &[], own(&[27]));
    add(25, "of_word", "", &[], function("word", 1));
    add(26, "row", "", &[], json!({ "struct_field": { "resolved_path": path(33) } }));
    add(27, "as_str", "", &[], function("self", 1));
    let paths = json!({
        "1": { "crate_id": 0 }, "33": { "crate_id": 9, "path": ["rusqlite", "Row"] },
        "40": { "crate_id": 8, "kind": "struct", "path": ["noctuary_gate", "inner", "Kept"] },
    });
    let crates = json!({ "8": { "name": "noctuary_gate" }, "9": { "name": "rusqlite" } });
    let noctuary = json!({ "root": 0, "index": index, "paths": paths, "external_crates": crates });
    let mut kept = json!({ "id": 1, "name": "Kept", "docs": "", "attrs": ["non_exhaustive"] });
    kept["inner"] = shape(&[], &[]);
    let gate = json!({
        "index": { "1": kept },
        "paths": { "1": { "crate_id": 0, "kind": "struct", "path": ["noctuary_gate", "Kept"] } },
    });
    Api(BTreeMap::from([("noctuary".to_owned(), noctuary), ("noctuary_gate".to_owned(), gate)]))
}
