//! How languages write numbers, for FORMAT().
//!
//! The names and signs are those of MySQL's locales, measured where MariaDB has the same; it has others for Spanish, and there they are as MySQL's
//! server has them.

/// The signs of a number in a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Locale {
    pub point: char,
    /// What stands between groups of digits; Bulgarian has the character zero, as in MySQL.
    pub separator: char,
    /// Digits of the group before the point, and of those before it; none: there are no groups.
    pub groups: Option<(usize, usize)>,
}

const fn signs(point: char, separator: char, first: usize, others: usize) -> Locale {
    Locale { point, separator, groups: Some((first, others)) }
}

const fn without_groups(point: char) -> Locale {
    Locale { point, separator: '\0', groups: None }
}

pub(super) const ENGLISH: Locale = signs('.', ',', 3, 3);

/// Signs, and the locales that have them.
const LOCALES: [(Locale, &str); 9] = [
    (
        ENGLISH,
        "en_US en_GB en_AU en_CA en_NZ en_PH en_ZA en_ZW es_US ar_AE ar_BH ar_DZ ar_EG ar_IN ar_IQ ar_JO ar_KW ar_LB ar_LY ar_MA \
         ar_OM ar_QA ar_SD ar_SY ar_TN ar_YE gu_IN he_IL hi_IN ja_JP ko_KR ms_MY th_TH ur_PK zh_CN zh_HK zh_TW",
    ),
    (
        signs(',', '.', 3, 3),
        "de_DE de_BE de_LU be_BY da_DK es_AR fo_FO hu_HU id_ID is_IS lt_LT mn_MN nb_NO no_NO ro_RO ru_UA sq_AL tr_TR uk_UA vi_VN",
    ),
    (signs(',', ' ', 3, 3), "cs_CZ et_EE fi_FI lv_LV mk_MK ru_RU sk_SK sv_FI sv_SE"),
    (signs('.', '\'', 3, 3), "de_CH"),
    (signs(',', '\'', 3, 3), "it_CH rm_CH"),
    (signs('.', ',', 3, 2), "en_IN ta_IN te_IN"),
    (signs(',', '\0', 3, 3), "bg_BG"),
    (
        without_groups(','),
        "fr_FR fr_BE fr_CA fr_CH fr_LU de_AT it_IT nl_NL nl_BE pl_PL pt_BR pt_PT ca_ES el_GR eu_ES gl_ES hr_HR sl_SI es_ES es_BO es_CL \
         es_CO es_EC es_PY es_UY es_VE",
    ),
    (
        without_groups('.'),
        "ar_SA sr_RS es_CR es_DO es_GT es_HN es_MX es_NI es_PA es_PE es_PR es_SV",
    ),
];

impl Locale {
    /// By name, in any case.
    pub fn by_name(name: &str) -> Option<Locale> {
        let has = |names: &str| names.split(' ').any(|n| n.eq_ignore_ascii_case(name));
        LOCALES.iter().find(|(_, names)| has(names)).map(|(locale, _)| *locale)
    }

    /// A number as it is written in digits, in the language's signs.
    pub fn write(self, number: &str) -> String {
        let (sign, body) = match number.strip_prefix('-') {
            Some(rest) => ("-", rest),
            None => ("", number),
        };
        let (int, fraction) = body.split_once('.').unwrap_or((body, ""));
        let mut out = String::from(sign);
        for (i, c) in int.chars().enumerate() {
            if i > 0 && self.separates(int.len() - i) {
                out.push(self.separator);
            }
            out.push(c);
        }
        if !fraction.is_empty() {
            out.push(self.point);
            out.push_str(fraction);
        }
        out
    }

    /// Does a group begin where so many digits are left?
    fn separates(self, left: usize) -> bool {
        self.groups
            .is_some_and(|(first, others)| left >= first && (left - first).is_multiple_of(others))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_languages() {
        let written = |name: &str, number: &str| Locale::by_name(name).unwrap().write(number);
        for (name, want) in [
            ("en_US", "-12,345,678.90"),
            ("de_DE", "-12.345.678,90"),
            ("sv_SE", "-12 345 678,90"),
            ("de_CH", "-12'345'678.90"),
            ("en_IN", "-1,23,45,678.90"),
            ("fr_FR", "-12345678,90"),
            ("es_MX", "-12345678.90"),
            ("ES_ar", "-12.345.678,90"),
        ] {
            assert_eq!(written(name, "-12345678.90"), want, "{name}");
        }
        assert_eq!([written("de_DE", "123"), written("de_DE", "1234")], ["123", "1.234"]);
        assert_eq!(Locale::by_name("xx_YY"), None);
    }

    #[test]
    fn every_locale_is_there_once() {
        let mut names: Vec<&str> = LOCALES.iter().flat_map(|(_, n)| n.split(' ')).collect();
        assert_eq!(names.len(), 111);
        assert!(names.iter().all(|n| n.len() == 5));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 111);
    }
}
