//! Languages' orders of sets of one byte for each character: for each collation the weights of all 256 bytes, as WEIGHT_STRING() of a server
//! of MySQL's family tells them (`tools/measure_orders.py` makes the file).

const COUNT: usize = 10;

static FILE: &[u8; COUNT * 256] = include_bytes!("languages.bin");

/// In the order of the file: latin2_hungarian_ci, latin2_croatian_ci, cp1250_croatian_ci, cp1250_polish_ci, cp1251_bulgarian_ci,
/// cp1251_ukrainian_ci, cp1251_general_cs, cp1257_lithuanian_ci, latin7_estonian_cs, latin7_general_cs.
pub(super) static ORDERS: [[u8; 256]; COUNT] = {
    let mut out = [[0; 256]; COUNT];
    let mut i = 0;
    while i < COUNT * 256 {
        out[i / 256][i % 256] = FILE[i];
        i += 1;
    }
    out
};

#[cfg(test)]
mod tests {
    use super::super::{ALL, Collation};

    #[test]
    fn letters_of_languages() {
        let of = |name: &str| Collation::by_name(name).unwrap();
        let polish = of("cp1250_polish_ci");
        assert!(polish.compare(b"l", b"\xb3").is_lt() && polish.compare(b"\xb3", b"m").is_lt());
        assert!(polish.eq(b"\xb3", b"\xa3"));
        let croatian = of("latin2_croatian_ci");
        assert!(
            croatian.compare(b"cz", b"\xe8").is_lt() && croatian.compare(b"\xe8", b"\xe6").is_lt()
        );
        let estonian = of("latin7_estonian_cs");
        assert!(estonian.compare(b"s", b"z").is_lt() && estonian.compare(b"z", b"t").is_lt());
        assert!(!estonian.eq(b"a", b"A") && estonian.eq(b"a", b"a  "));
        // Its apostrophe of Ukrainian is a space, in texts and in their ends.
        let ukrainian = of("cp1251_ukrainian_ci");
        assert!(
            ukrainian.eq(b"a`b", b"A B") && ukrainian.eq(b"a`", b"a") && ukrainian.eq(b"`", b"")
        );
        assert!(
            ukrainian.compare(b"\xe3", b"\xb4").is_lt()
                && ukrainian.compare(b"\xb4", b"\xe4").is_lt()
        );
        assert_eq!([polish, croatian, estonian, ukrainian].map(Collation::id), [99, 27, 20, 23]);
    }

    /// What the keys rely on.
    #[test]
    fn weights_of_spaces_are_no_codes_of_runs() {
        for c in ALL.iter().filter(|c| c.max_char_bytes() == 1 && c.uca().is_none()) {
            assert!((0x20..0x80).contains(&c.space_weight()), "{c:?}");
        }
    }
}
