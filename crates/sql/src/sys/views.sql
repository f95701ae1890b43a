CREATE SQL SECURITY INVOKER VIEW sys.version AS
SELECT '2.1.2' AS sys_version, VERSION() AS mysql_version
//
CREATE SQL SECURITY INVOKER VIEW sys.x$innodb_lock_waits AS
SELECT r.trx_wait_started AS wait_started,
  TIMEDIFF(NOW(), r.trx_wait_started) AS wait_age,
  TIMESTAMPDIFF(SECOND, r.trx_wait_started, NOW()) AS wait_age_secs,
  CONCAT(sys.quote_identifier(rl.object_schema), '.', sys.quote_identifier(rl.object_name)) AS locked_table,
  rl.object_schema AS locked_table_schema,
  rl.object_name AS locked_table_name,
  rl.partition_name AS locked_table_partition,
  rl.subpartition_name AS locked_table_subpartition,
  rl.index_name AS locked_index,
  rl.lock_type AS locked_type,
  r.trx_id AS waiting_trx_id,
  r.trx_started AS waiting_trx_started,
  TIMEDIFF(NOW(), r.trx_started) AS waiting_trx_age,
  r.trx_rows_locked AS waiting_trx_rows_locked,
  r.trx_rows_modified AS waiting_trx_rows_modified,
  r.trx_mysql_thread_id AS waiting_pid,
  r.trx_query AS waiting_query,
  rl.engine_lock_id AS waiting_lock_id,
  rl.lock_mode AS waiting_lock_mode,
  b.trx_id AS blocking_trx_id,
  b.trx_mysql_thread_id AS blocking_pid,
  b.trx_query AS blocking_query,
  bl.engine_lock_id AS blocking_lock_id,
  bl.lock_mode AS blocking_lock_mode,
  b.trx_started AS blocking_trx_started,
  TIMEDIFF(NOW(), b.trx_started) AS blocking_trx_age,
  b.trx_rows_locked AS blocking_trx_rows_locked,
  b.trx_rows_modified AS blocking_trx_rows_modified,
  CONCAT('KILL QUERY ', b.trx_mysql_thread_id) AS sql_kill_blocking_query,
  CONCAT('KILL ', b.trx_mysql_thread_id) AS sql_kill_blocking_connection
FROM performance_schema.data_lock_waits w
  JOIN information_schema.innodb_trx b ON b.trx_id = w.blocking_engine_transaction_id
  JOIN information_schema.innodb_trx r ON r.trx_id = w.requesting_engine_transaction_id
  JOIN performance_schema.data_locks bl ON bl.engine_lock_id = w.blocking_engine_lock_id
  JOIN performance_schema.data_locks rl ON rl.engine_lock_id = w.requesting_engine_lock_id
ORDER BY r.trx_wait_started
//
CREATE SQL SECURITY INVOKER VIEW sys.innodb_lock_waits AS
SELECT wait_started, wait_age, wait_age_secs, locked_table, locked_table_schema, locked_table_name, locked_table_partition,
  locked_table_subpartition, locked_index, locked_type, waiting_trx_id, waiting_trx_started, waiting_trx_age, waiting_trx_rows_locked,
  waiting_trx_rows_modified, waiting_pid, sys.format_statement(waiting_query) AS waiting_query, waiting_lock_id, waiting_lock_mode,
  blocking_trx_id, blocking_pid, sys.format_statement(blocking_query) AS blocking_query, blocking_lock_id, blocking_lock_mode,
  blocking_trx_started, blocking_trx_age, blocking_trx_rows_locked, blocking_trx_rows_modified, sql_kill_blocking_query,
  sql_kill_blocking_connection
FROM sys.x$innodb_lock_waits
//
CREATE SQL SECURITY INVOKER VIEW sys.x$processlist AS
SELECT t.thread_id AS thd_id,
  t.processlist_id AS conn_id,
  IF(t.name = 'thread/sql/one_connection', CONCAT(t.processlist_user, '@', t.processlist_host), t.name) AS user,
  t.processlist_db AS db,
  t.processlist_command AS command,
  t.processlist_state AS state,
  t.processlist_time AS time,
  t.processlist_info AS current_statement,
  t.execution_engine AS execution_engine,
  IF(t.processlist_info IS NULL, NULL, t.processlist_time * 1000000000000) AS statement_latency,
  t.total_memory AS current_memory,
  TIMESTAMPDIFF(SECOND, x.trx_started, NOW()) * 1000000000000 AS trx_latency,
  IF(x.trx_id IS NULL, NULL, 'ACTIVE') AS trx_state,
  IF(x.trx_id IS NULL, NULL, IF(x.trx_autocommit_non_locking = 1, 'YES', 'NO')) AS trx_autocommit,
  p.attr_value AS pid,
  n.attr_value AS program_name
