//! The rows of the functions of texts: what MySQL's rules ask of each.

use super::chosen::{elt, field, make_set};
use super::sets::{in_set, of_connection};
use super::*;
use crate::func::facts::{Arg, Form, Id, Length, Nulls};

pub const TABLE: &[FuncDef] = &[
    def("CONCAT", 1, ANY, infer::concat, concat).texts().joins(0).keyed().nulls(Nulls::Any),
    def("CONCAT_WS", 2, ANY, infer::concat_ws, concat_ws).texts().joins(0).keyed(),
    def("LENGTH", 1, 1, infer::int::<11>, length).texts().keyed(),
    def("OCTET_LENGTH", 1, 1, infer::int::<11>, length).alias_of("length").texts().keyed(),
    def("BIT_LENGTH", 1, 1, infer::int::<11>, bit_length).texts().keyed(),
    def("CHAR_LENGTH", 1, 1, infer::int::<11>, char_length).texts().keyed(),
    def("CHARACTER_LENGTH", 1, 1, infer::int::<11>, char_length)
        .alias_of("char_length")
        .texts()
        .keyed(),
    def("SUBSTRING", 2, 3, infer::like_first, substring)
        .alias_of("substr")
        .takes(&[Arg::Text, Arg::Number])
        .keyed()
        .length(Length::Substring),
    def("SUBSTR", 2, 3, infer::like_first, substring)
        .takes(&[Arg::Text, Arg::Number])
        .keyed()
        .length(Length::Substring),
    def("MID", 2, 3, infer::like_first, substring)
        .alias_of("substr")
        .takes(&[Arg::Text, Arg::Number])
        .keyed()
        .length(Length::Substring),
    def("LEFT", 2, 2, infer::like_first, left)
        .takes(&[Arg::Text, Arg::Number])
        .keyed()
        .length(Length::Left),
    def("RIGHT", 2, 2, infer::like_first, right)
        .takes(&[Arg::Text, Arg::Number])
        .keyed()
        .length(Length::Left),
    def("LPAD", 3, 3, infer::padded, |cx, a| pad(cx, a, true))
        .takes(&[Arg::Text, Arg::Number, Arg::Text])
        .keyed()
        .length(Length::Pad),
    def("RPAD", 3, 3, infer::padded, |cx, a| pad(cx, a, false))
        .takes(&[Arg::Text, Arg::Number, Arg::Text])
        .keyed()
        .length(Length::Pad),
    // The second argument is what to trim: TRIM(x FROM s) is TRIM(s, x), with LEADING it is LTRIM(s, x).
    def("TRIM", 1, 2, infer::cut_by_second, |cx, a| trim(cx, a, true, true))
        .texts()
        .compares_two()
        .keyed(),
    def("LTRIM", 1, 2, infer::cut_by_second, |cx, a| trim(cx, a, true, false))
        .texts()
        .compares_two()
        .keyed(),
    def("RTRIM", 1, 2, infer::cut_by_second, |cx, a| trim(cx, a, false, true))
        .texts()
        .compares_two()
        .keyed(),
    def("UPPER", 1, 1, infer::like_first, upper).texts().keyed(),
    def("UCASE", 1, 1, infer::like_first, upper).alias_of("upper").texts().keyed(),
    def("LOWER", 1, 1, infer::like_first, lower).texts().keyed(),
    def("LCASE", 1, 1, infer::like_first, lower).alias_of("lower").texts().keyed(),
    def("REPLACE", 3, 3, infer::replaced, replace).texts().compares().keyed(),
    def("REPEAT", 2, 2, infer::long_text, repeat)
        .takes(&[Arg::Text, Arg::Number])
        .keyed()
        .length(Length::Repeat),
    def("REVERSE", 1, 1, infer::like_first, reverse).texts().keyed(),
    def("INSTR", 2, 2, infer::int::<11>, |cx, a| locate_in(cx, a, 0, 1))
        .written(Form::Locate)
        .texts()
        .compares_in_set()
        .keyed(),
    def("LOCATE", 2, 3, infer::int::<11>, |cx, a| locate_in(cx, a, 1, 0))
        .takes(&[Arg::Text, Arg::Text, Arg::Number])
        .compares_in_set()
        .keyed(),
    def("POSITION", 2, 2, infer::int::<11>, |cx, a| locate_in(cx, a, 1, 0))
        .alias_of("locate")
        .texts()
        .compares_in_set()
        .keyed(),
    def("FIND_IN_SET", 2, 2, infer::int::<11>, find_in_set).texts().compares_in_set(),
    def("ELT", 2, ANY, infer::chosen, elt)
        .id(Id::Elt)
        .takes(&[Arg::Choice, Arg::Text])
        .joins(1)
        .nulls(Nulls::Chooses),
    def("FIELD", 2, ANY, infer::int_always::<11>, field).id(Id::Field).compares(),
    def("ASCII", 1, 1, infer::int::<4>, ascii).texts().keyed(),
    def("ORD", 1, 1, infer::int::<21>, ord).texts().keyed(),
    def("CHAR", 1, ANY, infer::chars_of, |cx, a| char_of(cx, a, 1)),
    // CHAR(... USING utf16) and its like: no call can name them.
    def("CHAR OF PAIRS", 1, ANY, infer::chars_of, |cx, a| char_of(cx, a, 2)).alias_of("char"),
    def("CHAR OF FOURS", 1, ANY, infer::chars_of, |cx, a| char_of(cx, a, 4)).alias_of("char"),
    def("SPACE", 1, 1, infer::spaces, space).numbers().length(Length::Spaces),
    def("STRCMP", 2, 2, infer::int::<2>, strcmp).texts().compares_in_set().truth(),
    def("QUOTE", 1, 1, infer::quoted, quote).texts(),
    def("INSERT", 4, 4, infer::inserted, insert).takes(&[
        Arg::Text,
        Arg::Number,
        Arg::Number,
        Arg::Text,
    ]),
    def("SUBSTRING_INDEX", 3, 3, infer::cut_by_second, substring_index)
        .takes(&[Arg::Text, Arg::Text, Arg::Number])
        .compares_two(),
    def("SOUNDEX", 1, 1, infer::soundex, soundex).texts(),
    def("WEIGHT_STRING", 1, 4, infer::weights, weights::weight_string)
        .id(Id::WeightString)
        .takes(&[Arg::Text, Arg::Number]),
    def("LIKE", 2, 3, infer::boolean, like)
        .id(Id::Like)
        .texts()
        .compares_in_set()
        .nulls(Nulls::First),
    def(IN_SET, 2, 2, infer::like_first, in_set),
    def(OF_CONNECTION, 2, 2, infer::like_first, of_connection),
    def("MAKE_SET", 2, ANY, infer::make_set, make_set)
        .id(Id::MakeSet)
        .takes(&[Arg::Number, Arg::Text])
        .joins(1)
        .nulls(Nulls::Chooses),
    def("EXPORT_SET", 3, 5, infer::export_set, export_set)
        .takes(&[Arg::Number, Arg::Text, Arg::Text, Arg::Text, Arg::Number])
        .joins(1),
];
