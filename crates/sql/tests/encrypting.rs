//! COMPRESS, AES_ENCRYPT and RANDOM_BYTES in statements, and the variables that have no effect.
use crate::common::*;

#[test]
fn compressed_texts_in_tables() {
    with_server(1, async |server| {
        let mut c = server.client();
        c.check(&[
            ("create table t (id int primary key, z blob, n int as (uncompressed_length(z)), key (n))", "ok 0"),
            ("insert into t (id, z) values (1, compress(repeat('a', 1000))), (2, compress('')), (3, null), (4, 'abcde')", "ok 4"),
            ("select id, n, length(z) < 100 from t order by id", "1|1000|1; 2|0|1; 3|NULL|NULL; 4|610493025|1"),
            ("select id, uncompress(z) = repeat('a', 1000) from t where id < 4 order by id", "1|1; 2|0; 3|NULL"),
            ("select uncompress(z) from t where id = 4", "NULL"),
            ("show warnings", "Warning|1256|Uncompressed data size too large; the maximum size is 67108864 (probably, length of uncompressed data was corrupted)"),
            ("select id from t where n = 1000", "1"),
            // A broken text is no error in a strict mode, either.
            ("insert into t (id, z) values (5, uncompress('abcd'))", "ok 1"),
            ("show warnings", "Warning|1259|ZLIB: Input data corrupted"),
            ("select z from t where id = 5", "NULL"),
            ("select uncompress(compress(x'00ff20')) = x'00ff20', uncompressed_length(compress(123456))", "1|6"),
            ("select charset(compress('a')), charset(uncompress(compress('a')))", "binary|binary"),
            ("create table made as select compress('abc') a, uncompress('') b, uncompressed_length('') c", "ok 1"),
            ("select data_type, is_nullable from information_schema.columns where table_name = 'made' order by ordinal_position", "varbinary|YES; longblob|YES; int|NO"),
            ("select compress()", "E1582"),
            ("select uncompressed_length('a', 'b')", "E1582"),
        ])
        .await;
    });
}

#[test]
fn encryption_follows_the_sessions_mode() {
    with_server(1, async |server| {
        let mut c = server.client();
        c.check(&[
            ("select @@block_encryption_mode, @@global.block_encryption_mode", "aes-128-ecb|aes-128-ecb"),
            ("select hex(aes_encrypt('text', 'key'))", "15E36637363712FC2E699B9C95B75393"),
            ("prepare s from 'select hex(aes_encrypt(?, ?, ?))'", "ok 0"),
            ("set @t = 'text', @k = 'key', @iv = '1234567890123456'", "ok 0"),
            ("execute s using @t, @k, @iv", "15E36637363712FC2E699B9C95B75393"),
            ("show warnings", "Warning|1618|<IV> option ignored"),
            ("set block_encryption_mode = 'AES-256-CBC'", "ok 0"),
            ("select @@block_encryption_mode", "aes-256-cbc"),
            ("execute s using @t, @k, @iv", "53C2A3389ACA49DC6D54A64FF0D653E4"),
            ("set @iv = null", "ok 0"),
            ("execute s using @t, @k, @iv", "E1882 The initialization vector supplied to aes_encrypt is too short. Must be at least 16 bytes long"),
            ("select aes_encrypt('text', 'key')", "E1582 Incorrect parameter count in the call to native function 'aes_encrypt'"),
            ("set block_encryption_mode = 10", "ok 0"),
            ("select hex(aes_encrypt('text', 'key', '1234567890123456'))", "0D0B3D84"),
            ("set block_encryption_mode = 'aes-128-ctr'", "E1231 Variable 'block_encryption_mode' can't be set to the value of 'aes-128-ctr'"),
            ("set block_encryption_mode = 18", "E1231"),
            ("set block_encryption_mode = null", "E1231"),
            ("set block_encryption_mode = default", "ok 0"),
            ("select aes_encrypt('a')", "E1582"),
            ("select aes_decrypt('a', 'b', 'c', 'd', 'e', 'f', 'g')", "E1582"),
            ("create table t (id int primary key, a varchar(20), v varbinary(64) as (aes_encrypt(a, 'k')))", "ok 0"),
            ("insert into t (id, a) values (1, 'one'), (2, null), (3, '')", "ok 3"),
            ("select id, aes_decrypt(v, 'k'), length(v) from t order by id", "1|one|16; 2|NULL|NULL; 3||16"),
            ("create view w as select id, cast(aes_decrypt(v, 'k') as char) a from t", "ok 0"),
            ("select id from w where a = 'one'", "1"),
            ("select count(*) from t where aes_decrypt(v, 'wrong') is null", "3"),
            // A text counts in the bytes of its own set.
            ("select aes_encrypt(convert('ä' using latin1), 'k') = aes_encrypt(x'e4', 'k')", "1"),
            ("create table made as select aes_encrypt('abc', 'k') a, aes_decrypt('abc', 'k') b", "ok 1"),
            ("select is_nullable from information_schema.columns where table_name = 'made' order by ordinal_position", "YES; YES"),
        ])
        .await;
    });
}