FROM performance_schema.threads t
  LEFT JOIN information_schema.innodb_trx x ON x.trx_mysql_thread_id = t.processlist_id
  LEFT JOIN performance_schema.session_connect_attrs p ON p.processlist_id = t.processlist_id AND p.attr_name = '_pid'
  LEFT JOIN performance_schema.session_connect_attrs n ON n.processlist_id = t.processlist_id AND n.attr_name = 'program_name'
ORDER BY t.processlist_time DESC
//
CREATE SQL SECURITY INVOKER VIEW sys.processlist AS
SELECT thd_id, conn_id, user, db, command, state, time, sys.format_statement(current_statement) AS current_statement, execution_engine,
  FORMAT_PICO_TIME(statement_latency) AS statement_latency, FORMAT_BYTES(current_memory) AS current_memory,
  FORMAT_PICO_TIME(trx_latency) AS trx_latency, trx_state, trx_autocommit, pid, program_name
FROM sys.x$processlist
//
CREATE SQL SECURITY INVOKER VIEW sys.x$session AS
SELECT * FROM sys.x$processlist WHERE conn_id IS NOT NULL AND command <> 'Daemon'
//
CREATE SQL SECURITY INVOKER VIEW sys.session AS
SELECT * FROM sys.processlist WHERE conn_id IS NOT NULL AND command <> 'Daemon'
//
CREATE SQL SECURITY INVOKER VIEW sys.schema_auto_increment_columns AS
SELECT c.table_schema AS table_schema, c.table_name AS table_name, c.column_name AS column_name, c.data_type AS data_type,
  c.column_type AS column_type,
  (LOCATE('unsigned', c.column_type) = 0) AS is_signed,
  (LOCATE('unsigned', c.column_type) > 0) AS is_unsigned,
  (CASE c.data_type WHEN 'tinyint' THEN 255 WHEN 'smallint' THEN 65535 WHEN 'mediumint' THEN 16777215 WHEN 'int' THEN 4294967295
    WHEN 'bigint' THEN 18446744073709551615 END >> IF(LOCATE('unsigned', c.column_type) > 0, 0, 1)) AS max_value,
  t.auto_increment AS auto_increment,
  t.auto_increment / (CASE c.data_type WHEN 'tinyint' THEN 255 WHEN 'smallint' THEN 65535 WHEN 'mediumint' THEN 16777215
    WHEN 'int' THEN 4294967295 WHEN 'bigint' THEN 18446744073709551615 END
    >> IF(LOCATE('unsigned', c.column_type) > 0, 0, 1)) AS auto_increment_ratio
FROM information_schema.columns c
  JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
WHERE c.table_schema NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema') AND t.table_type = 'BASE TABLE'
  AND c.extra = 'auto_increment'
ORDER BY auto_increment_ratio DESC, max_value
//
CREATE SQL SECURITY INVOKER VIEW sys.schema_object_overview AS
SELECT routine_schema AS db, routine_type AS object_type, COUNT(*) AS count FROM information_schema.routines GROUP BY routine_schema, routine_type
UNION SELECT table_schema, table_type, COUNT(*) FROM information_schema.tables GROUP BY table_schema, table_type
UNION SELECT table_schema, CONCAT('INDEX (', index_type, ')'), COUNT(*) FROM information_schema.statistics GROUP BY table_schema, index_type
UNION SELECT trigger_schema, 'TRIGGER', COUNT(*) FROM information_schema.triggers GROUP BY trigger_schema
UNION SELECT event_schema, 'EVENT', COUNT(*) FROM information_schema.events GROUP BY event_schema
ORDER BY db, object_type
//
CREATE SQL SECURITY INVOKER VIEW sys.x$schema_flattened_keys AS
SELECT table_schema, table_name, index_name, MAX(non_unique) AS non_unique,
  MAX(IF(sub_part IS NULL, 0, 1)) AS subpart_exists,
  GROUP_CONCAT(column_name ORDER BY seq_in_index SEPARATOR ',') AS index_columns
