//! A renderer of charts as SVG, over `plotters`: lines, bars and pies, without a browser.

mod axes;
mod canvas;
mod options;
mod pie;

use serde_json::Value;

use super::renderer::{ChartPicture, ChartRenderer};
use canvas::{Canvas, Drawn};
use options::{Chart, Kind};

/// Draws lines, bars and pies as SVG, for a host without a browser.
///
/// It reads some options of `ECharts`: `title`, `color`, `legend.show`, `series`, `xAxis` and `yAxis` (one each, of
/// categories or values). A series is a `line`, `bar` or `pie` with `name`, `data`, `stack`, `areaStyle`, and the
/// `radius` of a ring. Other options are passed over. A series of another type or without numbers is refused: then a
/// page shows only the table of the chart.
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
        let size = (self.width.max(240), self.height.max(180));
        let mut svg = String::new();
        drawn(&mut svg, size, &chart).map_err(|error| error.to_string())?;
        Ok(ChartPicture::Svg(canvas::finished(&svg, size, &chart.title)))
    }
}

fn drawn(svg: &mut String, size: (u16, u16), chart: &Chart) -> Drawn {
    let canvas = Canvas::new(svg, size, [&chart.title, &chart.subtitle])?;
    let is_pie = chart.series[0].kind == Kind::Pie;
    let draw = if is_pie { pie::draw } else { axes::draw };
    draw(&canvas, chart)?;
    Ok(canvas.root.present()?)
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

    /// Returns the numbers of bars, of lines and of areas or slices. A picture without a legend has one rectangle and
    /// one line more.
    fn shapes(options: &Value) -> (usize, usize, usize) {
        let svg = drawn(options).unwrap();
        let count = |word: &str| svg.matches(word).count();
        (count("<rect") - 1, count("<polyline").saturating_sub(1), count("<polygon"))
    }

    #[test]
    fn bars_lines_and_slices_are_as_many_as_their_numbers() {
        let categories = json!({"data": ["a", "b", "c"]});
        let bars = json!({"xAxis": categories, "series": [{"type": "bar", "data": [1, null, -2]}, {"type": "bar", "data": [3, "4", "x"]}]});
        assert_eq!(shapes(&bars), (4, 0, 0));
        let lying = json!({"yAxis": {"type": "category", "data": ["a", "b"]}, "xAxis": {}, "series": {"type": "bar", "data": [1, 2]}});
        assert_eq!(shapes(&lying), (2, 0, 0));
        let stacked = json!({"xAxis": categories, "series": [
            {"type": "bar", "stack": "s", "data": [1, 2, 3]}, {"type": "bar", "stack": "s", "data": [1, 2, -3]}]});
        assert_eq!(shapes(&stacked), (6, 0, 0));
        let lines = json!({"xAxis": categories, "series": [{"type": "line", "areaStyle": {}, "data": [1, 2, 3]}, {"type": "line", "data": [1, null, 3]}]});
        assert_eq!(shapes(&lines), (0, 3, 1), "a gap parts a line");
        let values = json!({"xAxis": {"type": "value"}, "yAxis": {"type": "value"}, "series": [{"type": "line", "data": [[0, 1], [10, 3.5], [20, 2]]}]});
        assert_eq!(shapes(&values), (0, 1, 0));
        let parts = json!([{"value": 3, "name": "a"}, {"value": 1, "name": "b"}, {"value": -1, "name": "c"}]);
        let svg =
            drawn(&json!({"series": [{"type": "pie", "radius": ["40%", "70%"], "data": parts}]})).unwrap();
        assert_eq!(svg.matches("<polygon").count(), 2);
        assert!(svg.contains("\n75%\n") && svg.contains("\n25%\n"), "{svg}");
        let whole = json!({"series": [{"type": "pie", "data": [{"value": 3, "name": "a"}]}]});
        assert_eq!(drawn(&whole).unwrap().matches("<polygon").count(), 1);
    }

    #[test]
    fn bars_of_a_stack_stand_on_each_other_and_all_of_them_on_zero() {
        let options = json!({"xAxis": {"data": ["a"]}, "series": [
            {"type": "bar", "stack": "s", "data": [1]}, {"type": "bar", "stack": "s", "data": [2]},
            {"type": "bar", "stack": "s", "data": [-1]}, {"type": "bar", "data": [3]}]});
        let svg = drawn(&options).unwrap();
        let bars: Vec<[i32; 3]> = svg
            .split("<rect ")
            .skip(2)
            .map(|bar| {
                ["x=", "y=", "height="].map(|name| {
                    let (_, value) = bar.split_once(&format!("{name}\"")).unwrap();
                    value.split('"').next().unwrap().parse().unwrap()
                })
            })
            .collect();
        let [[x, one, one_high], [x2, two, two_high], [x3, out, _], [beside, three, three_high]] = bars[..]
        else {
            panic!("{svg}")
        };
        assert!(x == x2 && x == x3 && beside > x);
        assert_eq!((two + two_high, one + one_high, three), (one, out, two));
        assert_eq!(three + three_high, out);
        assert!((two_high - 2 * one_high).abs() <= 2, "two is twice one");
    }

    #[test]
    fn ticks_are_round_and_few() {
        for (numbers, expected) in [
            ([0.0, 41.0], "0 10 20 30 40"),
            ([-1.0, 1.0], "-1 -0.5 0 0.5 1"),
            ([0.0, 0.9], "0 0.2 0.4 0.6 0.8"),
            ([0.0, 12_000.0], "0 2,000 4,000 6,000 8,000 10,000 12,000"),
            ([-2_500_000.0, 0.5], "-2,500,000 -2,000,000 -1,500,000 -1,000,000 -500,000 0"),
            ([5.0, 5.0], "4.6 4.8 5 5.2 5.4"),
            ([0.0, 0.0], "-0.4 -0.2 0 0.2 0.4"),
            ([1e-9, 3e-9], "1e-9 1.5e-9 2e-9 2.5e-9 3e-9"),
            ([-9e99, 9e99], "-5e99 0 5e99"),
        ] {
            let svg = drawn(&json!({"series": [{"type": "line", "data": numbers}]})).unwrap();
            let at_side = svg.split("text-anchor=\"end\"").skip(1);
            let words: Vec<&str> = at_side.filter_map(|text| text.lines().nth(1)).collect();
            assert_eq!(words.join(" "), expected);
        }
    }

    #[test]
    #[ignore = "sweep"]
    fn a_picture_of_any_size_and_of_any_numbers_is_drawn_or_refused() {
        let most = |kind: &str| {
            let series = json!({"type": kind, "data": (0..10_000).collect::<Vec<_>>()});
            json!({"series": vec![series; 100]})
        };
        let drawn_size = |options: &Value| drawn(options).unwrap().len();
        assert!(drawn_size(&most("line")) < 2_000_000 && drawn_size(&most("bar")) < 12_000_000);
        let parts = json!({"series": [{"type": "pie", "data": vec![1; 10_000]}]});
        assert!(drawn_size(&parts) < 1_000_000);
        for numbers in [
            json!([7]),
            json!([5, 5, 5]),
            json!([0, 0]),
            json!([9e99, -9e99]),
            json!([5e-324, 0]),
            json!([1e16, 1e16 + 2.0]),
        ] {
            for kind in ["bar", "line", "pie"] {
                let options = json!({"series": [{"type": kind, "areaStyle": {}, "data": numbers}]});
                let svg = drawn(&options);
                let is_fit = kind != "pie" || numbers[0] != 0 || numbers[1] != 0;
                assert!(svg.is_ok() || !is_fit || numbers[0] == 5e-324, "{options}: {svg:?}");
                for (width, height) in [(0, 0), (240, 180), (u16::MAX, 180), (u16::MAX, u16::MAX)] {
                    let _ = SvgCharts { width, height }.render(&options);
                }
            }
        }
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
