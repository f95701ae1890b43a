//! Charts as SVG, without any script: lines, axes, a legend; readable on white and on black.

use super::chart::{Chart, Line};
use std::fmt::Write as _;

pub const COLOURS: [&str; 8] =
    ["#2f7ed8", "#d9542b", "#2e9e5b", "#8e5bc0", "#c29b1d", "#149aa8", "#c2417c", "#7a7f87"];

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;

/// All charts in one picture, one below the other.
pub fn draw(charts: &[Chart], title: &str) -> String {
    let height = HEIGHT * charts.len() as f64 + 30.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <style>text{{fill:#222}}.grid{{stroke:#ddd}}.back{{fill:#fff}}.warm{{fill:#0000000d}}\
         @media(prefers-color-scheme:dark){{text{{fill:#ddd}}.grid{{stroke:#444}}.back{{fill:#16181c}}.warm{{fill:#ffffff12}}}}</style>\n\
         <rect class=\"back\" width=\"100%\" height=\"100%\"/>\n\
         <text x=\"{LEFT}\" y=\"20\" font-size=\"15\" font-weight=\"bold\">{}</text>\n",
        escape(title)
    );
    for (i, c) in charts.iter().enumerate() {
        let _ = writeln!(out, "<g transform=\"translate(0,{})\">", 30.0 + HEIGHT * i as f64);
        one(&mut out, c);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

pub fn escape(t: &str) -> String {
    t.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

struct Frame {
    x_max: f64,
    y_max: f64,
}

impl Frame {
    fn x(&self, v: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * v / self.x_max
    }

    fn y(&self, v: f64) -> f64 {
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * v / self.y_max
    }
}

/// A round step that gives about `parts` of them up to `max`.
fn step(max: f64, parts: f64) -> f64 {
    let rough = max / parts;
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= rough).unwrap_or(10.0);
    factor * power
}

fn one(out: &mut String, c: &Chart) {
    let points = || c.lines.iter().flat_map(|l| &l.points);
    let x_max = points().map(|p| p.0).fold(1.0, f64::max);
    let top = points().filter_map(|p| p.1).fold(0.0, f64::max).max(1e-3);
    let y_step = step(top, 4.0);
    let f = Frame { x_max, y_max: (top / y_step).ceil() * y_step };
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"22\" font-weight=\"bold\">{} <tspan font-weight=\"normal\">({})</tspan></text>",
        escape(c.title),
        escape(c.unit)
    );
    if c.measured_from > 0.0 {
        let width = f.x(c.measured_from.min(x_max)) - LEFT;
        let _ = writeln!(
            out,
            "<rect class=\"warm\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{width:.1}\" height=\"{:.1}\"/>",
            bottom - TOP
        );
    }
    let mut y = 0.0;
    while y <= f.y_max * 1.0001 {
        let at = f.y(y);
        let _ = writeln!(
            out,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            at + 4.0,
            short(y)
        );
        y += y_step;
    }
    let x_step = step(x_max, 10.0);
    let mut x = 0.0;
    while x <= x_max * 1.0001 {
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            f.x(x),
            bottom + 16.0,
            short(x)
        );
        x += x_step;
    }
    let mut left = LEFT;
    for l in &c.lines {
        let colour = COLOURS[l.colour % COLOURS.len()];
        path(out, &f, l, colour);
        let _ = writeln!(
            out,
            "<rect x=\"{left}\" y=\"{:.1}\" width=\"12\" height=\"3\" fill=\"{colour}\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            bottom + 30.0,
            left + 16.0,
            bottom + 35.0,
            escape(&l.label)
        );
        left += 30.0 + 7.0 * l.label.chars().count() as f64;
    }
}

fn path(out: &mut String, f: &Frame, l: &Line, colour: &str) {
    let mut d = String::new();
    let mut pen_down = false;
    for (x, y) in &l.points {
        let Some(y) = y else {
            pen_down = false;
            continue;
        };
        let _ = write!(d, "{}{:.1} {:.1}", if pen_down { "L" } else { "M" }, f.x(*x), f.y(*y));
        pen_down = true;
    }
    let dash = if l.dashed { " stroke-dasharray=\"6 4\"" } else { "" };
    let _ = writeln!(
        out,
        "<path d=\"{d}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"{dash}/>"
    );
}

fn short(v: f64) -> String {
    match v {
        v if v >= 1e6 => format!("{}M", trim(v / 1e6)),
        v if v >= 1e4 => format!("{}k", trim(v / 1e3)),
        v => trim(v),
    }
}

fn trim(v: f64) -> String {
    let t = format!("{v:.3}");
    t.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::charts;
    use crate::report::tests::sample;

    #[test]
    fn steps_are_round() {
        assert_eq!(step(100.0, 4.0), 50.0);
        assert_eq!(step(7.0, 4.0), 2.0);
        assert_eq!(
            (short(20_000.0), short(0.5), short(1.5e6)),
            ("20k".into(), "0.5".into(), "1.5M".into())
        );
    }

    #[test]
    fn every_line_is_drawn_inside_the_frame() {
        let list = charts(&[sample("a <b>", 1.0)]);
        let svg = draw(&list, "x & y");
        let lines: usize = list.iter().map(|c| c.lines.len()).sum();
        assert_eq!(svg.matches("<path ").count(), lines);
        assert!(svg.contains("x &amp; y") && !svg.contains("NaN") && !svg.contains("inf"));
        assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
    }
}