FROM information_schema.statistics
WHERE index_type = 'BTREE' AND table_schema NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')
GROUP BY table_schema, table_name, index_name
//
CREATE SQL SECURITY INVOKER VIEW sys.schema_redundant_indexes AS
SELECT r.table_schema AS table_schema, r.table_name AS table_name,
  r.index_name AS redundant_index_name, r.index_columns AS redundant_index_columns, r.non_unique AS redundant_index_non_unique,
  d.index_name AS dominant_index_name, d.index_columns AS dominant_index_columns, d.non_unique AS dominant_index_non_unique,
  IF(r.subpart_exists OR d.subpart_exists, 1, 0) AS subpart_exists,
  CONCAT('ALTER TABLE ', sys.quote_identifier(r.table_schema), '.', sys.quote_identifier(r.table_name), ' DROP INDEX ',
    sys.quote_identifier(r.index_name)) AS sql_drop_index
FROM sys.x$schema_flattened_keys r
  JOIN sys.x$schema_flattened_keys d ON d.table_schema = r.table_schema AND d.table_name = r.table_name AND d.index_name <> r.index_name
WHERE (r.index_columns = d.index_columns
    AND (r.non_unique > d.non_unique
      OR (r.non_unique = d.non_unique AND IF(r.index_name = 'PRIMARY', '', r.index_name) > IF(d.index_name = 'PRIMARY', '', d.index_name))))
  OR (r.non_unique = 1 AND LOCATE(CONCAT(r.index_columns, ','), d.index_columns) = 1)
  OR (d.non_unique = 0 AND LOCATE(CONCAT(d.index_columns, ','), r.index_columns) = 1)
//
CREATE SQL SECURITY INVOKER VIEW sys.schema_unused_indexes AS
SELECT t.object_schema AS object_schema, t.object_name AS object_name, t.index_name AS index_name
FROM performance_schema.table_io_waits_summary_by_index_usage t
  JOIN information_schema.statistics s ON s.table_schema = t.object_schema AND s.table_name = t.object_name
    AND s.index_name = t.index_name
WHERE t.index_name <> 'PRIMARY' AND t.count_star = 0 AND t.object_schema <> 'mysql' AND s.non_unique = 1 AND s.seq_in_index = 1
ORDER BY t.object_schema, t.object_name
//
CREATE SQL SECURITY INVOKER VIEW sys.x$schema_table_lock_waits AS
SELECT w.object_schema AS object_schema, w.object_name AS object_name,
  w.owner_thread_id AS waiting_thread_id, wt.processlist_id AS waiting_pid,
  sys.ps_thread_account(w.owner_thread_id) AS waiting_account, w.lock_type AS waiting_lock_type, w.lock_duration AS waiting_lock_duration,
  wt.processlist_info AS waiting_query, wt.processlist_time AS waiting_query_secs,
  b.owner_thread_id AS blocking_thread_id, bt.processlist_id AS blocking_pid,
  sys.ps_thread_account(b.owner_thread_id) AS blocking_account, b.lock_type AS blocking_lock_type, b.lock_duration AS blocking_lock_duration,
  CONCAT('KILL QUERY ', bt.processlist_id) AS sql_kill_blocking_query, CONCAT('KILL ', bt.processlist_id) AS sql_kill_blocking_connection
FROM performance_schema.metadata_locks w
  JOIN performance_schema.metadata_locks b ON b.object_type = w.object_type AND b.object_schema = w.object_schema
    AND b.object_name = w.object_name AND b.lock_status = 'GRANTED' AND b.owner_thread_id <> w.owner_thread_id
  JOIN performance_schema.threads wt ON wt.thread_id = w.owner_thread_id
  LEFT JOIN performance_schema.threads bt ON bt.thread_id = b.owner_thread_id
WHERE w.lock_status = 'PENDING' AND w.object_type = 'TABLE'
//
CREATE SQL SECURITY INVOKER VIEW sys.schema_table_lock_waits AS
SELECT object_schema, object_name, waiting_thread_id, waiting_pid, waiting_account, waiting_lock_type, waiting_lock_duration,
  sys.format_statement(waiting_query) AS waiting_query, waiting_query_secs, blocking_thread_id, blocking_pid, blocking_account,
  blocking_lock_type, blocking_lock_duration, sql_kill_blocking_query, sql_kill_blocking_connection
