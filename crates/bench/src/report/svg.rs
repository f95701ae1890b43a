//! A picture as SVG, without any script; readable on white and on black.

use super::picture::{Anchor, Paint, Picture, Shape, WIDTH};
use std::fmt::Write as _;

pub fn draw(p: &Picture) -> String {
    let height = p.height;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <style>text{{fill:#222}}.grid{{stroke:#ddd}}.back{{fill:#fff}}.warm{{fill:#0000000d}}\
         @media(prefers-color-scheme:dark){{text{{fill:#ddd}}.grid{{stroke:#444}}.back{{fill:#16181c}}.warm{{fill:#ffffff12}}}}</style>\n\
         <rect class=\"back\" width=\"100%\" height=\"100%\"/>\n"
    );
    p.shapes.iter().for_each(|s| shape(&mut out, s));
    out.push_str("</svg>\n");
    out
}

pub fn escape(t: &str) -> String {
    t.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

// Writing to a string cannot fail.
fn shape(out: &mut String, s: &Shape) {
    let _ = match s {
        Shape::Rect { x, y, width, height, paint } => {
            let paint = match paint {
                Paint::Colour(c) | Paint::Pale(c) => format!("fill=\"{c}\""),
                Paint::Warm | Paint::Grid => "class=\"warm\"".into(),
            };
            writeln!(
                out,
                "<rect {paint} x=\"{x}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
            )
        }
        Shape::Text { x, y, size, bold, anchor, text } => {
            let size = if *size == 12.0 { String::new() } else { format!(" font-size=\"{size}\"") };
            let weight = if *bold { " font-weight=\"bold\"" } else { "" };
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let text = escape(text);
            writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\"{size}{weight}{anchor}>{text}</text>")
        }
        Shape::Path { strokes, width, dashed, paint } => {
            let mut d = String::new();
            for stroke in strokes {
                for (i, (x, y)) in stroke.iter().enumerate() {
                    let _ = write!(d, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
                }
            }
            let dash = if *dashed { " stroke-dasharray=\"6 4\"" } else { "" };
            let paint = match paint {
                Paint::Colour(c) => format!("stroke=\"{c}\""),
                Paint::Pale(c) => format!("stroke=\"{c}\" stroke-opacity=\"0.3\""),
                Paint::Grid | Paint::Warm => "class=\"grid\"".into(),
            };
            writeln!(out, "<path d=\"{d}\" fill=\"none\" {paint} stroke-width=\"{width}\"{dash}/>")
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::charts;
    use crate::report::picture::lay_out;
    use crate::report::tests::sample;

    #[test]
    fn every_line_is_a_path() {
        let list = charts(&[sample("a <b>", 1.0)]);
        let svg = draw(&lay_out(&list, "x & y"));
        let lines: usize = list.iter().map(|c| c.lines.len()).sum();
        assert_eq!(svg.matches("<path ").count() - svg.matches("class=\"grid\"").count(), lines);
        assert!(svg.contains("x &amp; y") && !svg.contains("NaN") && !svg.contains("inf"));
    }
}
