CREATE FUNCTION sys.format_bytes(bytes TEXT) RETURNS TEXT
  DETERMINISTIC NO SQL SQL SECURITY INVOKER
  COMMENT 'A number of bytes in the unit that suits it.'
RETURN CASE
  WHEN bytes IS NULL THEN NULL
  WHEN bytes >= 1125899906842624 THEN CONCAT(ROUND(bytes / 1125899906842624, 2), ' PiB')
  WHEN bytes >= 1099511627776 THEN CONCAT(ROUND(bytes / 1099511627776, 2), ' TiB')
  WHEN bytes >= 1073741824 THEN CONCAT(ROUND(bytes / 1073741824, 2), ' GiB')
  WHEN bytes >= 1048576 THEN CONCAT(ROUND(bytes / 1048576, 2), ' MiB')
  WHEN bytes >= 1024 THEN CONCAT(ROUND(bytes / 1024, 2), ' KiB')
  ELSE CONCAT(ROUND(bytes, 0), ' bytes')
END
//
CREATE FUNCTION sys.format_time(picoseconds TEXT) RETURNS TEXT CHARSET utf8mb4
  DETERMINISTIC NO SQL SQL SECURITY INVOKER
  COMMENT 'A number of picoseconds in the unit that suits it.'
RETURN CASE
  WHEN picoseconds IS NULL THEN NULL
  WHEN picoseconds >= 604800000000000000 THEN CONCAT(ROUND(picoseconds / 604800000000000000, 2), ' w')
  WHEN picoseconds >= 86400000000000000 THEN CONCAT(ROUND(picoseconds / 86400000000000000, 2), ' d')
  WHEN picoseconds >= 3600000000000000 THEN CONCAT(ROUND(picoseconds / 3600000000000000, 2), ' h')
  WHEN picoseconds >= 60000000000000 THEN CONCAT(ROUND(picoseconds / 60000000000000, 2), ' m')
  WHEN picoseconds >= 1000000000000 THEN CONCAT(ROUND(picoseconds / 1000000000000, 2), ' s')
  WHEN picoseconds >= 1000000000 THEN CONCAT(ROUND(picoseconds / 1000000000, 2), ' ms')
  WHEN picoseconds >= 1000000 THEN CONCAT(ROUND(picoseconds / 1000000, 2), ' us')
  WHEN picoseconds >= 1000 THEN CONCAT(ROUND(picoseconds / 1000, 2), ' ns')
  ELSE CONCAT(picoseconds, ' ps')
END
//
CREATE FUNCTION sys.format_statement(statement LONGTEXT) RETURNS LONGTEXT
  NO SQL SQL SECURITY INVOKER
  COMMENT 'A statement without line ends, its middle left out where it is longer than @sys.statement_truncate_len, or 64.'
BEGIN
  DECLARE longest INT DEFAULT CAST(COALESCE(@sys.statement_truncate_len, 64) AS SIGNED);
  DECLARE line LONGTEXT DEFAULT REPLACE(statement, '\n', ' ');
  IF CHAR_LENGTH(line) <= longest THEN
    RETURN line;
  END IF;
  RETURN CONCAT(LEFT(line, (longest / 2) - 2), ' ... ', RIGHT(line, (longest / 2) - 2));
END
//
CREATE FUNCTION sys.quote_identifier(in_identifier TEXT) RETURNS TEXT CHARSET utf8mb4
  DETERMINISTIC NO SQL SQL SECURITY INVOKER
  COMMENT 'A name in backticks.'
RETURN CONCAT('`', REPLACE(in_identifier, '`', '``'), '`')
//
CREATE FUNCTION sys.list_add(in_list TEXT, in_add_value TEXT) RETURNS TEXT
  DETERMINISTIC NO SQL SQL SECURITY INVOKER
  COMMENT 'A list with commas, and one value more where it is not in it.'
BEGIN
  IF in_add_value IS NULL THEN
    SIGNAL SQLSTATE '02200' SET MESSAGE_TEXT = 'Function sys.list_add: in_add_value input variable should not be NULL', MYSQL_ERRNO = 1138;
  END IF;
  IF in_list IS NULL OR LENGTH(in_list) = 0 THEN
    RETURN in_add_value;
  END IF;
  IF FIND_IN_SET(in_add_value, in_list) > 0 THEN
    RETURN in_list;
  END IF;
  RETURN CONCAT(TRIM(BOTH ',' FROM in_list), ',', in_add_value);
END
//
CREATE FUNCTION sys.list_drop(in_list TEXT, in_drop_value TEXT) RETURNS TEXT
  DETERMINISTIC NO SQL SQL SECURITY INVOKER
  COMMENT 'A list with commas without one of its values.'