#[test]
fn random_bytes_are_new_in_each_row() {
    with_server(1, async |server| {
        let mut c = server.client();
        c.check(&[
            ("create table t (id int primary key, r binary(8) default (random_bytes(8)))", "ok 0"),
            ("insert into t (id) values (1), (2), (3), (4)", "ok 4"),
            ("select count(distinct r), count(distinct random_bytes(16)) from t", "4|4"),
            ("prepare s from 'select random_bytes(8) into @a'", "ok 0"),
            ("execute s", "ok 1"),
            ("set @b = @a", "ok 0"),
            ("execute s", "ok 1"),
            ("select @a = @b, length(@a)", "0|8"),
            ("select random_bytes(null), length(random_bytes('3')), length(random_bytes(1024))", "NULL|3|1024"),
            ("select random_bytes(0)", "E1690 length value is out of range in 'random_bytes'"),
            ("select random_bytes(1025)", "E1690"),
            ("select random_bytes()", "E1582"),
            ("create table g (a int, b binary(8) as (random_bytes(8)))", "E3763"),
            ("create table g (a int, check (random_bytes(a) is null))", "E3814"),
            ("create table g (a int, key ((random_bytes(8))))", "E3758"),
            ("create table made as select random_bytes(1) r", "ok 1"),
            ("select column_type, is_nullable from information_schema.columns where table_name = 'made'", "blob|YES"),
        ])
        .await;
    });
}

/// What clients set before they begin: known, of the right scope, and honest.
#[test]
fn variables_without_effect() {
    with_server(1, async |server| {
        let mut c = server.client();
        c.check(&[
            ("select @@key_buffer_size, @@ft_boolean_syntax, @@delay_key_write", "8388608|+ -><()~*:\"\"&||ON"),
            ("set session sql_buffer_result = 1", "ok 0"),
            ("show warnings", "Warning|1235|'sql_buffer_result' has no effect here: rows are sent as they are found"),
            ("select @@sql_buffer_result, @@global.sql_buffer_result", "1|0"),
            ("set sql_buffer_result = default", "ok 0"),
            ("show warnings", ""),
            ("set session key_buffer_size = 1", "E1229"),
            ("set global ft_min_word_len = 3", "E1238"),
            ("set global auto_generate_certs = 0", "E1238"),
            ("set optimizer_search_depth = 63", "ok 0"),
            ("select @@optimizer_search_depth", "62"),
            ("set optimizer_trace_offset = -2, optimizer_trace_limit = 5", "ok 0"),
            ("select @@optimizer_trace_offset, @@optimizer_trace_limit", "-2|5"),
            ("set global concurrent_insert = 'sometimes'", "E1231"),
            ("set global concurrent_insert = 2", "ok 0"),
            ("select @@concurrent_insert", "ALWAYS"),
            ("show variables like 'have_r%'", "have_rtree_keys|NO"),
        ])
        .await;
    });
}
