//! The words and signs of code.

/// The words and signs of code, without comments and with every text and character as `""`.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let len = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            comment(rest)
        } else if let Some(len) = literal(rest) {
            tokens.push("\"\"".to_owned());
            len
        } else if c.is_alphanumeric() || c == '_' {
            let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push(rest[..len].to_owned());
            len
        } else if rest.starts_with("::") {
            tokens.push("::".to_owned());
            2
        } else {
            if !c.is_whitespace() {
                tokens.push(c.to_string());
            }
            c.len_utf8()
        };
        rest = &rest[len..];
    }
    tokens
}

/// The length of a comment that begins here, with those inside of it.
fn comment(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < text.len() {
        match text.as_bytes().get(at..at + 2) {
            Some(b"/*") => (at, depth) = (at + 2, depth + 1),
            Some(b"*/") if depth == 1 => return at + 2,
            Some(b"*/") => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
    }
    text.len()
}

/// The length of a text or character that begins here: `"…"`, `b"…"`, `r#"…"#`, `'…'`; a lifetime is none.
fn literal(text: &str) -> Option<usize> {
    let mark = text.find(|c| !matches!(c, 'b' | 'c' | 'r')).filter(|mark| *mark <= 2)?;
    let hashes = text[mark..].bytes().take_while(|byte| *byte == b'#').count();
    if text[..mark].ends_with('r') && text[mark + hashes..].starts_with('"') {
        let end = format!("\"{}", "#".repeat(hashes));
        let begin = mark + hashes + 1;
        return Some(begin + text[begin..].find(&end)? + end.len());
    }
    let quote = text[mark..].chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let is_lifetime = |body: &str| !body.starts_with('\\') && body.chars().nth(1) != Some('\'');
    if quote == '\'' && is_lifetime(&text[mark + 1..]) {
        return None;
    }
    let mut is_escaped = false;
    for (at, c) in text[mark + 1..].char_indices() {
        if c == quote && !is_escaped {
            return Some(mark + 1 + at + 1);
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    None
}

/// Code without the items that are for unit tests alone.
pub(crate) fn without_tests(tokens: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !is_at(tokens, at, &["#", "[", "cfg", "(", "test", ")", "]"]) {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        while is_at(tokens, at, &["#", "["]) {
            at = past(tokens, at + 1);
        }
        // An item ends with its body, or with a semicolon; the braces of an import are no body.
        let is_import = tokens.get(at).is_some_and(|token| token == "use");
        while at < tokens.len() && tokens[at] != ";" && (tokens[at] != "{" || is_import) {
            at = if matches!(tokens[at].as_str(), "(" | "[" | "{") { past(tokens, at) } else { at + 1 };
        }
        at = if is_at(tokens, at, &["{"]) { past(tokens, at) } else { at + 1 };
    }
    kept
}

fn is_at(tokens: &[String], at: usize, words: &[&str]) -> bool {
    tokens[at..].len() >= words.len() && tokens[at..].iter().zip(words).all(|(token, word)| token == word)
}

/// The place behind the bracket that closes the one at `at`.
pub(crate) fn past(tokens: &[String], at: usize) -> usize {
    let mut depth = 0;
    for (past, token) in tokens.iter().enumerate().skip(at) {
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return past + 1;
        }
    }
    tokens.len()
}

/// The parts of a list, which commas part.
pub(crate) fn parts(tokens: &[String]) -> Vec<&[String]> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," if depth == 0 => {
                parts.push(&tokens[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[begin..]);
    parts.retain(|part| !part.is_empty());
    parts
}

pub(crate) fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}