FROM sys.x$schema_table_lock_waits
//
CREATE SQL SECURITY INVOKER VIEW sys.x$statement_analysis AS
SELECT digest_text AS query, schema_name AS db,
  IF(sum_no_good_index_used > 0 OR sum_no_index_used > 0, '*', '') AS full_scan,
  count_star AS exec_count, sum_errors AS err_count, sum_warnings AS warn_count, sum_timer_wait AS total_latency,
  max_timer_wait AS max_latency, avg_timer_wait AS avg_latency, sum_lock_time AS lock_latency, sum_cpu_time AS cpu_latency,
  sum_rows_sent AS rows_sent, ROUND(IFNULL(sum_rows_sent / NULLIF(count_star, 0), 0), 0) AS rows_sent_avg,
  sum_rows_examined AS rows_examined, ROUND(IFNULL(sum_rows_examined / NULLIF(count_star, 0), 0), 0) AS rows_examined_avg,
  sum_rows_affected AS rows_affected, ROUND(IFNULL(sum_rows_affected / NULLIF(count_star, 0), 0), 0) AS rows_affected_avg,
  sum_created_tmp_tables AS tmp_tables, sum_created_tmp_disk_tables AS tmp_disk_tables, sum_sort_rows AS rows_sorted,
  sum_sort_merge_passes AS sort_merge_passes, max_controlled_memory AS max_controlled_memory, max_total_memory AS max_total_memory,
  digest AS digest, first_seen AS first_seen, last_seen AS last_seen
FROM performance_schema.events_statements_summary_by_digest
ORDER BY sum_timer_wait DESC
//
CREATE SQL SECURITY INVOKER VIEW sys.statement_analysis AS
SELECT sys.format_statement(query) AS query, db, full_scan, exec_count, err_count, warn_count,
  FORMAT_PICO_TIME(total_latency) AS total_latency, FORMAT_PICO_TIME(max_latency) AS max_latency,
  FORMAT_PICO_TIME(avg_latency) AS avg_latency, FORMAT_PICO_TIME(lock_latency) AS lock_latency,
  FORMAT_PICO_TIME(cpu_latency) AS cpu_latency, rows_sent, rows_sent_avg, rows_examined, rows_examined_avg, rows_affected,
  rows_affected_avg, tmp_tables, tmp_disk_tables, rows_sorted, sort_merge_passes,
  FORMAT_BYTES(max_controlled_memory) AS max_controlled_memory, FORMAT_BYTES(max_total_memory) AS max_total_memory,
  digest, first_seen, last_seen
FROM sys.x$statement_analysis
//
CREATE SQL SECURITY INVOKER VIEW sys.x$statements_with_errors_or_warnings AS
SELECT digest_text AS query, schema_name AS db, count_star AS exec_count, sum_errors AS errors,
  IFNULL(sum_errors / NULLIF(count_star, 0), 0) * 100 AS error_pct, sum_warnings AS warnings,
  IFNULL(sum_warnings / NULLIF(count_star, 0), 0) * 100 AS warning_pct, first_seen AS first_seen, last_seen AS last_seen, digest AS digest
FROM performance_schema.events_statements_summary_by_digest
WHERE sum_errors > 0 OR sum_warnings > 0
ORDER BY sum_errors DESC, sum_warnings DESC
//
CREATE SQL SECURITY INVOKER VIEW sys.statements_with_errors_or_warnings AS
SELECT sys.format_statement(query) AS query, db, exec_count, errors, error_pct, warnings, warning_pct, first_seen, last_seen, digest
FROM sys.x$statements_with_errors_or_warnings
//
CREATE SQL SECURITY INVOKER VIEW sys.x$statements_with_full_table_scans AS
SELECT digest_text AS query, schema_name AS db, count_star AS exec_count, sum_timer_wait AS total_latency,
  sum_no_index_used AS no_index_used_count, sum_no_good_index_used AS no_good_index_used_count,
  ROUND(IFNULL(sum_no_index_used / NULLIF(count_star, 0), 0) * 100) AS no_index_used_pct,
  sum_rows_sent AS rows_sent, sum_rows_examined AS rows_examined, ROUND(sum_rows_sent / count_star) AS rows_sent_avg,
  ROUND(sum_rows_examined / count_star) AS rows_examined_avg, first_seen AS first_seen, last_seen AS last_seen, digest AS digest
FROM performance_schema.events_statements_summary_by_digest
WHERE (sum_no_index_used > 0 OR sum_no_good_index_used > 0) AND digest_text NOT LIKE 'SHOW%'
ORDER BY no_index_used_pct DESC, total_latency DESC
//
CREATE SQL SECURITY INVOKER VIEW sys.statements_with_full_table_scans AS
SELECT sys.format_statement(query) AS query, db, exec_count, FORMAT_PICO_TIME(total_latency) AS total_latency, no_index_used_count,
  no_good_index_used_count, no_index_used_pct, rows_sent, rows_examined, rows_sent_avg, rows_examined_avg, first_seen, last_seen, digest
