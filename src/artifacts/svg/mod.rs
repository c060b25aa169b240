//! A small renderer of charts as SVG: lines, bars and pies, without a browser.

mod axes;
mod canvas;
mod cartesian;
mod options;
mod pie;
mod scale;

use serde_json::Value;

use super::renderer::{ChartPicture, ChartRenderer};
use canvas::Canvas;
use options::{Chart, Kind};

/// Draws lines, bars and pies as SVG, for a host without a browser.
///
/// It reads a part of the options of `ECharts`: `title`, `color`, `legend.show`, `xAxis` and `yAxis` (one each, of categories or values), and `series` of the
/// types `line`, `bar` and `pie` with `name`, `data`, `stack`, `areaStyle`, `radius` of a ring. Other options are passed over. A series of another type, and one
/// without numbers, is refused: then a page shows the table of the chart alone.
///
/// The same options give the same bytes. All text is escaped; nothing in a picture runs or is fetched.
///
/// ```
/// use noctuary::artifacts::{ChartRenderer, SvgCharts};
/// use serde_json::json;
///
/// let bars = json!({
///     "title": {"text": "Minutes a build"},
///     "xAxis": {"data": ["Wed", "Thu", "Fri"]},
///     "series": [{"type": "bar", "data": [41, 38, 29]}],
/// });
/// let picture = SvgCharts::new().render(&bars)?;
/// assert!(std::str::from_utf8(picture.bytes()).unwrap().starts_with("<svg xmlns="));
/// assert!(SvgCharts::new().render(&json!({"series": [{"type": "graph"}]})).is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SvgCharts {
    /// The width of a picture: 720.
    pub width: u16,
    /// The height of a picture: 420.
    pub height: u16,
}

impl Default for SvgCharts {
    fn default() -> Self {
        Self { width: 720, height: 420 }
    }
}

