//! The list of character sets: all that there is to know about each, in the order of their names.

use super::super::Collation;
use super::multi::Multi;
use super::tables::{self, Single};
use super::wide::Wide;

/// How the bytes of a set make characters.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    Binary,
    Ascii,
    Latin1,
    Utf8mb3,
    Utf8mb4,
    Single(Single),
    Multi(Multi),
    Wide(Wide),
}

macro_rules! charsets {
    ($($variant:ident = $name:literal, $text:literal, $max:literal, $default:ident, $bin:ident, $form:expr;)*) => {
        /// A character set, under MySQL's name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Charset {
            $($variant,)*
        }

        /// Every character set, in the order of the names.
        pub const CHARSETS: &[Charset] = &[$(Charset::$variant,)*];

        impl Charset {
            pub const fn name(self) -> &'static str {
                match self { $(Charset::$variant => $name,)* }
            }

            /// As SHOW CHARACTER SET describes it.
            pub const fn description(self) -> &'static str {
                match self { $(Charset::$variant => $text,)* }
            }

            pub const fn max_char_bytes(self) -> usize {
                match self { $(Charset::$variant => $max,)* }
            }

            /// What a column of this character set gets when no collation is named.
            pub const fn default_collation(self) -> Collation {
                match self { $(Charset::$variant => Collation::$default,)* }
            }

            /// Its `_bin` collation.
            pub const fn bin_collation(self) -> Collation {
                match self { $(Charset::$variant => Collation::$bin,)* }
            }

            pub(super) const fn form(self) -> Form {
                match self { $(Charset::$variant => $form,)* }
            }
        }
    };
}

