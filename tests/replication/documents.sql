-- Documents with values that JSON itself has not, and what is logged of those that change (binlog_row_value_options). For servers of MySQL's kind: readers
-- of MariaDB do not know these events, so they are in a file of their own.
flush binary logs;
create database src_documents; use src_documents;
create table documents (id int primary key, j json, n int, k json);
insert into documents values (1, '{"a": [1, 2.5, "x", null, true], "ü": {"deep": [[]]}, "big": 18446744073709551615}', 1, '{}'), (2, '[]', 2, null), (3, null, 3, '1'),
 (4, json_array(1.50, -1234567890123.5, 0.000000001, cast(7 as decimal(40,20)), date'2026-11-29', time'-10:11:12.5', timestamp'2001-02-03 04:05:06', x'ff00', 1e300, -0e0), 4, json_object('deep', json_array(timestamp'9999-12-31 23:59:59.999999', time'838:59:59')));
update documents set k = json_set(j, '$.d', 0.1) where id = 1;
insert into documents (id, j) select id + 10, json_object('pad', repeat('p', 500), 'was', j, 'n', id) from documents;
set binlog_row_value_options = partial_json;
update documents set j = json_set(j, '$.n', -1, '$.new', json_array(1.50, null)), n = n + 1 where id > 10;
update documents set j = json_array_insert(j, '$.new[0]', date'2026-11-29') where id = 11;
update documents set k = j, n = null where id = 12;
set binlog_row_image = minimal;
update documents set j = json_remove(j, '$.was') where id in (11, 12);
update documents set j = json_set(j, '$."odd \\"name"', 1, '$.ü', 2), k = '[1]' where id = 13;
update documents set j = '7' where id = 12; update documents set j = null where id = 11;
update documents set j = json_replace(j, '$.was[1]', 2.25, '$.was[4]', cast('2020-02-29' as date)) where id = 14;
set binlog_row_image = noblob;
update documents set j = json_merge_patch(j, '{"pad": null, "n": {"x": 1}}') where id = 14;
set binlog_row_value_options = default; set binlog_row_image = default;
