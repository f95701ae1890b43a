//! A picture as PNG, on white: for places that show no SVG.

use super::glyphs::{self, CAPITAL};
use super::picture::{Anchor, Paint, Picture, Shape, WIDTH};
use crate::error::{Error, Result};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform,
};

/// Pixels for each unit of the picture.
const SCALE: f32 = 2.0;
/// Height of a capital in the size of a text.
const CAPITAL_OF_SIZE: f64 = 0.7;
const INK: &str = "#222222";

pub fn draw(p: &Picture) -> Result<Vec<u8>> {
    let pixels = |v: f64| (v as f32 * SCALE).ceil() as u32;
    let mut map = Pixmap::new(pixels(WIDTH), pixels(p.height))
        .ok_or_else(|| Error::other("the picture is too large to be drawn as PNG"))?;
    map.fill(Color::WHITE);
    p.shapes.iter().for_each(|s| shape(&mut map, s));
    map.encode_png().map_err(|e| Error::other(format!("the picture cannot be written as PNG: {e}")))
}

fn shape(map: &mut Pixmap, s: &Shape) {
    match s {
        Shape::Rect { x, y, width, height, paint } => {
            let rect = Rect::from_xywh(*x as f32, *y as f32, *width as f32, *height as f32);
            let Some(rect) = rect else { return };
            let path = PathBuilder::from_rect(rect);
            map.fill_path(&path, &colour(*paint), FillRule::Winding, scaled(), None);
        }
        Shape::Path { strokes, width, dashed, paint } => {
            stroke(map, strokes, *width, *dashed, *paint);
        }
        Shape::Text { x, y, size, bold, anchor, text } => {
            let unit = size * CAPITAL_OF_SIZE / CAPITAL;
            let (mut strokes, width) = glyphs::strokes(text);
            let left = match anchor {
                Anchor::Start => *x,
                Anchor::Middle => x - width * unit / 2.0,
                Anchor::End => x - width * unit,
            };
            for p in strokes.iter_mut().flatten() {
                *p = (left + p.0 * unit, y + p.1 * unit);
            }
            let pen = if *bold { 1.7 } else { 1.1 };
            stroke(map, &strokes, pen, false, Paint::Colour(INK));
        }
    }
}

fn stroke(map: &mut Pixmap, strokes: &[Vec<(f64, f64)>], width: f64, dashed: bool, paint: Paint) {
    let mut b = PathBuilder::new();
    for points in strokes {
        for (i, (x, y)) in points.iter().enumerate() {
            match i {
                0 => b.move_to(*x as f32, *y as f32),
                _ => b.line_to(*x as f32, *y as f32),
            }
        }
    }
    // None: no points.
    let Some(path) = b.finish() else { return };
    let pen = Stroke {
        width: width as f32,
        line_cap: LineCap::Round,
        line_join: LineJoin::Round,
        dash: if dashed { StrokeDash::new(vec![6.0, 4.0], 0.0) } else { None },
        ..Stroke::default()
    };
    map.stroke_path(&path, &colour(paint), &pen, scaled(), None);
}

fn scaled() -> Transform {
    Transform::from_scale(SCALE, SCALE)
}

fn colour(p: Paint) -> tiny_skia::Paint<'static> {
    let mut out = tiny_skia::Paint::default();
    match p {
        Paint::Grid => out.set_color_rgba8(0xDD, 0xDD, 0xDD, 0xFF),
        Paint::Warm => out.set_color_rgba8(0, 0, 0, 0x0D),
        Paint::Colour(c) | Paint::Pale(c) => {
            let n = u32::from_str_radix(c.trim_start_matches('#'), 16).unwrap_or(0);
            let cover = if matches!(p, Paint::Pale(_)) { 0x4D } else { 0xFF };
            out.set_color_rgba8((n >> 16) as u8, (n >> 8) as u8, n as u8, cover);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::charts;
    use crate::report::picture::lay_out;
    use crate::report::tests::sample;

    #[test]
    fn what_is_drawn_can_be_read_again() {
        let picture = lay_out(&charts(&[sample("a", 1.0)]), "PNG, with (a) title~");
        let png = draw(&picture).unwrap();
        let map = Pixmap::decode_png(&png).unwrap();
        assert_eq!((map.width(), map.height()), (1800, (picture.height * 2.0) as u32));
        let seen =
            |r, g, b| map.pixels().iter().any(|p| (p.red(), p.green(), p.blue()) == (r, g, b));
        assert!(seen(255, 255, 255) && seen(0x2F, 0x7E, 0xD8) && seen(0x22, 0x22, 0x22));
    }
}