FROM sys.x$statements_with_full_table_scans
//
CREATE SQL SECURITY INVOKER VIEW sys.x$statements_with_runtimes_in_95th_percentile AS
SELECT s.digest_text AS query, s.schema_name AS db, IF(s.sum_no_good_index_used > 0 OR s.sum_no_index_used > 0, '*', '') AS full_scan,
  s.count_star AS exec_count, s.sum_errors AS err_count, s.sum_warnings AS warn_count, s.sum_timer_wait AS total_latency,
  s.max_timer_wait AS max_latency, s.avg_timer_wait AS avg_latency, s.sum_rows_sent AS rows_sent,
  ROUND(IFNULL(s.sum_rows_sent / NULLIF(s.count_star, 0), 0)) AS rows_sent_avg, s.sum_rows_examined AS rows_examined,
  ROUND(IFNULL(s.sum_rows_examined / NULLIF(s.count_star, 0), 0)) AS rows_examined_avg, s.first_seen AS first_seen,
  s.last_seen AS last_seen, s.digest AS digest
FROM (SELECT e.*, CUME_DIST() OVER (ORDER BY e.avg_timer_wait) AS place
    FROM performance_schema.events_statements_summary_by_digest e) s
WHERE s.place >= 0.95
ORDER BY s.avg_timer_wait DESC
//
CREATE SQL SECURITY INVOKER VIEW sys.statements_with_runtimes_in_95th_percentile AS
SELECT sys.format_statement(query) AS query, db, full_scan, exec_count, err_count, warn_count,
  FORMAT_PICO_TIME(total_latency) AS total_latency, FORMAT_PICO_TIME(max_latency) AS max_latency,
  FORMAT_PICO_TIME(avg_latency) AS avg_latency, rows_sent, rows_sent_avg, rows_examined, rows_examined_avg, first_seen, last_seen, digest
FROM sys.x$statements_with_runtimes_in_95th_percentile
//
CREATE SQL SECURITY INVOKER VIEW sys.x$statements_with_sorting AS
SELECT digest_text AS query, schema_name AS db, count_star AS exec_count, sum_timer_wait AS total_latency,
  sum_sort_merge_passes AS sort_merge_passes, ROUND(IFNULL(sum_sort_merge_passes / NULLIF(count_star, 0), 0)) AS avg_sort_merges,
  sum_sort_scan AS sorts_using_scans, sum_sort_range AS sort_using_range, sum_sort_rows AS rows_sorted,
  ROUND(IFNULL(sum_sort_rows / NULLIF(count_star, 0), 0)) AS avg_rows_sorted, first_seen AS first_seen, last_seen AS last_seen,
  digest AS digest
FROM performance_schema.events_statements_summary_by_digest
WHERE sum_sort_rows > 0
ORDER BY sum_timer_wait DESC
//
CREATE SQL SECURITY INVOKER VIEW sys.statements_with_sorting AS
SELECT sys.format_statement(query) AS query, db, exec_count, FORMAT_PICO_TIME(total_latency) AS total_latency, sort_merge_passes,
  avg_sort_merges, sorts_using_scans, sort_using_range, rows_sorted, avg_rows_sorted, first_seen, last_seen, digest
FROM sys.x$statements_with_sorting
//
CREATE SQL SECURITY INVOKER VIEW sys.x$statements_with_temp_tables AS
SELECT digest_text AS query, schema_name AS db, count_star AS exec_count, sum_timer_wait AS total_latency,
  sum_created_tmp_tables AS memory_tmp_tables, sum_created_tmp_disk_tables AS disk_tmp_tables,
  ROUND(IFNULL(sum_created_tmp_tables / NULLIF(count_star, 0), 0)) AS avg_tmp_tables_per_query,
  ROUND(IFNULL(sum_created_tmp_disk_tables / NULLIF(sum_created_tmp_tables, 0), 0) * 100) AS tmp_tables_to_disk_pct,
  first_seen AS first_seen, last_seen AS last_seen, digest AS digest
FROM performance_schema.events_statements_summary_by_digest
WHERE sum_created_tmp_tables > 0
ORDER BY sum_created_tmp_disk_tables DESC, sum_created_tmp_tables DESC
//
CREATE SQL SECURITY INVOKER VIEW sys.statements_with_temp_tables AS
SELECT sys.format_statement(query) AS query, db, exec_count, FORMAT_PICO_TIME(total_latency) AS total_latency, memory_tmp_tables,
  disk_tmp_tables, avg_tmp_tables_per_query, tmp_tables_to_disk_pct, first_seen, last_seen, digest
