//! The media type under which a file may be served: none that a browser runs.

/// The extensions that have a type of their own. The first one of a type is that of a file that comes with no name.
const TYPES: [(&str, &str); 18] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("pdf", "application/pdf"),
    ("csv", "text/csv"),
    ("tsv", "text/tab-separated-values"),
    ("json", "application/json"),
    ("mp3", "audio/mpeg"),
    ("wav", "audio/wav"),
    ("ogg", "audio/ogg"),
    ("mp4", "video/mp4"),
    ("webm", "video/webm"),
    ("zip", "application/zip"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
];
/// Text for whoever reads it, also where a browser would run it.
const TEXTS: [&str; 20] = [
    "txt", "md", "log", "html", "htm", "xhtml", "svg", "xml", "js", "mjs", "css", "rs", "py", "sh", "toml",
    "yaml", "yml", "jsonl", "tex", "ini",
];

/// Returns the media type of an extension. A type that a browser would run is plain text, and one that nobody knows is bytes.
pub(crate) fn media_type(extension: &str) -> &'static str {
    match TYPES.iter().find(|(known, _)| *known == extension) {
        Some((_, kind)) => kind,
        None if TEXTS.contains(&extension) => "text/plain; charset=utf-8",
        None => "application/octet-stream",
    }
}

/// Returns whether the bytes of such a file are text.
pub(crate) fn is_text(extension: &str) -> bool {
    TEXTS.contains(&extension) || ["csv", "tsv", "json"].contains(&extension)
}

/// Returns the extension for a media type, whose parameters are passed over: `bin` for one that nobody knows.
pub(crate) fn extension_for(kind: &str) -> &'static str {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let found = TYPES.iter().find(|(_, known)| *known == kind);
    found.map_or_else(
        || match kind.as_str() {
            "text/html" => "html",
            "text/markdown" => "md",
            "image/svg+xml" => "svg",
            "audio/mp3" => "mp3",
            "audio/x-wav" | "audio/wave" => "wav",
            text if text.starts_with("text/") => "txt",
            _ => "bin",
        },
        |(extension, _)| extension,
    )
}
