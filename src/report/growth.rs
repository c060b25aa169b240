//! The growth of memory over the nights.

use maud::html;

use super::nights::{self, HEIGHT, WIDTH};
use super::page::{Page, Part};
use super::parts::{count, fold, grouped, size, table};

pub(super) fn section(page: &Page<'_>) -> Part {
    let nights = nights::nights(&page.given.log);
    let Some(((first, _), (last, newest))) = nights.first_key_value().zip(nights.last_key_value()) else {
        let body = html! { p.nothing { "The log of nights was not given, or is empty." } };
        return Part { title: "Nights", is_empty: false, count: String::new(), body };
    };
    let told = format!("{} promoted from {first} to {last}", count(newest.total, "line"));
    let body = html! {
        @if let Some(curve) = nights::curve(&nights) {
            figure.growth {
                figcaption { "Lines that dreams promoted, in all: " (grouped(newest.total)) }
                svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label=(told) {
                    path.area d=(curve) {}
                }
                p.axis aria-hidden="true" { span { (first) } span { (last) } }
            }
        } @else { p { (told) "." } }
        (fold("Night by night", &table("Nights", &html! {
            thead { tr {
                th scope="col" { "Day" }
                th.number scope="col" { "Promoted" }
                th.number scope="col" { "In all" }
                th.number scope="col" { "Sent" }
                th.number scope="col" { "Tokens" }
                th scope="col" { "Passes" }
            } }
            tbody {
                @for (day, night) in nights.iter().rev() {
                    tr {
                        th scope="row" { (day) }
                        td.number { (grouped(night.promoted)) }
                        td.number { (grouped(night.total)) }
                        td.number { (size(night.sent)) }
                        td.number { (grouped(night.tokens)) }
                        td {
                            @for (at, (word, times)) in night.outcomes.iter().enumerate() {
                                @if at > 0 { ", " }
                                (page.show(&word.replace('_', " "))) @if *times > 1 { " × " (times) }
                            }
                        }
                    }
                }
            }
        })))
    };
    Part { title: "Nights", is_empty: false, count: count(nights.len() as u64, "night"), body }
}