FROM sys.x$statements_with_temp_tables
//
CREATE SQL SECURITY INVOKER VIEW sys.metrics AS
SELECT LOWER(variable_name) AS Variable_name, variable_value AS Variable_value, 'Global Status' AS Type, 'YES' AS Enabled
FROM performance_schema.global_status
UNION ALL
SELECT name, count, CONCAT('InnoDB Metrics - ', subsystem), IF(status = 'enabled', 'YES', 'NO') FROM information_schema.innodb_metrics
UNION ALL SELECT 'NOW()', NOW(3), 'System Time', 'YES'
UNION ALL SELECT 'UNIX_TIMESTAMP()', ROUND(UNIX_TIMESTAMP(NOW(3)), 3), 'System Time', 'YES'
ORDER BY Type, Variable_name
//
CREATE SQL SECURITY INVOKER VIEW sys.x$memory_by_user_by_current_bytes AS
SELECT IF(user IS NULL, 'background', user) AS user, SUM(current_count_used) AS current_count_used,
  SUM(current_number_of_bytes_used) AS current_allocated,
  IFNULL(SUM(current_number_of_bytes_used) / NULLIF(SUM(current_count_used), 0), 0) AS current_avg_alloc,
  MAX(current_number_of_bytes_used) AS current_max_alloc, SUM(sum_number_of_bytes_alloc) AS total_allocated
FROM performance_schema.memory_summary_by_user_by_event_name
GROUP BY IF(user IS NULL, 'background', user)
ORDER BY SUM(current_number_of_bytes_used) DESC
//
CREATE SQL SECURITY INVOKER VIEW sys.memory_by_user_by_current_bytes AS
SELECT user, current_count_used, FORMAT_BYTES(current_allocated) AS current_allocated,
  FORMAT_BYTES(current_avg_alloc) AS current_avg_alloc, FORMAT_BYTES(current_max_alloc) AS current_max_alloc,
  FORMAT_BYTES(total_allocated) AS total_allocated
FROM sys.x$memory_by_user_by_current_bytes
//
CREATE SQL SECURITY INVOKER VIEW sys.x$memory_by_host_by_current_bytes AS
SELECT IF(host IS NULL, 'background', host) AS host, SUM(current_count_used) AS current_count_used,
  SUM(current_number_of_bytes_used) AS current_allocated,
  IFNULL(SUM(current_number_of_bytes_used) / NULLIF(SUM(current_count_used), 0), 0) AS current_avg_alloc,
  MAX(current_number_of_bytes_used) AS current_max_alloc, SUM(sum_number_of_bytes_alloc) AS total_allocated
FROM performance_schema.memory_summary_by_host_by_event_name
GROUP BY IF(host IS NULL, 'background', host)
ORDER BY SUM(current_number_of_bytes_used) DESC
//
CREATE SQL SECURITY INVOKER VIEW sys.memory_by_host_by_current_bytes AS
SELECT host, current_count_used, FORMAT_BYTES(current_allocated) AS current_allocated,
  FORMAT_BYTES(current_avg_alloc) AS current_avg_alloc, FORMAT_BYTES(current_max_alloc) AS current_max_alloc,
  FORMAT_BYTES(total_allocated) AS total_allocated
FROM sys.x$memory_by_host_by_current_bytes
//
CREATE SQL SECURITY INVOKER VIEW sys.x$memory_by_thread_by_current_bytes AS
SELECT m.thread_id AS thread_id, CONCAT(MAX(t.processlist_user), '@', MAX(t.processlist_host)) AS user,
  SUM(m.current_count_used) AS current_count_used, SUM(m.current_number_of_bytes_used) AS current_allocated,
  IFNULL(SUM(m.current_number_of_bytes_used) / NULLIF(SUM(m.current_count_used), 0), 0) AS current_avg_alloc,
  MAX(m.current_number_of_bytes_used) AS current_max_alloc, SUM(m.sum_number_of_bytes_alloc) AS total_allocated
FROM performance_schema.memory_summary_by_thread_by_event_name m JOIN performance_schema.threads t ON t.thread_id = m.thread_id
GROUP BY m.thread_id
ORDER BY SUM(m.current_number_of_bytes_used) DESC
//
CREATE SQL SECURITY INVOKER VIEW sys.memory_by_thread_by_current_bytes AS
SELECT thread_id, user, current_count_used, FORMAT_BYTES(current_allocated) AS current_allocated,
  FORMAT_BYTES(current_avg_alloc) AS current_avg_alloc, FORMAT_BYTES(current_max_alloc) AS current_max_alloc,
  FORMAT_BYTES(total_allocated) AS total_allocated