BEGIN
  IF in_drop_value IS NULL THEN
    SIGNAL SQLSTATE '02200' SET MESSAGE_TEXT = 'Function sys.list_drop: in_drop_value input variable should not be NULL', MYSQL_ERRNO = 1138;
  END IF;
  IF in_list IS NULL OR LENGTH(in_list) = 0 THEN
    RETURN in_list;
  END IF;
  -- Twice, as two of it side by side have one comma between them.
  SET in_list = REPLACE(CONCAT(',', in_list, ','), CONCAT(',', in_drop_value, ','), ',');
  RETURN TRIM(BOTH ',' FROM REPLACE(in_list, CONCAT(',', in_drop_value, ','), ','));
END
//
CREATE FUNCTION sys.version_major() RETURNS TINYINT UNSIGNED
  DETERMINISTIC NO SQL SQL SECURITY INVOKER COMMENT 'The first number of the version.'
RETURN SUBSTRING_INDEX(SUBSTRING_INDEX(VERSION(), '-', 1), '.', 1)
//
CREATE FUNCTION sys.version_minor() RETURNS TINYINT UNSIGNED
  DETERMINISTIC NO SQL SQL SECURITY INVOKER COMMENT 'The second number of the version.'
RETURN SUBSTRING_INDEX(SUBSTRING_INDEX(SUBSTRING_INDEX(VERSION(), '-', 1), '.', 2), '.', -1)
//
CREATE FUNCTION sys.version_patch() RETURNS TINYINT UNSIGNED
  DETERMINISTIC NO SQL SQL SECURITY INVOKER COMMENT 'The third number of the version.'
RETURN SUBSTRING_INDEX(SUBSTRING_INDEX(VERSION(), '-', 1), '.', -1)
//
CREATE FUNCTION sys.ps_thread_id(in_connection_id BIGINT UNSIGNED) RETURNS BIGINT UNSIGNED
  READS SQL DATA SQL SECURITY INVOKER COMMENT 'The thread of a connection; of NULL, of the own one.'
RETURN IF(in_connection_id IS NULL, PS_CURRENT_THREAD_ID(), PS_THREAD_ID(in_connection_id))
//
CREATE FUNCTION sys.ps_thread_account(in_thread_id BIGINT UNSIGNED) RETURNS TEXT
  READS SQL DATA SQL SECURITY INVOKER COMMENT 'Who is connected by a thread.'
RETURN (SELECT IF(type = 'FOREGROUND', CONCAT(processlist_user, '@', processlist_host), type)
  FROM performance_schema.threads WHERE thread_id = in_thread_id)
//
CREATE FUNCTION sys.extract_schema_from_file_name(path VARCHAR(512)) RETURNS VARCHAR(64)
  DETERMINISTIC NO SQL SQL SECURITY INVOKER COMMENT 'The folder that a file is in.'
RETURN LEFT(SUBSTRING_INDEX(SUBSTRING_INDEX(REPLACE(path, '\\', '/'), '/', -2), '/', 1), 64)
//
CREATE FUNCTION sys.extract_table_from_file_name(path VARCHAR(512)) RETURNS VARCHAR(64)
  DETERMINISTIC NO SQL SQL SECURITY INVOKER COMMENT 'The name of a file without its end.'
RETURN LEFT(SUBSTRING_INDEX(REPLACE(SUBSTRING_INDEX(REPLACE(path, '\\', '/'), '/', -1), '@0024', '$'), '.', 1), 64)
//
CREATE PROCEDURE sys.table_exists(IN in_db VARCHAR(64), IN in_table VARCHAR(64), OUT out_exists ENUM('', 'BASE TABLE', 'VIEW', 'TEMPORARY', 'SYSTEM VIEW'))
  SQL SECURITY INVOKER COMMENT 'What is there of a name: a table, a view, or nothing. Temporary tables are not seen.'
BEGIN
  SET out_exists = COALESCE((SELECT table_type FROM information_schema.tables
    WHERE table_schema = in_db AND table_name = in_table), '');
END
//
CREATE PROCEDURE sys.execute_prepared_stmt(IN in_query LONGTEXT CHARACTER SET utf8mb4)
  MODIFIES SQL DATA SQL SECURITY INVOKER COMMENT 'Prepares a statement, executes it and forgets it.'
BEGIN
  IF in_query IS NULL OR LENGTH(in_query) < 4 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = "The @sys.execute_prepared_stmt.sql must contain a query";
  END IF;
  SET @sys.execute_prepared_stmt.sql = in_query;
  PREPARE stmt FROM @sys.execute_prepared_stmt.sql;
  EXECUTE stmt;
  DEALLOCATE PREPARE stmt;
  SET @sys.execute_prepared_stmt.sql = NULL;
END
//
CREATE PROCEDURE sys.ps_truncate_all_tables(IN in_verbose BOOLEAN)
  MODIFIES SQL DATA SQL SECURITY INVOKER COMMENT 'Empties the summaries of performance_schema.'
BEGIN
  IF in_verbose THEN
    SELECT 'Running: TRUNCATE TABLE performance_schema.events_statements_summary_by_digest' AS status;
  END IF;
  TRUNCATE TABLE performance_schema.events_statements_summary_by_digest;
  SELECT 'Truncated 1 tables' AS summary;
END