impl SvgCharts {
    /// Makes a renderer of pictures of the usual size.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ChartRenderer for SvgCharts {
    fn render(&self, options: &Value) -> Result<ChartPicture, String> {
        let chart = Chart::read(options)?;
        let mut canvas =
            Canvas::new(self.width.max(240), self.height.max(180), &chart.title, &chart.subtitle);
        if chart.series[0].kind == Kind::Pie {
            pie::draw(&mut canvas, &chart)?;
        } else {
            cartesian::draw(&mut canvas, &chart)?;
        }
        Ok(ChartPicture::Svg(canvas.finish()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn drawn(options: &Value) -> Result<String, String> {
        let picture = SvgCharts::new().render(options)?;
        assert!(picture.is_inert(), "{picture:?}");
        Ok(String::from_utf8(picture.bytes().to_vec()).unwrap())
    }

    fn count(svg: &str, word: &str) -> usize {
        svg.matches(word).count()
    }

    #[test]
    fn bars_lines_and_slices_are_as_many_as_their_numbers() {
        let categories = json!({"data": ["a", "b", "c"]});
        let bars = json!({"xAxis": categories, "series": [{"type": "bar", "data": [1, null, -2]}, {"type": "bar", "data": [3, "4", "x"]}]});
        assert_eq!(count(&drawn(&bars).unwrap(), "class=\"bar\""), 4);
        let lying = json!({"yAxis": {"type": "category", "data": ["a", "b"]}, "xAxis": {}, "series": {"type": "bar", "data": [1, 2]}});
        assert_eq!(count(&drawn(&lying).unwrap(), "class=\"bar\""), 2);
        let stacked = json!({"xAxis": categories, "series": [
            {"type": "bar", "stack": "s", "data": [1, 2, 3]}, {"type": "bar", "stack": "s", "data": [1, 2, -3]}]});
        assert_eq!(count(&drawn(&stacked).unwrap(), "class=\"bar\""), 6);
        let lines = json!({"xAxis": categories, "series": [{"type": "line", "areaStyle": {}, "data": [1, 2, 3]}, {"type": "line", "data": [1, null, 3]}]});
        let svg = drawn(&lines).unwrap();
        assert_eq!(
            (count(&svg, "class=\"line\""), count(&svg, "class=\"area\"")),
            (3, 1),
            "a gap parts a line"
        );
        let values = json!({"xAxis": {"type": "value"}, "yAxis": {"type": "value"}, "series": [{"type": "line", "data": [[0, 1], [10, 3.5], [20, 2]]}]});
        assert_eq!(count(&drawn(&values).unwrap(), "class=\"line\""), 1);
        let pie = json!({"series": [{"type": "pie", "radius": ["40%", "70%"], "data": [{"value": 3, "name": "a"}, {"value": 1, "name": "b"}, {"value": -1, "name": "c"}]}]});
        let svg = drawn(&pie).unwrap();
        assert_eq!(count(&svg, "class=\"slice\""), 2);
        assert!(svg.contains("75%") && svg.contains("25%"), "{svg}");
        let whole = json!({"series": [{"type": "pie", "data": [{"value": 3, "name": "a"}]}]});
        assert_eq!(count(&drawn(&whole).unwrap(), "class=\"slice\""), 1);
    }

    #[test]
    fn what_cannot_be_drawn_says_so() {
        for (options, why) in [
            (json!({}), "series"),
            (json!({"series": []}), "series"),
            (json!({"series": [{"type": "graph", "data": [1]}]}), "graph"),
            (json!({"series": [{"type": "bar", "data": []}]}), "number"),
            (json!({"series": [{"type": "bar", "data": ["x", null]}]}), "number"),
            (json!({"series": [{"type": "pie", "data": [{"value": 0, "name": "a"}]}]}), "number"),
            (json!({"series": [{"type": "pie", "data": [1]}, {"type": "bar", "data": [1]}]}), "pie"),
            (json!([1]), "series"),
        ] {
            let error = drawn(&options).unwrap_err();
            assert!(error.contains(why), "{options}: {error}");
        }
    }

    #[test]
    fn the_same_options_give_the_same_bytes_and_hostile_ones_are_inert() {
        for text in [
            "<script>alert(1)</script>",
            "\"><rect onload=\"alert(1)\"/>",
            "</text><a href=\"javascript:alert(1)\">x</a>",
            "]]><!ENTITY x>",
            "&#x3c;script&#x3e;",
            "url(http://a.example/)",
            "\u{0}\u{1b}[31m\u{202e}",
            "日本語の長い題名".repeat(40).as_str(),
        ] {
            let options = json!({
                "title": {"text": text, "subtext": text},
                "color": [text, "#fff\" onload=\"alert(1)"],
                "legend": {"show": true},
                "xAxis": {"name": text, "data": [text, text]},
                "yAxis": {"name": text},
                "series": [{"type": "bar", "name": text, "stack": text, "data": [1, 2]}, {"type": "line", "name": text, "data": [1, 2]}],
            });
            let svg = drawn(&options).unwrap();
            assert_eq!(svg, drawn(&options).unwrap());
            let pie = json!({"title": [{"text": text}], "series": [{"type": "pie", "data": [{"name": text, "value": 1}, {"name": text, "value": 2}]}]});
            drawn(&pie).unwrap();
        }
    }

    fn number() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<f64>().prop_map(|number| json!(number)),
            any::<i32>().prop_map(|number| json!(number)),
            prop::sample::select(vec![1e308, -1e308, 5e-324, 0.0, -0.0, 1e-9])
                .prop_map(|number| json!(number)),
            Just(Value::Null),
            "\\PC{0,6}".prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            (any::<f64>(), any::<f64>()).prop_map(|(x, y)| json!([x, y])),
            (any::<i8>(), "\\PC{0,6}").prop_map(|(value, name)| json!({"value": value, "name": name})),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(20_000)))]

        #[test]
        fn no_options_make_it_panic_or_draw_what_is_no_number(
            series in prop::collection::vec((0..4_usize, prop::collection::vec(number(), 0..8), any::<bool>(), any::<bool>()), 0..4),
            categories in prop::option::of(prop::collection::vec("\\PC{0,30}", 0..8)),
            is_lying in any::<bool>(),
            title in "\\PC{0,80}",
        ) {
            let series: Vec<Value> = series
                .into_iter()
                .map(|(kind, data, stacks, fills)| {
                    let kind = ["bar", "line", "pie", "radar"][kind];
                    let mut one = json!({"type": kind, "data": data, "name": title});
                    if stacks { one["stack"] = json!("s"); }
                    if fills { one["areaStyle"] = json!({}); }
                    one
                })
                .collect();
            let axis = json!({"type": "category", "data": categories});
            let mut options = json!({"title": {"text": title}, "series": series});
            options[if is_lying { "yAxis" } else { "xAxis" }] = axis;
            if let Ok(svg) = drawn(&options) {
                prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", svg);
            }
        }
    }
}
