//! Names of months and days in the languages of `lc_time_names`.
//!
//! The table beside this file was asked of a running MariaDB, whose locales have the names and numbers of MySQL's
//! (`tools/gen_time_names.py`).

use std::sync::OnceLock;

const TABLE: &str = include_str!("names.txt");

/// One locale's names; days from Monday.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    pub locale: &'static str,
    pub months: Vec<&'static str>,
    pub short_months: Vec<&'static str>,
    pub days: Vec<&'static str>,
    pub short_days: Vec<&'static str>,
}

fn all() -> &'static [Names] {
    static ALL: OnceLock<Vec<Names>> = OnceLock::new();
    ALL.get_or_init(|| TABLE.lines().map(parsed).collect())
}

fn parsed(line: &'static str) -> Names {
    let mut fields = line.split('|');
    let locale = fields.next().unwrap_or_default();
    let mut list = || fields.next().unwrap_or_default().split(',').collect();
    Names { locale, months: list(), short_months: list(), days: list(), short_days: list() }
}

/// The names of a locale by its number, as `lc_time_names` has it; English ones for a number that none has.
pub fn names(locale: u8) -> &'static Names {
    all().get(usize::from(locale)).unwrap_or(&all()[0])
}

/// Names of all locales by their numbers.
pub const LOCALES: &[&str] = &[
    "en_US", "en_GB", "ja_JP", "sv_SE", "de_DE", "fr_FR", "ar_AE", "ar_BH", "ar_JO", "ar_SA",
    "ar_SY", "be_BY", "bg_BG", "ca_ES", "cs_CZ", "da_DK", "de_AT", "es_ES", "et_EE", "eu_ES",
    "fi_FI", "fo_FO", "gl_ES", "gu_IN", "he_IL", "hi_IN", "hr_HR", "hu_HU", "id_ID", "is_IS",
    "it_CH", "ko_KR", "lt_LT", "lv_LV", "mk_MK", "mn_MN", "ms_MY", "nb_NO", "nl_NL", "pl_PL",
    "pt_BR", "pt_PT", "ro_RO", "ru_RU", "ru_UA", "sk_SK", "sl_SI", "sq_AL", "sr_RS", "ta_IN",
    "te_IN", "th_TH", "tr_TR", "uk_UA", "ur_PK", "vi_VN", "zh_CN", "zh_TW", "ar_DZ", "ar_EG",
    "ar_IN", "ar_IQ", "ar_KW", "ar_LB", "ar_LY", "ar_MA", "ar_OM", "ar_QA", "ar_SD", "ar_TN",
    "ar_YE", "de_BE", "de_CH", "de_LU", "en_AU", "en_CA", "en_IN", "en_NZ", "en_PH", "en_ZA",
    "en_ZW", "es_AR", "es_BO", "es_CL", "es_CO", "es_CR", "es_DO", "es_EC", "es_GT", "es_HN",
    "es_MX", "es_NI", "es_PA", "es_PE", "es_PR", "es_PY", "es_SV", "es_US", "es_UY", "es_VE",
    "fr_BE", "fr_CA", "fr_CH", "fr_LU", "it_IT", "nl_BE", "no_NO", "sv_FI", "zh_HK", "el_GR",
    "rm_CH",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_locale_has_all_its_names() {
        assert_eq!(all().iter().map(|n| n.locale).collect::<Vec<_>>(), LOCALES);
        for n in all() {
            let lengths = [&n.months, &n.short_months, &n.days, &n.short_days].map(Vec::len);
            assert_eq!(lengths, [12, 12, 7, 7], "{}", n.locale);
        }
        assert_eq!(
            (names(4).locale, names(4).months[2], names(4).days[6]),
            ("de_DE", "März", "Sonntag")
        );
        assert_eq!(names(250).months[0], "January");
    }
}
