//! Charts as shapes, for both drawers of pictures: lines, axes, a legend.

use super::chart::{Chart, Line};

pub const COLOURS: [&str; 8] =
    ["#2f7ed8", "#d9542b", "#2e9e5b", "#8e5bc0", "#c29b1d", "#149aa8", "#c2417c", "#7a7f87"];

pub const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 260.0;
/// Room for the title above the first chart.
const HEAD: f64 = 30.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    Grid,
    /// The shade over the warm-up.
    Warm,
    Colour(&'static str),
    /// The same in the background.
    Pale(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Debug)]
pub enum Shape {
    Rect {
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        paint: Paint,
    },
    Text {
        x: f64,
        y: f64,
        size: f64,
        bold: bool,
        anchor: Anchor,
        text: String,
    },
    /// Strokes; each has points.
    Path {
        strokes: Vec<Vec<(f64, f64)>>,
        width: f64,
        dashed: bool,
        paint: Paint,
    },
}

pub struct Picture {
    pub height: f64,
    pub shapes: Vec<Shape>,
}

/// All charts in one picture, one below the other.
pub fn lay_out(charts: &[Chart], title: &str) -> Picture {
    let mut p = Picture { height: HEIGHT * charts.len() as f64 + HEAD, shapes: Vec::new() };
    p.text(LEFT, 20.0, Anchor::Start, title);
    p.embolden(15.0);
    for (i, c) in charts.iter().enumerate() {
        p.chart(c, HEAD + HEIGHT * i as f64);
    }
    p
}

struct Frame {
    x_max: f64,
    y_max: f64,
    /// The lowest value that a logarithmic axis has.
    lowest: Option<f64>,
}

/// Decades of a logarithmic axis.
const DECADES: i32 = 4;

impl Frame {
    fn x(&self, v: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * v / self.x_max
    }

    fn y(&self, v: f64) -> f64 {
        let share = match self.lowest {
            Some(low) => (v.max(low) / low).log10() / (self.y_max / low).log10(),
            None => v / self.y_max,
        };
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share
    }

    /// Values at which there is a line, and their distance as a step or as a factor.
    fn grid(&self, step: f64) -> Vec<f64> {
        let mut all = vec![self.lowest.unwrap_or(0.0)];
        while let Some(last) = all.last()
            && *last < self.y_max * 0.9999
        {
            all.push(if self.lowest.is_some() { last * 10.0 } else { last + step });
        }
        all
    }
}

/// A round step that gives about `parts` of them up to `max`.
fn step(max: f64, parts: f64) -> f64 {
    let rough = max / parts;
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= rough).unwrap_or(10.0);
    factor * power
}

impl Picture {
    fn text(&mut self, x: f64, y: f64, anchor: Anchor, text: &str) {
        let text = text.to_string();
        self.shapes.push(Shape::Text { x, y, size: 12.0, bold: false, anchor, text });
    }

    /// The text just laid is a heading.
    fn embolden(&mut self, points: f64) {
        if let Some(Shape::Text { size, bold, .. }) = self.shapes.last_mut() {
            (*size, *bold) = (points, true);
        }
    }

    fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, paint: Paint) {
        self.shapes.push(Shape::Rect { x, y, width, height, paint });
    }

    /// `top`: where the chart's part of the picture begins.
    fn chart(&mut self, c: &Chart, top: f64) {
        let points = || c.lines.iter().flat_map(|l| &l.points);
        let x_max = points().map(|p| p.0).fold(1.0, f64::max);
        let highest = points().filter_map(|p| p.1).fold(0.0, f64::max).max(1e-3);
        let y_step = step(highest, 4.0);
        let decade = 10f64.powf(highest.log10().ceil());
        let f = match c.logarithmic {
            true => Frame { x_max, y_max: decade, lowest: Some(decade / 10f64.powi(DECADES)) },
            false => Frame { x_max, y_max: (highest / y_step).ceil() * y_step, lowest: None },
        };
        let bottom = top + HEIGHT - BOTTOM;
        self.text(LEFT, top + 22.0, Anchor::Start, &format!("{} ({})", c.title, c.unit));
        self.embolden(12.0);
        if c.measured_from > 0.0 {
            let width = f.x(c.measured_from.min(x_max)) - LEFT;
            self.rect(LEFT, top + TOP, width, bottom - top - TOP, Paint::Warm);
        }
        self.axes(&f, y_step, top);
        let mut left = LEFT;
        for l in &c.lines {
            let colour = COLOURS[l.colour % COLOURS.len()];
            let strokes = strokes(&f, l, top);
            if l.pale {
                let paint = if l.dashed { Paint::Colour(colour) } else { Paint::Pale(colour) };
                self.shapes.push(Shape::Path { strokes, width: 1.0, dashed: l.dashed, paint });
                continue;
            }
            let paint = Paint::Colour(colour);
            self.shapes.push(Shape::Path { strokes, width: 1.5, dashed: l.dashed, paint });
            self.rect(left, bottom + 30.0, 12.0, 3.0, paint);
            self.text(left + 16.0, bottom + 35.0, Anchor::Start, &l.label);
            left += 30.0 + 7.0 * l.label.chars().count() as f64;
        }
    }

    fn axes(&mut self, f: &Frame, y_step: f64, top: f64) {
        for y in f.grid(y_step) {
            let at = top + f.y(y);
            let strokes = vec![vec![(LEFT, at), (WIDTH - RIGHT, at)]];
            let grid = Shape::Path { strokes, width: 1.0, dashed: false, paint: Paint::Grid };
            self.shapes.push(grid);
            self.text(LEFT - 6.0, at + 4.0, Anchor::End, &short(y));
        }
        let x_step = step(f.x_max, 10.0);
        let mut x = 0.0;
        while x <= f.x_max * 1.0001 {
            self.text(f.x(x), top + HEIGHT - BOTTOM + 16.0, Anchor::Middle, &short(x));
            x += x_step;
        }
        self.text(WIDTH - RIGHT, top + HEIGHT - BOTTOM + 34.0, Anchor::End, "seconds");
    }
}

/// A line without its gaps.
fn strokes(f: &Frame, l: &Line, top: f64) -> Vec<Vec<(f64, f64)>> {
    let mut out = vec![Vec::new()];
    for (x, y) in &l.points {
        match (y, out.last_mut()) {
            (Some(y), Some(stroke)) => stroke.push((f.x(*x), top + f.y(*y))),
            _ => out.push(Vec::new()),
        }
    }
    out.retain(|s| !s.is_empty());
    out
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
    fn every_line_is_drawn_inside_its_chart() {
        let list = charts(&[sample("a", 1.0)]);
        let p = lay_out(&list, "title");
        let lines: usize = list.iter().map(|c| c.lines.len()).sum();
        let drawn = p.shapes.iter().filter_map(|s| match s {
            Shape::Path { strokes, paint: Paint::Colour(_), .. } => Some(strokes),
            _ => None,
        });
        let mut n = 0;
        for strokes in drawn {
            n += 1;
            for (x, y) in strokes.iter().flatten() {
                assert!((LEFT..=WIDTH).contains(x) && (HEAD..=p.height).contains(y), "{x} {y}");
            }
        }
        assert_eq!(n, lines);
    }

    #[test]
    fn a_logarithmic_axis_has_a_line_for_each_decade() {
        let f = Frame { x_max: 1.0, y_max: 1e5, lowest: Some(10.0) };
        let shown: Vec<String> = f.grid(7.0).into_iter().map(short).collect();
        assert_eq!(shown, ["10", "100", "1000", "10k", "100k"]);
        let (top, bottom) = (f.y(1e5), f.y(10.0));
        assert_eq!((top, bottom, f.y(0.0)), (TOP, HEIGHT - BOTTOM, bottom), "nothing lies below");
        assert!((f.y(1e3) - (top + bottom) / 2.0).abs() < 1e-9);
        let plain = Frame { x_max: 1.0, y_max: 20.0, lowest: None };
        assert_eq!(plain.grid(5.0), [0.0, 5.0, 10.0, 15.0, 20.0]);
    }
}
