//! Markdown as HTML that runs nothing: raw HTML is shown as text, links lead to the web alone, pictures are their words.

use std::fmt::Write as _;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Writes a text of somebody as text of a page.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            c if c.is_control() => escaped.push('\u{fffd}'),
            // A right-to-left override, and its kin, turns the words around it.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                let _ = write!(escaped, "[U+{:04X}]", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// Renders a text.
pub(super) fn render(text: &str) -> String {
    let mut html = String::new();
    let mut links = Vec::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                let is_plain =
                    ["https://", "http://", "mailto:"].iter().any(|scheme| dest_url.starts_with(scheme));
                links.push(is_plain);
                if is_plain {
                    let _ = write!(html, "<a href=\"{}\" rel=\"noreferrer noopener\">", escape(&dest_url));
                }
            }
            Event::End(TagEnd::Link) => html.push_str(if links.pop() == Some(true) { "</a>" } else { "" }),
            Event::Start(tag) => html.push_str(open(&tag)),
            Event::End(tag) => html.push_str(close(tag)),
            Event::Text(words) | Event::Html(words) | Event::InlineHtml(words) => {
                html.push_str(&escape(&words));
            }
            Event::Code(words) => {
                let _ = write!(html, "<code>{}</code>", escape(&words));
            }
            Event::SoftBreak => html.push('\n'),
            Event::HardBreak => html.push_str("<br>\n"),
            Event::Rule => html.push_str("<hr>\n"),
            _ => {}
        }
    }
    html
}

fn open(tag: &Tag<'_>) -> &'static str {
    match tag {
        Tag::Paragraph => "<p>",
        Tag::Heading { level, .. } => ["<h2>", "<h3>", "<h4>"][depth(*level)],
        Tag::BlockQuote(_) => "<blockquote>",
        Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) | Tag::HtmlBlock => "<pre>",
        Tag::List(Some(_)) => "<ol>",
        Tag::List(None) => "<ul>",
        Tag::Item => "<li>",
        Tag::Table(_) => "<table>",
        Tag::TableHead | Tag::TableRow => "<tr>",
        Tag::TableCell => "<td>",
        Tag::Emphasis => "<em>",
        Tag::Strong => "<strong>",
        Tag::Strikethrough => "<del>",
        Tag::Image { .. } => "[",
        _ => "",
    }
}

fn close(tag: TagEnd) -> &'static str {
    match tag {
        TagEnd::Paragraph => "</p>\n",
        TagEnd::Heading(level) => ["</h2>\n", "</h3>\n", "</h4>\n"][depth(level)],
        TagEnd::BlockQuote(_) => "</blockquote>\n",
        TagEnd::CodeBlock | TagEnd::HtmlBlock => "</pre>\n",
        TagEnd::List(true) => "</ol>\n",
        TagEnd::List(false) => "</ul>\n",
        TagEnd::Item => "</li>\n",
        TagEnd::Table => "</table>\n",
        TagEnd::TableHead | TagEnd::TableRow => "</tr>\n",
        TagEnd::TableCell => "</td>",
        TagEnd::Emphasis => "</em>",
        TagEnd::Strong => "</strong>",
        TagEnd::Strikethrough => "</del>",
        TagEnd::Image => "]",
        _ => "",
    }
}

/// The title of the page is the first heading.
fn depth(level: HeadingLevel) -> usize {
    match level {
        HeadingLevel::H1 => 0,
        HeadingLevel::H2 => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_shown_and_what_is_hostile_in_it_is_text() {
        let html = render(
            "# Q3\n\n- **a** <b onclick=x>b</b>\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) [y](https://a.example/?a=\"b\") ![p](http://a.example/p.png)\n\n| k | v |\n|---|---|\n| 1 | `<i>` |\n",
        );
        for shown in [
            "<h2>Q3</h2>",
            "<strong>a</strong>",
            "&lt;script&gt;alert(1)",
            "&lt;b onclick=x&gt;",
            "<td>1</td>",
            "[p]",
        ] {
            assert!(html.contains(shown), "{shown}: {html}");
        }
        for hostile in ["<script", "<b ", "javascript:", "<img", "<i>"] {
            assert!(!html.contains(hostile), "{hostile}: {html}");
        }
        assert!(html.contains("href=\"https://a.example/?a="), "{html}");
    }
}