#[rustfmt::skip]
charsets! {
    Armscii8 = "armscii8", "ARMSCII-8 Armenian", 1, Armscii8GeneralCi, Armscii8Bin, Form::Single(Single(20));
    Ascii = "ascii", "US ASCII", 1, AsciiGeneralCi, AsciiBin, Form::Ascii;
    Big5 = "big5", "Big5 Traditional Chinese", 2, Big5ChineseCi, Big5Bin, Form::Multi(Multi::Double(&tables::BIG5));
    Binary = "binary", "Binary pseudo charset", 1, Binary, Binary, Form::Binary;
    Cp1250 = "cp1250", "Windows Central European", 1, Cp1250GeneralCi, Cp1250Bin, Form::Single(Single(3));
    Cp1251 = "cp1251", "Windows Cyrillic", 1, Cp1251GeneralCi, Cp1251Bin, Form::Single(Single(4));
    Cp1256 = "cp1256", "Windows Arabic", 1, Cp1256GeneralCi, Cp1256Bin, Form::Single(Single(5));
    Cp1257 = "cp1257", "Windows Baltic", 1, Cp1257GeneralCi, Cp1257Bin, Form::Single(Single(6));
    Cp850 = "cp850", "DOS West European", 1, Cp850GeneralCi, Cp850Bin, Form::Single(Single(7));
    Cp852 = "cp852", "DOS Central European", 1, Cp852GeneralCi, Cp852Bin, Form::Single(Single(8));
    Cp866 = "cp866", "DOS Russian", 1, Cp866GeneralCi, Cp866Bin, Form::Single(Single(9));
    Cp932 = "cp932", "SJIS for Windows Japanese", 2, Cp932JapaneseCi, Cp932Bin, Form::Multi(Multi::ShiftJis(&tables::CP932));
    Dec8 = "dec8", "DEC West European", 1, Dec8SwedishCi, Dec8Bin, Form::Single(Single(18));
    Eucjpms = "eucjpms", "UJIS for Windows Japanese", 3, EucjpmsJapaneseCi, EucjpmsBin, Form::Multi(Multi::Euc(&tables::EUCJPMS, &tables::JISX0212_MS));
    Euckr = "euckr", "EUC-KR Korean", 2, EuckrKoreanCi, EuckrBin, Form::Multi(Multi::Double(&tables::EUCKR));
    Gb18030 = "gb18030", "China National Standard GB18030", 4, Gb18030ChineseCi, Gb18030Bin, Form::Multi(Multi::Gb18030);
    Gb2312 = "gb2312", "GB2312 Simplified Chinese", 2, Gb2312ChineseCi, Gb2312Bin, Form::Multi(Multi::Double(&tables::GB2312));
    Gbk = "gbk", "GBK Simplified Chinese", 2, GbkChineseCi, GbkBin, Form::Multi(Multi::Double(&tables::GBK));
    Geostd8 = "geostd8", "GEOSTD8 Georgian", 1, Geostd8GeneralCi, Geostd8Bin, Form::Single(Single(22));
    Greek = "greek", "ISO 8859-7 Greek", 1, GreekGeneralCi, GreekBin, Form::Single(Single(10));
    Hebrew = "hebrew", "ISO 8859-8 Hebrew", 1, HebrewGeneralCi, HebrewBin, Form::Single(Single(11));
    Hp8 = "hp8", "HP West European", 1, Hp8EnglishCi, Hp8Bin, Form::Single(Single(17));
    Keybcs2 = "keybcs2", "DOS Kamenicky Czech-Slovak", 1, Keybcs2GeneralCi, Keybcs2Bin, Form::Single(Single(21));
    Koi8r = "koi8r", "KOI8-R Relcom Russian", 1, Koi8rGeneralCi, Koi8rBin, Form::Single(Single(12));
    Koi8u = "koi8u", "KOI8-U Ukrainian", 1, Koi8uGeneralCi, Koi8uBin, Form::Single(Single(13));
    Latin1 = "latin1", "cp1252 West European", 1, Latin1SwedishCi, Latin1Bin, Form::Latin1;
    Latin2 = "latin2", "ISO 8859-2 Central European", 1, Latin2GeneralCi, Latin2Bin, Form::Single(Single(0));
    Latin5 = "latin5", "ISO 8859-9 Turkish", 1, Latin5TurkishCi, Latin5Bin, Form::Single(Single(1));
    Latin7 = "latin7", "ISO 8859-13 Baltic", 1, Latin7GeneralCi, Latin7Bin, Form::Single(Single(2));
    Macce = "macce", "Mac Central European", 1, MacceGeneralCi, MacceBin, Form::Single(Single(15));
    Macroman = "macroman", "Mac West European", 1, MacromanGeneralCi, MacromanBin, Form::Single(Single(14));
    Sjis = "sjis", "Shift-JIS Japanese", 2, SjisJapaneseCi, SjisBin, Form::Multi(Multi::ShiftJis(&tables::SJIS));
    Swe7 = "swe7", "7bit Swedish", 1, Swe7SwedishCi, Swe7Bin, Form::Single(Single(19));
    Tis620 = "tis620", "TIS620 Thai", 1, Tis620ThaiCi, Tis620Bin, Form::Single(Single(16));
    Ucs2 = "ucs2", "UCS-2 Unicode", 2, Ucs2GeneralCi, Ucs2Bin, Form::Wide(Wide::Ucs2);
    Ujis = "ujis", "EUC-JP Japanese", 3, UjisJapaneseCi, UjisBin, Form::Multi(Multi::Euc(&tables::UJIS, &tables::JISX0212));
    Utf16 = "utf16", "UTF-16 Unicode", 4, Utf16GeneralCi, Utf16Bin, Form::Wide(Wide::Utf16);
    Utf16le = "utf16le", "UTF-16LE Unicode", 4, Utf16leGeneralCi, Utf16leBin, Form::Wide(Wide::Utf16Le);
    Utf32 = "utf32", "UTF-32 Unicode", 4, Utf32GeneralCi, Utf32Bin, Form::Wide(Wide::Utf32);
    Utf8mb3 = "utf8mb3", "UTF-8 Unicode", 3, Utf8mb3GeneralCi, Utf8mb3Bin, Form::Utf8mb3;
    Utf8mb4 = "utf8mb4", "UTF-8 Unicode", 4, Utf8mb40900AiCi, Utf8mb4Bin, Form::Utf8mb4;
}