FROM sys.x$memory_by_thread_by_current_bytes
//
CREATE SQL SECURITY INVOKER VIEW sys.x$memory_global_by_current_bytes AS
SELECT event_name, current_count_used AS current_count, current_number_of_bytes_used AS current_alloc,
  IFNULL(current_number_of_bytes_used / NULLIF(current_count_used, 0), 0) AS current_avg_alloc, high_count_used AS high_count,
  high_number_of_bytes_used AS high_alloc, IFNULL(high_number_of_bytes_used / NULLIF(high_count_used, 0), 0) AS high_avg_alloc
FROM performance_schema.memory_summary_global_by_event_name
WHERE current_number_of_bytes_used > 0
ORDER BY current_number_of_bytes_used DESC
//
CREATE SQL SECURITY INVOKER VIEW sys.memory_global_by_current_bytes AS
SELECT event_name, current_count, FORMAT_BYTES(current_alloc) AS current_alloc, FORMAT_BYTES(current_avg_alloc) AS current_avg_alloc,
  high_count, FORMAT_BYTES(high_alloc) AS high_alloc, FORMAT_BYTES(high_avg_alloc) AS high_avg_alloc
FROM sys.x$memory_global_by_current_bytes
//
CREATE SQL SECURITY INVOKER VIEW sys.x$memory_global_total AS
SELECT SUM(current_number_of_bytes_used) AS total_allocated FROM performance_schema.memory_summary_global_by_event_name
//
CREATE SQL SECURITY INVOKER VIEW sys.memory_global_total AS
SELECT FORMAT_BYTES(total_allocated) AS total_allocated FROM sys.x$memory_global_total
//
CREATE SQL SECURITY INVOKER VIEW sys.x$ps_schema_table_statistics_io AS
SELECT SUBSTRING_INDEX(t.name, '/', 1) AS table_schema, SUBSTRING_INDEX(SUBSTRING_INDEX(t.name, '/', -1), '#p#', 1) AS table_name,
  SUM(f.count_read) AS count_read, SUM(f.sum_number_of_bytes_read) AS sum_number_of_bytes_read, SUM(f.sum_timer_read) AS sum_timer_read,
  SUM(f.count_write) AS count_write, SUM(f.sum_number_of_bytes_write) AS sum_number_of_bytes_write,
  SUM(f.sum_timer_write) AS sum_timer_write, SUM(f.count_misc) AS count_misc, SUM(f.sum_timer_misc) AS sum_timer_misc
FROM information_schema.innodb_tables t JOIN information_schema.innodb_datafiles d ON d.space = t.space
  JOIN performance_schema.file_summary_by_instance f ON f.file_name = d.path
GROUP BY SUBSTRING_INDEX(t.name, '/', 1), SUBSTRING_INDEX(SUBSTRING_INDEX(t.name, '/', -1), '#p#', 1)
//
CREATE SQL SECURITY INVOKER VIEW sys.x$schema_table_statistics AS
SELECT t.object_schema AS table_schema, t.object_name AS table_name, t.sum_timer_wait AS total_latency,
  t.count_fetch AS rows_fetched, t.sum_timer_fetch AS fetch_latency, t.count_insert AS rows_inserted, t.sum_timer_insert AS insert_latency,
  t.count_update AS rows_updated, t.sum_timer_update AS update_latency, t.count_delete AS rows_deleted,
  t.sum_timer_delete AS delete_latency, f.count_read AS io_read_requests, f.sum_number_of_bytes_read AS io_read,
  f.sum_timer_read AS io_read_latency, f.count_write AS io_write_requests, f.sum_number_of_bytes_write AS io_write,
  f.sum_timer_write AS io_write_latency, f.count_misc AS io_misc_requests, f.sum_timer_misc AS io_misc_latency
FROM performance_schema.table_io_waits_summary_by_table t
  LEFT JOIN sys.x$ps_schema_table_statistics_io f ON f.table_schema = t.object_schema AND f.table_name = t.object_name
ORDER BY t.sum_timer_wait DESC, t.count_star DESC
//
CREATE SQL SECURITY INVOKER VIEW sys.schema_table_statistics AS
SELECT table_schema, table_name, FORMAT_PICO_TIME(total_latency) AS total_latency, rows_fetched,
  FORMAT_PICO_TIME(fetch_latency) AS fetch_latency, rows_inserted, FORMAT_PICO_TIME(insert_latency) AS insert_latency, rows_updated,
  FORMAT_PICO_TIME(update_latency) AS update_latency, rows_deleted, FORMAT_PICO_TIME(delete_latency) AS delete_latency, io_read_requests,
  FORMAT_BYTES(io_read) AS io_read, FORMAT_PICO_TIME(io_read_latency) AS io_read_latency, io_write_requests,
  FORMAT_BYTES(io_write) AS io_write, FORMAT_PICO_TIME(io_write_latency) AS io_write_latency, io_misc_requests,
  FORMAT_PICO_TIME(io_misc_latency) AS io_misc_latency
