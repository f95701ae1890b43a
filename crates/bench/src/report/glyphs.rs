//! A font of strokes for pictures that are pixels: printable ASCII on a grid of five by nine points.
//!
//! A glyph is polylines, a pair of digits for each point: x from 0 to 4, y from 0 (top of the capitals) over 6 (the base line) to
//! 8 (below it). Letters are as wide as they are drawn, with the same space between all.

/// Grid units of the height of a capital.
pub const CAPITAL: f64 = 6.0;
/// Between two letters, and for a space.
const GAP: f64 = 2.0;
const SPACE: f64 = 3.0;

/// From `!` to `~`.
const GLYPHS: &str = "\
2023 2526|1011 3031|1016 3036 0242 0444|413010010213334445361605 2026|4006 0010110100 3545463635|\
46121120310405162644|2021|30212536|10212516|2125 1234 3214|2125 0343|252617|1333|2526|4006|\
100105163645413010|112026 1636|01103041420646|01103041423313 334445361605|36300444|400002324345361605|\
4130100105163645443303|004026|13020110304142331304051636454433|0516364541301001021343|\
2223 2526|2223 252617|410345|0242 0444|014305|01103041422324 2526|45361605011030414434242232|\
0602204246 0444|06003041423303 3344453606|4130100105163645|06003041453606|40000646 0333|400006 0333|\
41301001051636454323|0006 4046 0343|1030 2026 1636|4045361605|0006 4004 1346|000646|0600234046|06004640|\
100105163645413010|06003041423303|100105163645413010 2446|06003041423303 2346|413010010213334445361605|\
0040 2026|000516364540|002640|0016233640|0046 4006|002340 2326|00400646|\
30202636|0046|10202616|022042|0747|1021|\
4246 4332120305163645|0006 0312324345361605|4332120305163645|4046 4332120305163645|04444332120305163645|\
40302126 1232|4247381807 4332120305163645|0006 0312324346|2226 2021|32372818 3031|0006 4205 2446|202536|\
0206 03122326 23324346|0206 0312324346|120305163645433212|0208 0312324345361605|4248 4332120305163645|\
0206 03123243|43321203143445361605|20253646 0232|0205163645 4246|022642|0216243642|0246 4206|0226 4218|02420646|\
30212213242536|2027|10212233242516|04123442";

/// What stands for a character that is not here.
const UNKNOWN: &str = "0040460600";

fn glyph(c: char) -> &'static str {
    let n = (c as usize).checked_sub('!' as usize);
    n.and_then(|n| GLYPHS.split('|').nth(n)).unwrap_or(UNKNOWN)
}

/// Polylines of a text in grid units, from (0, 0) on the base line, y downwards; and its width.
pub fn strokes(text: &str) -> (Vec<Vec<(f64, f64)>>, f64) {
    let (mut out, mut left) = (Vec::new(), 0.0);
    for c in text.chars() {
        if c == ' ' {
            left += SPACE;
            continue;
        }
        let lines: Vec<Vec<(f64, f64)>> = glyph(c)
            .split(' ')
            .map(|l| {
                let digit = |b: u8| f64::from(b - b'0');
                l.as_bytes().chunks_exact(2).map(|p| (digit(p[0]), digit(p[1]) - CAPITAL)).collect()
            })
            .collect();
        let xs = || lines.iter().flatten().map(|p| p.0);
        let (low, high) = (xs().fold(f64::MAX, f64::min), xs().fold(0.0, f64::max));
        out.extend(lines.iter().map(|l| l.iter().map(|p| (p.0 - low + left, p.1)).collect()));
        left += high - low + GAP;
    }
    (out, (left - GAP).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_points_on_the_grid() {
        assert_eq!(GLYPHS.split('|').count(), '~' as usize - '!' as usize + 1);
        for g in GLYPHS.split('|') {
            for line in g.split(' ') {
                assert!(line.len() >= 4 && line.len() % 2 == 0, "{g}");
                let bytes = line.as_bytes();
                assert!(bytes.chunks(2).all(|p| p[0] <= b'4' && p[1] <= b'8'), "{g}");
            }
        }
        // Nobody is drawn like another, except for 0 and O.
        let mut all: Vec<&str> = GLYPHS.split('|').collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 93);
    }

    #[test]
    fn a_text_is_as_wide_as_its_letters() {
        assert_eq!(strokes("").1, 0.0);
        assert_eq!(strokes("H").1, 4.0);
        assert_eq!(strokes("H l").1, 4.0 + 2.0 + 3.0 + 1.0);
        assert_eq!(strokes("\u{e4}").0, strokes("\u{4e00}").0);
    }
}
