//! The rows of the functions of dates and times: what MySQL's rules ask of each.

use super::*;
use crate::func::clock::Gives;
use crate::func::facts::{Arg, Definitions, Form, Fraction, Id, Length, Nulls, Partitions};

pub const TABLE: &[FuncDef] = &[
    varying("NOW", 0, 1, infer::now, now_value).clock(Gives::DateTime),
    varying("CURRENT_TIMESTAMP", 0, 1, infer::now, now_value)
        .alias_of("now")
        .clock(Gives::DateTime),
    varying("LOCALTIME", 0, 1, infer::now, now_value).alias_of("now").clock(Gives::DateTime),
    varying("LOCALTIMESTAMP", 0, 1, infer::now, now_value).alias_of("now").clock(Gives::DateTime),
    varying("SYSDATE", 0, 1, infer::now, sysdate).clock(Gives::DateTime).volatile(),
    varying("CURDATE", 0, 0, infer::today, curdate).clock(Gives::Date),
    varying("CURRENT_DATE", 0, 0, infer::today, curdate).alias_of("curdate").clock(Gives::Date),
    varying("CURTIME", 0, 1, infer::now_time, curtime).clock(Gives::Time),
    varying("CURRENT_TIME", 0, 1, infer::now_time, curtime).alias_of("curtime").clock(Gives::Time),
    varying("UTC_TIMESTAMP", 0, 1, infer::now, |cx, a| in_utc(cx, a, now_value))
        .clock(Gives::DateTime),
    varying("UTC_DATE", 0, 0, infer::today, |cx, a| in_utc(cx, a, curdate)).clock(Gives::Date),
    varying("UTC_TIME", 0, 1, infer::now_time, |cx, a| in_utc(cx, a, curtime)).clock(Gives::Time),
    varying("UNIX_TIMESTAMP", 0, 1, infer_unix, unix_timestamp)
        .id(Id::UnixTimestamp)
        .times()
        .partitions(Partitions::Stamp)
        .of_statement(),
    varying("FROM_UNIXTIME", 1, 2, infer_from_unix, from_unixtime)
        .takes(&[Arg::Number, Arg::Any])
        .of_statement()
        .in_definitions(Definitions::Anywhere)
        .length(Length::Format)
        .fraction(Fraction::OfType),
    def("DATE", 1, 1, infer::date, |cx, a| {
        let date = a[0].to_date(cx).filter(|d| allowed(d, cx));
        Ok(date.map_or(Value::Null, Value::Date))
    })
    .written(Form::CastDate)
    .times(),
    varying("TIME", 1, 1, infer::time, |cx, a| {
        Ok(a[0].to_time(cx).map_or(Value::Null, Value::Time))
    })
    .times()
    .in_definitions(Definitions::Anywhere)
    .fraction(Fraction::Time),
    varying("TIMESTAMP", 1, 2, infer::datetime, timestamp)
        .times()
        .in_definitions(Definitions::Anywhere)
        .fraction(Fraction::DateThenTime)
        .nulls(Nulls::First),
    def("YEAR", 1, 1, infer::year, |cx, a| date_int(cx, a, |d| i64::from(d.year)))
        .id(Id::Year)
        .times()
        .keyed_by_days()
        .partitions(Partitions::Dates),
    def("MONTH", 1, 1, infer::int_null::<3>, |cx, a| date_int(cx, a, |d| i64::from(d.month)))
        .times()
        .keyed_by_days()
        .partitions(Partitions::Dates),
    def("DAY", 1, 1, infer::int_null::<3>, |cx, a| date_int(cx, a, |d| i64::from(d.day)))
        .alias_of("dayofmonth")
        .times()
        .keyed_by_days()
        .partitions(Partitions::Dates),
    def("DAYOFMONTH", 1, 1, infer::int_null::<3>, |cx, a| date_int(cx, a, |d| i64::from(d.day)))
        .times()
        .keyed_by_days()
        .partitions(Partitions::Dates),
    def("QUARTER", 1, 1, infer::int_null::<2>, |cx, a| {
        date_int(cx, a, |d| (i64::from(d.month) + 2) / 3)
    })
    .times()
    .partitions(Partitions::Dates),
    def("HOUR", 1, 1, infer::int_null::<4>, |cx, a| time_int(cx, a, |(_, h, ..)| i64::from(h)))
        .times()
        .keyed_by_days()
        .partitions(Partitions::Times),
    def("MINUTE", 1, 1, infer::int_null::<3>, |cx, a| {
        time_int(cx, a, |(_, _, m, ..)| i64::from(m))
    })
    .times()
    .keyed_by_days()
    .partitions(Partitions::Times),
    def("SECOND", 1, 1, infer::int_null::<3>, |cx, a| time_int(cx, a, |(.., s, _)| i64::from(s)))
        .times()
        .keyed_by_days()
        .partitions(Partitions::Times),
    def("MICROSECOND", 1, 1, infer::int_null::<21>, |cx, a| {
        time_int(cx, a, |(.., f)| i64::from(f))
    })
    .times()
    .partitions(Partitions::Times),
    def("DAYOFWEEK", 1, 1, infer::int_null::<2>, |cx, a| {
        real_day(cx, a, |d| Value::Int(i64::from((d.weekday() + 1) % 7) + 1))
    })
    .times()
    .partitions(Partitions::Dates),
    def("WEEKDAY", 1, 1, infer::int_null::<2>, |cx, a| {
        real_day(cx, a, |d| Value::Int(i64::from(d.weekday())))
    })
    .times()
    .partitions(Partitions::Dates),
    def("DAYOFYEAR", 1, 1, infer::int_null::<4>, |cx, a| {
        real_day(cx, a, |d| Value::Int(i64::from(d.day_of_year())))
    })
    .times()
    .keyed_by_days()
    .partitions(Partitions::Dates),
    def("DAYNAME", 1, 1, infer::text_null::<9>, dayname).times(),
    def("MONTHNAME", 1, 1, infer::text_null::<9>, monthname).times(),
    varying("WEEK", 1, 2, infer::int_null::<3>, week)
        .written(Form::WithZero)
        .takes(&[Arg::Time, Arg::Number])
        .in_definitions(Definitions::Anywhere),
    def("WEEKOFYEAR", 1, 1, infer::int_null::<3>, |cx, a| {
        real_day(cx, a, |d| Value::Int(i64::from(d.week(3).1)))
    })
    .written(Form::Week)
    .times(),
    def("YEARWEEK", 1, 2, infer::int_null::<7>, yearweek)
        .written(Form::WithZero)
        .takes(&[Arg::Time, Arg::Number])
        .partitions(Partitions::DateAndMode),
    def("LAST_DAY", 1, 1, infer::date, last_day).times(),
    def("TO_DAYS", 1, 1, infer::int_null::<8>, |cx, a| real_day(cx, a, |d| Value::Int(d.daynr())))
        .id(Id::ToDays)
        .times()
        .partitions(Partitions::Dates),
    def("TO_SECONDS", 1, 1, infer::int_null::<21>, to_seconds)
        .id(Id::ToSeconds)
        .times()
        .partitions(Partitions::Dates),
    def("FROM_DAYS", 1, 1, infer::date, from_days).numbers(),
    def("DATEDIFF", 2, 2, infer::int_null::<9>, datediff)
        .written(Form::DaysBetween)
        .times()
        .partitions(Partitions::Dates),
    varying("TIMEDIFF", 2, 2, infer::time, timediff)
        .texts()
        .in_definitions(Definitions::Anywhere)
        .fraction(Fraction::Time),
    def("TIMESTAMPDIFF", 3, 3, infer::int_null::<21>, timestampdiff).takes(&[Arg::Any, Arg::Time]),
    def("TIMESTAMPADD", 3, 3, infer_added, |cx, a| {
        add_interval(cx, &a[2], &a[1], unit_of(&a[0])?, false)
    }),
    def("DATE_ADD", 3, 3, infer_added, |cx, a| {
        add_interval(cx, &a[0], &a[1], unit_of(&a[2])?, false)
    }),
    def("DATE_SUB", 3, 3, infer_added, |cx, a| {
        add_interval(cx, &a[0], &a[1], unit_of(&a[2])?, true)
    }),
    // The two-argument forms of ADDDATE and SUBDATE count days; the binder turns the others into DATE_ADD.
    def("ADDDATE", 2, 2, infer_added, |cx, a| add_interval(cx, &a[0], &a[1], Unit::Day, false))
        .id(Id::MovesTime)
        .written(Form::PlusDays)
        .takes(&[Arg::Time, Arg::Any]),
    def("SUBDATE", 2, 2, infer_added, |cx, a| add_interval(cx, &a[0], &a[1], Unit::Day, true))
        .id(Id::MovesTime)
        .written(Form::MinusDays)
        .takes(&[Arg::Time, Arg::Any]),
    def("ADDTIME", 2, 2, infer_addtime, |cx, a| add_time(cx, a, 1))
        .id(Id::MovesTime)
        .texts()
        .fraction(Fraction::Time)
        .nulls(Nulls::First),
    def("SUBTIME", 2, 2, infer_addtime, |cx, a| add_time(cx, a, -1))
        .id(Id::MovesTime)
        .texts()
        .fraction(Fraction::Time)
        .nulls(Nulls::First),
    def("MAKEDATE", 2, 2, infer::date, makedate).numbers(),
    def("MAKETIME", 3, 3, infer_maketime, maketime).numbers().fraction(Fraction::OfType),
    def("SEC_TO_TIME", 1, 1, infer::time, sec_to_time).numbers().fraction(Fraction::OfType),
    def("TIME_TO_SEC", 1, 1, infer::int_null::<10>, time_to_sec)
        .times()
        .partitions(Partitions::Times),
    def("DATE_FORMAT", 2, 2, infer::by_format, format_date)
        .takes(&[Arg::Time, Arg::Text])
        .length(Length::Format),
    varying("TIME_FORMAT", 2, 2, infer::by_format, format_time)
        .takes(&[Arg::Time, Arg::Text])
        .in_definitions(Definitions::Anywhere)
        .length(Length::Format),
    def("GET_FORMAT", 2, 2, infer::text_null::<17>, get_format).takes(&[Arg::Any, Arg::Text]),
    def("STR_TO_DATE", 2, 2, infer::datetime, parse_date).id(Id::StrToDate).texts(),
    def("EXTRACT", 2, 2, infer::int_null::<21>, |cx, a| extract(cx, unit_of(&a[0])?, &a[1]))
        .takes(&[Arg::Any, Arg::Time]),
    def("PERIOD_ADD", 2, 2, infer::int::<21>, periods::period_add).numbers(),
    def("PERIOD_DIFF", 2, 2, infer::int::<21>, periods::period_diff).numbers(),
    def("CONVERT_TZ", 3, 3, infer::datetime, convert_tz)
        .takes(&[Arg::Time, Arg::Text])
        .fraction(Fraction::DateFirst),
];