FROM sys.x$schema_table_statistics
//
CREATE SQL SECURITY INVOKER VIEW sys.x$schema_index_statistics AS
SELECT object_schema AS table_schema, object_name AS table_name, index_name AS index_name,
  count_fetch AS rows_selected, sum_timer_fetch AS select_latency, count_insert AS rows_inserted, sum_timer_insert AS insert_latency,
  count_update AS rows_updated, sum_timer_update AS update_latency, count_delete AS rows_deleted, sum_timer_delete AS delete_latency
FROM performance_schema.table_io_waits_summary_by_index_usage
WHERE index_name IS NOT NULL
ORDER BY sum_timer_wait DESC, count_star DESC
//
CREATE SQL SECURITY INVOKER VIEW sys.schema_index_statistics AS
SELECT table_schema, table_name, index_name, rows_selected, FORMAT_PICO_TIME(select_latency) AS select_latency, rows_inserted,
  FORMAT_PICO_TIME(insert_latency) AS insert_latency, rows_updated, FORMAT_PICO_TIME(update_latency) AS update_latency, rows_deleted,
  FORMAT_PICO_TIME(delete_latency) AS delete_latency
FROM sys.x$schema_index_statistics
//
CREATE SQL SECURITY INVOKER VIEW sys.x$schema_tables_with_full_table_scans AS
SELECT object_schema, object_name, count_read AS rows_full_scanned, sum_timer_wait AS latency
FROM performance_schema.table_io_waits_summary_by_index_usage
WHERE index_name IS NULL AND count_read > 0
ORDER BY count_read DESC
//
CREATE SQL SECURITY INVOKER VIEW sys.schema_tables_with_full_table_scans AS
SELECT object_schema, object_name, rows_full_scanned, FORMAT_PICO_TIME(latency) AS latency
FROM sys.x$schema_tables_with_full_table_scans
//
CREATE SQL SECURITY INVOKER VIEW sys.x$io_global_by_file_by_bytes AS
SELECT file_name AS file, count_read AS count_read, sum_number_of_bytes_read AS total_read,
  IFNULL(sum_number_of_bytes_read / NULLIF(count_read, 0), 0) AS avg_read, count_write AS count_write,
  sum_number_of_bytes_write AS total_written, IFNULL(sum_number_of_bytes_write / NULLIF(count_write, 0), 0.00) AS avg_write,
  sum_number_of_bytes_read + sum_number_of_bytes_write AS total,
  IFNULL(ROUND(100 - (sum_number_of_bytes_read / NULLIF(sum_number_of_bytes_read + sum_number_of_bytes_write, 0)) * 100, 2), 0.00)
    AS write_pct
FROM performance_schema.file_summary_by_instance
ORDER BY sum_number_of_bytes_read + sum_number_of_bytes_write DESC
//
CREATE SQL SECURITY INVOKER VIEW sys.io_global_by_file_by_bytes AS
SELECT file, count_read, FORMAT_BYTES(total_read) AS total_read, FORMAT_BYTES(avg_read) AS avg_read, count_write,
  FORMAT_BYTES(total_written) AS total_written, FORMAT_BYTES(avg_write) AS avg_write, FORMAT_BYTES(total) AS total, write_pct
FROM sys.x$io_global_by_file_by_bytes
//
CREATE SQL SECURITY INVOKER VIEW sys.x$io_global_by_file_by_latency AS
SELECT file_name AS file, count_star AS total, sum_timer_wait AS total_latency, count_read AS count_read, sum_timer_read AS read_latency,
  count_write AS count_write, sum_timer_write AS write_latency, count_misc AS count_misc, sum_timer_misc AS misc_latency
FROM performance_schema.file_summary_by_instance
ORDER BY sum_timer_wait DESC
//
CREATE SQL SECURITY INVOKER VIEW sys.io_global_by_file_by_latency AS
SELECT file, total, FORMAT_PICO_TIME(total_latency) AS total_latency, count_read, FORMAT_PICO_TIME(read_latency) AS read_latency,
  count_write, FORMAT_PICO_TIME(write_latency) AS write_latency, count_misc, FORMAT_PICO_TIME(misc_latency) AS misc_latency
FROM sys.x$io_global_by_file_by_latency
