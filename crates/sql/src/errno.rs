//! MySQL's errors: number, symbol, SQLSTATE and text with its arguments, one row for each, in the order of their numbers.
//!
//! Symbols, states and texts are those of MySQL's own list (`messages_to_clients.txt`, as its `perror` and
//! `performance_schema.events_errors_summary_global_by_error` give it), the texts those of 8.0 where later versions say something else.
//! `{}` takes an argument. Numbers from 2000 on stand in `extended`; a number in neither table has the general state `HY000`.
//!
//! An error is raised by its symbol ([`crate::session_api::SqlError::of`], [`message`]), so that its text is written once. Where Weir
//! says more than MySQL does, the text stands where the error is raised.

mod extended;

pub use extended::*;
use std::fmt::Display;

/// One error.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub number: u16,
    pub symbol: &'static str,
    pub sqlstate: &'static [u8; 5],
    pub text: &'static str,
}

macro_rules! errors {
    ($table:ident: $($name:ident = $no:literal, $state:literal, $text:literal;)*) => {
        $(#[doc = $text] pub const $name: u16 = $no;)*

        pub(crate) const $table: &[$crate::errno::Row] = &[$($crate::errno::Row {
            number: $no,
            symbol: stringify!($name),
            sqlstate: $state,
            text: $text,
        }),*];
    };
}

use errors;

errors! { SERVER:
    ER_YES = 1003, b"HY000", "YES";
    ER_CANT_CREATE_FILE = 1004, b"HY000", "Can't create file '{}' (errno: {} - {})";
    ER_CANT_CREATE_TABLE = 1005, b"HY000", "Can't create table '{}' (errno: {} - {})";
    ER_DB_CREATE_EXISTS = 1007, b"HY000", "Can't create database '{}'; database exists";
    ER_DB_DROP_EXISTS = 1008, b"HY000", "Can't drop database '{}'; database doesn't exist";
    ER_CHECKREAD = 1020, b"HY000", "Record has changed since last read in table '{}'";
    ER_DISK_FULL = 1021, b"HY000", "Disk full ({}); waiting for someone to free some space... (errno: {} - {})";
    ER_DUP_KEY = 1022, b"23000", "Can't write; duplicate key in table '{}'";
    ER_ERROR_ON_WRITE = 1026, b"HY000", "Error writing file '{}' (errno: {} - {})";
    ER_GET_ERRNO = 1030, b"HY000", "Got error {} - '{}' from storage engine";
    ER_ILLEGAL_HA = 1031, b"HY000", "Table storage engine for '{}' doesn't have this option";
    ER_KEY_NOT_FOUND = 1032, b"HY000", "Can't find record in '{}'";
    ER_NOT_KEYFILE = 1034, b"HY000", "Incorrect key file for table '{}'; try to repair it";
    ER_OUTOFMEMORY = 1037, b"HY001", "Out of memory; restart server and try again (needed {} bytes)";
    ER_OUT_OF_SORTMEMORY = 1038, b"HY001", "Out of sort memory, consider increasing server sort buffer size";
    ER_CON_COUNT_ERROR = 1040, b"08004", "Too many connections";
    ER_OUT_OF_RESOURCES = 1041, b"HY000",
        "Out of memory; check if mysqld or some other process uses all available memory; if not, you may have to use 'ulimit' to allow \
         mysqld to use more memory or you can add more swap space";
    ER_BAD_HOST_ERROR = 1042, b"08S01", "Can't get hostname for your address";
    ER_HANDSHAKE_ERROR = 1043, b"08S01", "Bad handshake";
    ER_DBACCESS_DENIED_ERROR = 1044, b"42000", "Access denied for user '{}'@'{}' to database '{}'";
    ER_ACCESS_DENIED_ERROR = 1045, b"28000", "Access denied for user '{}'@'{}' (using password: {})";
    ER_NO_DB_ERROR = 1046, b"3D000", "No database selected";
    ER_UNKNOWN_COM_ERROR = 1047, b"08S01", "Unknown command";
    ER_BAD_NULL_ERROR = 1048, b"23000", "Column '{}' cannot be null";
    ER_BAD_DB_ERROR = 1049, b"42000", "Unknown database '{}'";
    ER_TABLE_EXISTS_ERROR = 1050, b"42S01", "Table '{}' already exists";
    ER_BAD_TABLE_ERROR = 1051, b"42S02", "Unknown table '{}'";
    ER_NON_UNIQ_ERROR = 1052, b"23000", "Column '{}' in {} is ambiguous";
    ER_SERVER_SHUTDOWN = 1053, b"08S01", "Server shutdown in progress";
    ER_BAD_FIELD_ERROR = 1054, b"42S22", "Unknown column '{}' in '{}'";
    ER_WRONG_FIELD_WITH_GROUP = 1055, b"42000", "'{}' isn't in GROUP BY";
    ER_WRONG_GROUP_FIELD = 1056, b"42000", "Can't group on '{}'";
    ER_WRONG_SUM_SELECT = 1057, b"42000", "Statement has sum functions and columns in same statement";
    ER_WRONG_VALUE_COUNT = 1058, b"21S01", "Column count doesn't match value count";
    ER_TOO_LONG_IDENT = 1059, b"42000", "Identifier name '{}' is too long";
    ER_DUP_FIELDNAME = 1060, b"42S21", "Duplicate column name '{}'";
    ER_DUP_KEYNAME = 1061, b"42000", "Duplicate key name '{}'";
    ER_DUP_ENTRY = 1062, b"23000", "Duplicate entry '{}' for key '{}'";
    ER_WRONG_FIELD_SPEC = 1063, b"42000", "Incorrect column specifier for column '{}'";
    ER_PARSE_ERROR = 1064, b"42000", "{} near '{}' at line {}";
    ER_EMPTY_QUERY = 1065, b"42000", "Query was empty";
    ER_NONUNIQ_TABLE = 1066, b"42000", "Not unique table/alias: '{}'";
    ER_INVALID_DEFAULT = 1067, b"42000", "Invalid default value for '{}'";
    ER_MULTIPLE_PRI_KEY = 1068, b"42000", "Multiple primary key defined";
    ER_TOO_MANY_KEYS = 1069, b"42000", "Too many keys specified; max {} keys allowed";
    ER_TOO_MANY_KEY_PARTS = 1070, b"42000", "Too many key parts specified; max {} parts allowed";
    ER_TOO_LONG_KEY = 1071, b"42000", "Specified key was too long; max key length is {} bytes";
    ER_KEY_COLUMN_DOES_NOT_EXIST = 1072, b"42000", "Key column '{}' doesn't exist in table";
    ER_BLOB_USED_AS_KEY = 1073, b"42000", "BLOB column '{}' can't be used in key specification with the used table type";
    ER_TOO_BIG_FIELDLENGTH = 1074, b"42000", "Column length too big for column '{}' (max = {}); use BLOB or TEXT instead";
    ER_WRONG_AUTO_KEY = 1075, b"42000", "Incorrect table definition; there can be only one auto column and it must be defined as a key";
    ER_NORMAL_SHUTDOWN = 1077, b"HY000", "{}: Normal shutdown";
    ER_FORCING_CLOSE = 1080, b"08S01", "{}: Forcing close of thread {}  user: '{}'";
    ER_WRONG_FIELD_TERMINATORS = 1083, b"42000", "Field separator argument is not what is expected; check the manual";
    ER_BLOBS_AND_NO_TERMINATED = 1084, b"42000", "You can't use fixed rowlength with BLOBs; please use 'fields terminated by'";
    ER_TEXTFILE_NOT_READABLE = 1085, b"HY000", "The file '{}' must be in the database directory or be readable by all";
    ER_FILE_EXISTS_ERROR = 1086, b"HY000", "File '{}' already exists";
    ER_WRONG_SUB_KEY = 1089, b"HY000",
        "Incorrect prefix key; the used key part isn't a string, the used length is longer than the key part, or the storage engine \
         doesn't support unique prefix keys";
    ER_CANT_REMOVE_ALL_FIELDS = 1090, b"42000", "You can't delete all columns with ALTER TABLE; use DROP TABLE instead";
    ER_CANT_DROP_FIELD_OR_KEY = 1091, b"42000", "Can't DROP '{}'; check that column/key exists";
    ER_UPDATE_TABLE_USED = 1093, b"HY000", "You can't specify target table '{}' for update in FROM clause";
    ER_NO_SUCH_THREAD = 1094, b"HY000", "Unknown thread id: {}";
    ER_KILL_DENIED_ERROR = 1095, b"HY000", "You are not owner of thread {}";
    ER_NO_TABLES_USED = 1096, b"HY000", "No tables used";
    ER_TOO_BIG_SET = 1097, b"HY000", "Too many strings for column {} and SET";
    ER_TABLE_NOT_LOCKED_FOR_WRITE = 1099, b"HY000", "Table '{}' was locked with a READ lock and can't be updated";
    ER_TABLE_NOT_LOCKED = 1100, b"HY000", "Table '{}' was not locked with LOCK TABLES";
    ER_BLOB_CANT_HAVE_DEFAULT = 1101, b"42000", "BLOB, TEXT, GEOMETRY or JSON column '{}' can't have a default value";
    ER_WRONG_DB_NAME = 1102, b"42000", "Incorrect database name '{}'";
    ER_WRONG_TABLE_NAME = 1103, b"42000", "Incorrect table name '{}'";
    ER_TOO_BIG_SELECT = 1104, b"42000",
        "The SELECT would examine more than MAX_JOIN_SIZE rows; check your WHERE and use SET SQL_BIG_SELECTS=1 or SET MAX_JOIN_SIZE=# if \
         the SELECT is okay";
    ER_UNKNOWN_ERROR = 1105, b"HY000", "Unknown error";
    ER_UNKNOWN_PROCEDURE = 1106, b"42000", "Unknown procedure '{}'";
    ER_WRONG_PARAMCOUNT_TO_PROCEDURE = 1107, b"42000", "Incorrect parameter count to procedure '{}'";
    ER_UNKNOWN_TABLE = 1109, b"42S02", "Unknown table '{}' in {}";
    ER_FIELD_SPECIFIED_TWICE = 1110, b"42000", "Column '{}' specified twice";
    ER_INVALID_GROUP_FUNC_USE = 1111, b"HY000", "Invalid use of group function";
    ER_UNSUPPORTED_EXTENSION = 1112, b"42000", "Table '{}' uses an extension that doesn't exist in this MySQL version";
    ER_TABLE_MUST_HAVE_COLUMNS = 1113, b"42000", "A table must have at least 1 column";
    ER_RECORD_FILE_FULL = 1114, b"HY000", "The table '{}' is full";
    ER_UNKNOWN_CHARACTER_SET = 1115, b"42000", "Unknown character set: '{}'";
    ER_TOO_MANY_TABLES = 1116, b"HY000", "Too many tables; MySQL can only use {} tables in a join";
    ER_TOO_MANY_FIELDS = 1117, b"HY000", "Too many columns";
    ER_TOO_BIG_ROWSIZE = 1118, b"42000",
        "Row size too large. The maximum row size for the used table type, not counting BLOBs, is {}. This includes storage overhead, \
         check the manual. You have to change some columns to TEXT or BLOBs";
    ER_STACK_OVERRUN = 1119, b"HY000",
        "Thread stack overrun:  Used: {} of a {} stack.  Use 'mysqld --thread_stack=#' to specify a bigger stack if needed";
    ER_WRONG_OUTER_JOIN_UNUSED = 1120, b"42000", "Cross dependency found in OUTER JOIN; examine your ON conditions";
    ER_UDF_EXISTS = 1125, b"HY000", "Function '{}' already exists";
    ER_FUNCTION_NOT_DEFINED = 1128, b"HY000", "Function '{}' is not defined";
    ER_HOST_NOT_PRIVILEGED = 1130, b"HY000", "Host '{}' is not allowed to connect to this MySQL server";
    ER_PASSWORD_ANONYMOUS_USER = 1131, b"42000", "You are using MySQL as an anonymous user and anonymous users are not allowed to change passwords";
    ER_PASSWORD_NO_MATCH = 1133, b"42000", "Can't find any matching row in the user table";
    ER_WRONG_VALUE_COUNT_ON_ROW = 1136, b"21S01", "Column count doesn't match value count at row {}";
    ER_INVALID_USE_OF_NULL = 1138, b"22004", "Invalid use of NULL value";
    ER_MIX_OF_GROUP_FUNC_AND_FIELDS = 1140, b"42000",
        "Mixing of GROUP columns (MIN(),MAX(),COUNT(),...) with no GROUP columns is illegal if there is no GROUP BY clause";
    ER_NONEXISTING_GRANT = 1141, b"42000", "There is no such grant defined for user '{}' on host '{}'";
    ER_TABLEACCESS_DENIED_ERROR = 1142, b"42000", "{} command denied to user '{}'@'{}' for table '{}'";
    ER_COLUMNACCESS_DENIED_ERROR = 1143, b"42000", "{} command denied to user '{}'@'{}' for column '{}' in table '{}'";
    ER_ILLEGAL_GRANT_FOR_TABLE = 1144, b"42000", "Illegal GRANT/REVOKE command; please consult the manual to see which privileges can be used";
    ER_NO_SUCH_TABLE = 1146, b"42S02", "Table '{}.{}' doesn't exist";
    ER_NONEXISTING_TABLE_GRANT = 1147, b"42000", "There is no such grant defined for user '{}' on host '{}' on table '{}'";
    ER_SYNTAX_ERROR = 1149, b"42000",
        "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use";
    ER_ABORTING_CONNECTION = 1152, b"08S01", "Aborted connection {} to db: '{}' user: '{}' ({})";
    ER_NET_PACKET_TOO_LARGE = 1153, b"08S01", "Got a packet bigger than 'max_allowed_packet' bytes";
    ER_NET_READ_ERROR_FROM_PIPE = 1154, b"08S01", "Got a read error from the connection pipe";
    ER_NET_PACKETS_OUT_OF_ORDER = 1156, b"08S01", "Got packets out of order";
    ER_NET_UNCOMPRESS_ERROR = 1157, b"08S01", "Couldn't uncompress communication packet";
    ER_NET_READ_ERROR = 1158, b"08S01", "Got an error reading communication packets";
    ER_NET_READ_INTERRUPTED = 1159, b"08S01", "Got timeout reading communication packets";
    ER_NET_ERROR_ON_WRITE = 1160, b"08S01", "Got an error writing communication packets";
    ER_NET_WRITE_INTERRUPTED = 1161, b"08S01", "Got timeout writing communication packets";
    ER_TOO_LONG_STRING = 1162, b"42000", "Result string is longer than 'max_allowed_packet' bytes";
    ER_WRONG_COLUMN_NAME = 1166, b"42000", "Incorrect column name '{}'";
    ER_WRONG_KEY_COLUMN = 1167, b"42000", "The used storage engine can't index column '{}'";
    ER_DUP_UNIQUE = 1169, b"23000", "Can't write, because of unique constraint, to table '{}'";
    ER_BLOB_KEY_WITHOUT_LENGTH = 1170, b"42000", "BLOB/TEXT column '{}' used in key specification without a key length";
    ER_PRIMARY_CANT_HAVE_NULL = 1171, b"42000", "All parts of a PRIMARY KEY must be NOT NULL; if you need NULL in a key, use UNIQUE instead";
    ER_TOO_MANY_ROWS = 1172, b"42000", "Result consisted of more than one row";
    ER_REQUIRES_PRIMARY_KEY = 1173, b"42000", "This table type requires a primary key";
    ER_UPDATE_WITHOUT_KEY_IN_SAFE_MODE = 1175, b"HY000",
        "You are using safe update mode and you tried to update a table without a WHERE that uses a KEY column. {}";
    ER_KEY_DOES_NOT_EXITS = 1176, b"42000", "Key '{}' doesn't exist in table '{}'";
    ER_CHECK_NO_SUCH_TABLE = 1177, b"42000", "Can't open table";
    ER_CANT_DO_THIS_DURING_AN_TRANSACTION = 1179, b"25000", "You are not allowed to execute this command in a transaction";
    ER_ERROR_DURING_COMMIT = 1180, b"HY000", "Got error {} - '{}' during COMMIT";
    ER_ERROR_DURING_ROLLBACK = 1181, b"HY000", "Got error {} - '{}' during ROLLBACK";
    ER_NEW_ABORTING_CONNECTION = 1184, b"08S01", "Aborted connection {} to db: '{}' user: '{}' host: '{}' ({})";
    ER_INDEX_REBUILD = 1187, b"HY000", "Failed rebuilding the index of  dumped table '{}'";
    ER_FT_MATCHING_KEY_NOT_FOUND = 1191, b"HY000", "Can't find FULLTEXT index matching the column list";
    ER_LOCK_OR_ACTIVE_TRANSACTION = 1192, b"HY000", "Can't execute the given command because you have active locked tables or an active transaction";
    ER_UNKNOWN_SYSTEM_VARIABLE = 1193, b"HY000", "Unknown system variable '{}'";
    ER_CRASHED_ON_USAGE = 1194, b"HY000", "Table '{}' is marked as crashed and should be repaired";
    ER_TRANS_CACHE_FULL = 1197, b"HY000",
        "Multi-statement transaction required more than 'max_binlog_cache_size' bytes of storage; increase this mysqld variable and try \
         again";
    ER_BAD_SLAVE = 1200, b"HY000", "The server is not configured as replica; fix in config file or with CHANGE REPLICATION SOURCE TO";
    ER_REPLICA_THREAD = 1202, b"HY000", "Could not create replica thread; check system resources";
    ER_TOO_MANY_USER_CONNECTIONS = 1203, b"42000", "User {} already has more than 'max_user_connections' active connections";
    ER_LOCK_WAIT_TIMEOUT = 1205, b"HY000", "Lock wait timeout exceeded; try restarting transaction";
    ER_LOCK_TABLE_FULL = 1206, b"HY000", "The total number of locks exceeds the lock table size";
    ER_READ_ONLY_TRANSACTION = 1207, b"25000", "Update locks cannot be acquired during a READ UNCOMMITTED transaction";
    ER_WRONG_ARGUMENTS = 1210, b"HY000", "Incorrect arguments to {}";
    ER_NO_PERMISSION_TO_CREATE_USER = 1211, b"42000", "'{}'@'{}' is not allowed to create new users";
    ER_LOCK_DEADLOCK = 1213, b"40001", "Deadlock found when trying to get lock; try restarting transaction";
    ER_TABLE_CANT_HANDLE_FT = 1214, b"HY000", "The used table type doesn't support FULLTEXT indexes";
    ER_CANNOT_ADD_FOREIGN = 1215, b"HY000", "Cannot add foreign key constraint";
    ER_NO_REFERENCED_ROW = 1216, b"23000", "Cannot add or update a child row: a foreign key constraint fails";
    ER_ROW_IS_REFERENCED = 1217, b"23000", "Cannot delete or update a parent row: a foreign key constraint fails";
    ER_ERROR_WHEN_EXECUTING_COMMAND = 1220, b"HY000", "Error when executing command {}: {}";
    ER_WRONG_USAGE = 1221, b"HY000", "Incorrect usage of {} and {}";
    ER_WRONG_NUMBER_OF_COLUMNS_IN_SELECT = 1222, b"21000", "The used SELECT statements have a different number of columns";
    ER_CANT_UPDATE_WITH_READLOCK = 1223, b"HY000", "Can't execute the query because you have a conflicting read lock";
    ER_DUP_ARGUMENT = 1225, b"HY000", "Option '{}' used twice in statement";
    ER_USER_LIMIT_REACHED = 1226, b"42000", "User '{}' has exceeded the '{}' resource (current value: {})";
    ER_SPECIFIC_ACCESS_DENIED_ERROR = 1227, b"42000", "Access denied; you need (at least one of) the {} privilege(s) for this operation";
    ER_LOCAL_VARIABLE = 1228, b"HY000", "Variable '{}' is a SESSION variable and can't be used with SET GLOBAL";
    ER_GLOBAL_VARIABLE = 1229, b"HY000", "Variable '{}' is a GLOBAL variable and should be set with SET GLOBAL";
    ER_NO_DEFAULT = 1230, b"42000", "Variable '{}' doesn't have a default value";
    ER_WRONG_VALUE_FOR_VAR = 1231, b"42000", "Variable '{}' can't be set to the value of '{}'";
    ER_WRONG_TYPE_FOR_VAR = 1232, b"42000", "Incorrect argument type to variable '{}'";
    ER_VAR_CANT_BE_READ = 1233, b"HY000", "Variable '{}' can only be set, not read";
    ER_CANT_USE_OPTION_HERE = 1234, b"42000", "Incorrect usage/placement of '{}'";
    ER_NOT_SUPPORTED_YET = 1235, b"42000", "This version of MySQL doesn't yet support '{}'";
    ER_SOURCE_FATAL_ERROR_READING_BINLOG = 1236, b"HY000", "Got fatal error {} from source when reading data from binary log: '{}'";
    ER_INCORRECT_GLOBAL_LOCAL_VAR = 1238, b"HY000", "Variable '{}' is a {} variable";
    ER_WRONG_FK_DEF = 1239, b"42000", "Incorrect foreign key definition for '{}': {}";
    ER_OPERAND_COLUMNS = 1241, b"21000", "Operand should contain {} column(s)";
    ER_SUBQUERY_NO_1_ROW = 1242, b"21000", "Subquery returns more than 1 row";
    ER_UNKNOWN_STMT_HANDLER = 1243, b"HY000", "Unknown prepared statement handler ({}) given to {}";
    ER_AUTO_CONVERT = 1246, b"HY000", "Converting column '{}' from {} to {}";
    ER_ILLEGAL_REFERENCE = 1247, b"42S22", "Reference '{}' not supported ({})";
    ER_DERIVED_MUST_HAVE_ALIAS = 1248, b"42000", "Every derived table must have its own alias";
    ER_TABLENAME_NOT_ALLOWED_HERE = 1250, b"42000", "Table '{}' from one of the SELECTs cannot be used in {}";
    ER_NOT_SUPPORTED_AUTH_MODE = 1251, b"08004",
        "Client does not support authentication protocol requested by server; consider upgrading MySQL client";
    ER_SPATIAL_CANT_HAVE_NULL = 1252, b"42000", "All parts of a SPATIAL index must be NOT NULL";
    ER_COLLATION_CHARSET_MISMATCH = 1253, b"42000", "COLLATION '{}' is not valid for CHARACTER SET '{}'";
    ER_TOO_BIG_FOR_UNCOMPRESS = 1256, b"HY000",
        "Uncompressed data size too large; the maximum size is {} (probably, length of uncompressed data was corrupted)";
    ER_ZLIB_Z_BUF_ERROR = 1258, b"HY000", "ZLIB: Not enough room in the output buffer (probably, length of uncompressed data was corrupted)";
    ER_ZLIB_Z_DATA_ERROR = 1259, b"HY000", "ZLIB: Input data corrupted";
    ER_CUT_VALUE_GROUP_CONCAT = 1260, b"HY000", "Row {} was cut by GROUP_CONCAT()";
    ER_WARN_TOO_FEW_RECORDS = 1261, b"01000", "Row {} doesn't contain data for all columns";
    ER_WARN_TOO_MANY_RECORDS = 1262, b"01000", "Row {} was truncated; it contained more data than there were input columns";
    ER_WARN_NULL_TO_NOTNULL = 1263, b"22004", "Column set to default value; NULL supplied to NOT NULL column '{}' at row {}";
    ER_WARN_DATA_OUT_OF_RANGE = 1264, b"22003", "Out of range value for column '{}' at row {}";
    ER_WARN_DATA_TRUNCATED = 1265, b"01000", "Data truncated for column '{}' at row {}";
    ER_WARN_USING_OTHER_HANDLER = 1266, b"HY000", "Using storage engine {} for table '{}'";
    ER_CANT_AGGREGATE_2COLLATIONS = 1267, b"HY000", "Illegal mix of collations ({},{}) and ({},{}) for operation '{}'";
    ER_REVOKE_GRANTS = 1269, b"HY000", "Can't revoke all privileges for one or more of the requested users";
    ER_CANT_AGGREGATE_3COLLATIONS = 1270, b"HY000", "Illegal mix of collations ({},{}), ({},{}), ({},{}) for operation '{}'";
    ER_CANT_AGGREGATE_NCOLLATIONS = 1271, b"HY000", "Illegal mix of collations for operation '{}'";
    ER_UNKNOWN_COLLATION = 1273, b"HY000", "Unknown collation: '{}'";
    ER_SERVER_IS_IN_SECURE_AUTH_MODE = 1275, b"HY000",
        "Server is running in --secure-auth mode, but '{}'@'{}' has a password in the old format; please change the password to the new \
         format";
    ER_BAD_REPLICA_UNTIL_COND = 1277, b"HY000", "Incorrect parameter or combination of parameters for START REPLICA UNTIL";
    ER_WRONG_NAME_FOR_INDEX = 1280, b"42000", "Incorrect index name '{}'";
    ER_BAD_FT_COLUMN = 1283, b"HY000", "Column '{}' cannot be part of FULLTEXT index";
    ER_UNKNOWN_KEY_CACHE = 1284, b"HY000", "Unknown key cache '{}'";
    ER_UNKNOWN_STORAGE_ENGINE = 1286, b"42000", "Unknown storage engine '{}'";
    ER_WARN_DEPRECATED_SYNTAX = 1287, b"HY000", "'{}' is deprecated and will be removed in a future release. Please use {} instead";
    ER_NON_UPDATABLE_TABLE = 1288, b"HY000", "The target table {} of the {} is not updatable";
    ER_FEATURE_DISABLED = 1289, b"HY000", "The '{}' feature is disabled; you need MySQL built with '{}' to have it working";
    ER_OPTION_PREVENTS_STATEMENT = 1290, b"HY000", "The MySQL server is running with the {} option so it cannot execute this statement";
    ER_DUPLICATED_VALUE_IN_TYPE = 1291, b"HY000", "Column '{}' has duplicated value '{}' in {}";
    ER_TRUNCATED_WRONG_VALUE = 1292, b"22007", "Truncated incorrect {} value: '{}'";
    ER_INVALID_ON_UPDATE = 1294, b"HY000", "Invalid ON UPDATE clause for '{}' column";
    ER_UNSUPPORTED_PS = 1295, b"HY000", "This command is not supported in the prepared statement protocol yet";
    ER_UNKNOWN_TIME_ZONE = 1298, b"HY000", "Unknown or incorrect time zone: '{}'";
    ER_WARN_INVALID_TIMESTAMP = 1299, b"HY000", "Invalid TIMESTAMP value in column '{}' at row {}";
    ER_INVALID_CHARACTER_STRING = 1300, b"HY000", "Invalid {} character string: '{}'";
    ER_WARN_ALLOWED_PACKET_OVERFLOWED = 1301, b"HY000", "Result of {}() was larger than max_allowed_packet ({}) - truncated";
    ER_CONFLICTING_DECLARATIONS = 1302, b"HY000", "Conflicting declarations: '{}{}' and '{}{}'";
    ER_SP_NO_RECURSIVE_CREATE = 1303, b"2F003", "Can't create a {} from within another stored routine";
    ER_SP_ALREADY_EXISTS = 1304, b"42000", "{} {} already exists";
    ER_SP_DOES_NOT_EXIST = 1305, b"42000", "{} {} does not exist";
    ER_SP_LILABEL_MISMATCH = 1308, b"42000", "{} with no matching label: {}";
    ER_SP_LABEL_REDEFINE = 1309, b"42000", "Redefining label {}";
    ER_SP_LABEL_MISMATCH = 1310, b"42000", "End-label {} without match";
    ER_SP_BADSELECT = 1312, b"0A000", "PROCEDURE {} can't return a result set in the given context";
    ER_SP_BADRETURN = 1313, b"42000", "RETURN is only allowed in a FUNCTION";
    ER_SP_BADSTATEMENT = 1314, b"0A000", "{} is not allowed in stored procedures";
    ER_QUERY_INTERRUPTED = 1317, b"70100", "Query execution was interrupted";
    ER_SP_WRONG_NO_OF_ARGS = 1318, b"42000", "Incorrect number of arguments for {} {}; expected {}, got {}";
    ER_SP_COND_MISMATCH = 1319, b"42000", "Undefined CONDITION: {}";
    ER_SP_NORETURN = 1320, b"42000", "No RETURN found in FUNCTION {}";
    ER_SP_NORETURNEND = 1321, b"2F005", "FUNCTION {} ended without RETURN";
    ER_SP_BAD_CURSOR_SELECT = 1323, b"42000", "Cursor SELECT must not have INTO";
    ER_SP_CURSOR_MISMATCH = 1324, b"42000", "Undefined CURSOR: {}";
    ER_SP_CURSOR_ALREADY_OPEN = 1325, b"24000", "Cursor is already open";
    ER_SP_CURSOR_NOT_OPEN = 1326, b"24000", "Cursor is not open";
    ER_SP_UNDECLARED_VAR = 1327, b"42000", "Undeclared variable: {}";
    ER_SP_WRONG_NO_OF_FETCH_ARGS = 1328, b"HY000", "Incorrect number of FETCH variables";
    ER_SP_FETCH_NO_DATA = 1329, b"02000", "No data - zero rows fetched, selected, or processed";
    ER_SP_DUP_PARAM = 1330, b"42000", "Duplicate parameter: {}";
    ER_SP_DUP_VAR = 1331, b"42000", "Duplicate variable: {}";
    ER_SP_DUP_COND = 1332, b"42000", "Duplicate condition: {}";
    ER_SP_DUP_CURS = 1333, b"42000", "Duplicate cursor: {}";
    ER_STMT_NOT_ALLOWED_IN_SF_OR_TRG = 1336, b"0A000", "{} is not allowed in stored function or trigger";
    ER_SP_VARCOND_AFTER_CURSHNDLR = 1337, b"42000", "Variable or condition declaration after cursor or handler declaration";
    ER_SP_CURSOR_AFTER_HANDLER = 1338, b"42000", "Cursor declaration after handler declaration";
    ER_SP_CASE_NOT_FOUND = 1339, b"20000", "Case not found for CASE statement";
    ER_VIEW_NO_EXPLAIN = 1345, b"HY000", "EXPLAIN/SHOW can not be issued; lacking privileges for underlying table";
    ER_WRONG_OBJECT = 1347, b"HY000", "'{}.{}' is not {}";
    ER_NONUPDATEABLE_COLUMN = 1348, b"HY000", "Column '{}' is not updatable";
    ER_VIEW_SELECT_CLAUSE = 1350, b"HY000", "View's SELECT contains a '{}' clause";
    ER_VIEW_SELECT_VARIABLE = 1351, b"HY000", "View's SELECT contains a variable or parameter";
    ER_VIEW_SELECT_TMPTABLE = 1352, b"HY000", "View's SELECT refers to a temporary table '{}'";
    ER_VIEW_WRONG_LIST = 1353, b"HY000",
        "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts";
    ER_WARN_VIEW_MERGE = 1354, b"HY000", "View merge algorithm can't be used here for now (assumed undefined algorithm)";
    ER_VIEW_INVALID = 1356, b"HY000",
        "View '{}.{}' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use them";
    ER_SP_NO_DROP_SP = 1357, b"HY000", "Can't drop or alter a {} from within another stored routine";
    ER_TRG_ALREADY_EXISTS = 1359, b"HY000", "Trigger already exists";
    ER_TRG_DOES_NOT_EXIST = 1360, b"HY000", "Trigger does not exist";
    ER_TRG_ON_VIEW_OR_TEMP_TABLE = 1361, b"HY000", "Trigger's '{}' is view or temporary table";
    ER_TRG_CANT_CHANGE_ROW = 1362, b"HY000", "Updating of {} row is not allowed in {}trigger";
    ER_TRG_NO_SUCH_ROW_IN_TRG = 1363, b"HY000", "There is no {} row in {} trigger";
    ER_NO_DEFAULT_FOR_FIELD = 1364, b"HY000", "Field '{}' doesn't have a default value";
    ER_DIVISION_BY_ZERO = 1365, b"22012", "Division by 0";
    ER_TRUNCATED_WRONG_VALUE_FOR_FIELD = 1366, b"HY000", "Incorrect {} value: '{}' for column '{}' at row {}";
    ER_ILLEGAL_VALUE_FOR_TYPE = 1367, b"22007", "Illegal {} '{}' value found during parsing";
    ER_VIEW_NONUPD_CHECK = 1368, b"HY000", "CHECK OPTION on non-updatable view '{}.{}'";
    ER_VIEW_CHECK_FAILED = 1369, b"HY000", "CHECK OPTION failed '{}.{}'";
    ER_PROCACCESS_DENIED_ERROR = 1370, b"42000", "{} command denied to user '{}'@'{}' for routine '{}'";
    ER_PASSWD_LENGTH = 1372, b"HY000", "Password hash should be a {}-digit hexadecimal number";
    ER_UNKNOWN_TARGET_BINLOG = 1373, b"HY000", "Target log not found in binlog index";
    ER_NO_BINARY_LOGGING = 1381, b"HY000", "You are not using binary logging";
    ER_PS_MANY_PARAM = 1390, b"HY000", "Prepared statement contains too many placeholders";
    ER_KEY_PART_0 = 1391, b"HY000", "Key part '{}' length cannot be 0";
    ER_VIEW_MULTIUPDATE = 1393, b"HY000", "Can not modify more than one base table through a join view '{}.{}'";
    ER_VIEW_NO_INSERT_FIELD_LIST = 1394, b"HY000", "Can not insert into join view '{}.{}' without fields list";
    ER_VIEW_DELETE_MERGE_VIEW = 1395, b"HY000", "Can not delete from join view '{}.{}'";
    ER_CANNOT_USER = 1396, b"HY000", "Operation {} failed for {}";
    ER_XAER_NOTA = 1397, b"XAE04", "XAER_NOTA: Unknown XID";
    ER_XAER_INVAL = 1398, b"XAE05", "XAER_INVAL: Invalid arguments (or unsupported command)";
    ER_XAER_RMFAIL = 1399, b"XAE07", "XAER_RMFAIL: The command cannot be executed when global transaction is in the  {} state";
    ER_XAER_OUTSIDE = 1400, b"XAE09", "XAER_OUTSIDE: Some work is done outside global transaction";
    ER_XAER_RMERR = 1401, b"XAE03", "XAER_RMERR: Fatal error occurred in the transaction branch - check your data for consistency";
    ER_XA_RBROLLBACK = 1402, b"XA100", "XA_RBROLLBACK: Transaction branch was rolled back";
    ER_NONEXISTING_PROC_GRANT = 1403, b"42000", "There is no such grant defined for user '{}' on host '{}' on routine '{}'";
    ER_PROC_AUTO_GRANT_FAIL = 1404, b"HY000", "Failed to grant EXECUTE and ALTER ROUTINE privileges";
    ER_PROC_AUTO_REVOKE_FAIL = 1405, b"HY000", "Failed to revoke all privileges to dropped routine";
    ER_DATA_TOO_LONG = 1406, b"22001", "Data too long for column '{}' at row {}";
    ER_SP_BAD_SQLSTATE = 1407, b"42000", "Bad SQLSTATE: '{}'";
    ER_LOAD_FROM_FIXED_SIZE_ROWS_TO_VAR = 1409, b"HY000", "Can't load value from file with fixed size rows to variable";
    ER_CANT_CREATE_USER_WITH_GRANT = 1410, b"42000", "You are not allowed to create a user with GRANT";
    ER_WRONG_VALUE_FOR_TYPE = 1411, b"HY000", "Incorrect {} value: '{}' for function {}";
    ER_TABLE_DEF_CHANGED = 1412, b"HY000", "Table definition has changed, please retry transaction";
    ER_SP_DUP_HANDLER = 1413, b"42000", "Duplicate handler declared in the same block";
    ER_SP_NOT_VAR_ARG = 1414, b"42000", "OUT or INOUT argument {} for routine {} is not a variable or NEW pseudo-variable in BEFORE trigger";
    ER_SP_NO_RETSET = 1415, b"0A000", "Not allowed to return a result set from a {}";
    ER_CANT_CREATE_GEOMETRY_OBJECT = 1416, b"22003", "Cannot get geometry object from data you send to the GEOMETRY field";
    ER_STMT_HAS_NO_OPEN_CURSOR = 1421, b"HY000", "The statement ({}) has no open cursor.";
    ER_COMMIT_NOT_ALLOWED_IN_SF_OR_TRG = 1422, b"HY000", "Explicit or implicit commit is not allowed in stored function or trigger.";
    ER_NO_DEFAULT_FOR_VIEW_FIELD = 1423, b"HY000", "Field of view '{}.{}' underlying table doesn't have a default value";
    ER_SP_NO_RECURSION = 1424, b"HY000", "Recursive stored functions and triggers are not allowed.";
    ER_TOO_BIG_SCALE = 1425, b"42000", "Too big scale {} specified for column '{}'. Maximum is {}.";
    ER_TOO_BIG_PRECISION = 1426, b"42000", "Too-big precision {} specified for '{}'. Maximum is {}.";
    ER_M_BIGGER_THAN_D = 1427, b"42000", "For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '{}').";
    ER_WRONG_LOCK_OF_SYSTEM_TABLE = 1428, b"HY000", "You can't combine write-locking of system tables with other tables or lock types";
    ER_TRG_IN_WRONG_SCHEMA = 1435, b"HY000", "Trigger in wrong schema";
    ER_STACK_OVERRUN_NEED_MORE = 1436, b"HY000",
        "Thread stack overrun:  {} bytes used of a {} byte stack, and {} bytes needed.  Use 'mysqld --thread_stack=#' to specify a bigger \
         stack.";
    ER_TOO_BIG_DISPLAYWIDTH = 1439, b"42000", "Display width out of range for column '{}' (max = {})";
    ER_XAER_DUPID = 1440, b"XAE08", "XAER_DUPID: The XID already exists";
    ER_DATETIME_FUNCTION_OVERFLOW = 1441, b"22008", "Datetime function: {} field overflow";
    ER_CANT_UPDATE_USED_TABLE_IN_SF_OR_TRG = 1442, b"HY000",
        "Can't update table '{}' in stored function/trigger because it is already used by statement which invoked this stored \
         function/trigger.";
    ER_VIEW_PREVENT_UPDATE = 1443, b"HY000", "The definition of table '{}' prevents operation {} on table '{}'.";
    ER_PS_NO_RECURSION = 1444, b"HY000",
        "The prepared statement contains a stored routine call that refers to that same statement. It's not allowed to execute a prepared \
         statement in such a recursive manner";
    ER_SP_CANT_SET_AUTOCOMMIT = 1445, b"HY000", "Not allowed to set autocommit from a stored function or trigger";
    ER_NO_SUCH_USER = 1449, b"HY000", "The user specified as a definer ('{}'@'{}') does not exist";
    ER_FORBID_SCHEMA_CHANGE = 1450, b"HY000", "Changing schema from '{}' to '{}' is not allowed.";
    ER_ROW_IS_REFERENCED_2 = 1451, b"23000", "Cannot delete or update a parent row: a foreign key constraint fails{}";
    ER_NO_REFERENCED_ROW_2 = 1452, b"23000", "Cannot add or update a child row: a foreign key constraint fails{}";
    ER_SP_BAD_VAR_SHADOW = 1453, b"42000", "Variable '{}' must be quoted with `...`, or renamed";
    ER_SP_RECURSION_LIMIT = 1456, b"HY000", "Recursive limit {} (as set by the max_sp_recursion_depth variable) was exceeded for routine {}";
    ER_SP_WRONG_NAME = 1458, b"42000", "Incorrect routine name '{}'";
    ER_MAX_PREPARED_STMT_COUNT_REACHED = 1461, b"42000", "Can't create more than max_prepared_stmt_count statements (current value: {})";
    ER_VIEW_RECURSIVE = 1462, b"HY000", "`{}`.`{}` contains view recursion";
    ER_NON_GROUPING_FIELD_USED = 1463, b"42000", "Non-grouping field '{}' is used in {} clause";
    ER_NO_TRIGGERS_ON_SYSTEM_SCHEMA = 1465, b"HY000", "Triggers can not be created on system tables";
    ER_REMOVED_SPACES = 1466, b"HY000", "Leading spaces are removed from name '{}'";
    ER_AUTOINC_READ_FAILED = 1467, b"HY000", "Failed to read auto-increment value from storage engine";
    ER_WRONG_STRING_LENGTH = 1470, b"HY000", "String '{}' is too long for {} (should be no longer than {})";
    ER_NON_INSERTABLE_TABLE = 1471, b"HY000", "The target table {} of the {} is not insertable-into";
    ER_TOO_HIGH_LEVEL_OF_NESTING_FOR_SELECT = 1473, b"HY000", "Too high level of nesting for select";
    ER_NAME_BECOMES_EMPTY = 1474, b"HY000", "Name '{}' has become ''";
    ER_AMBIGUOUS_FIELD_TERM = 1475, b"HY000",
        "First character of the FIELDS TERMINATED string is ambiguous; please use non-optional and non-empty FIELDS ENCLOSED BY";
    ER_ILLEGAL_HA_CREATE_OPTION = 1478, b"HY000", "Table storage engine '{}' does not support the create option '{}'";
    ER_PARTITION_REQUIRES_VALUES_ERROR = 1479, b"HY000", "Syntax error: {} PARTITIONING requires definition of VALUES {} for each partition";
    ER_PARTITION_WRONG_VALUES_ERROR = 1480, b"HY000", "Only {} PARTITIONING can use VALUES {} in partition definition";
    ER_PARTITION_MAXVALUE_ERROR = 1481, b"HY000", "MAXVALUE can only be used in last partition definition";
    ER_PARTITION_WRONG_NO_PART_ERROR = 1484, b"HY000", "Wrong number of partitions defined, mismatch with previous setting";
    ER_PARTITION_WRONG_NO_SUBPART_ERROR = 1485, b"HY000", "Wrong number of subpartitions defined, mismatch with previous setting";
    ER_WRONG_EXPR_IN_PARTITION_FUNC_ERROR = 1486, b"HY000",
        "Constant, random or timezone-dependent expressions in (sub)partitioning function are not allowed";
    ER_FIELD_NOT_FOUND_PART_ERROR = 1488, b"HY000", "Field in list of fields for partition function not found in table";
    ER_PARTITION_FUNC_NOT_ALLOWED_ERROR = 1491, b"HY000", "The {} function returns the wrong type";
    ER_PARTITIONS_MUST_BE_DEFINED_ERROR = 1492, b"HY000", "For {} partitions each partition must be defined";
    ER_RANGE_NOT_INCREASING_ERROR = 1493, b"HY000", "VALUES LESS THAN value must be strictly increasing for each partition";
    ER_MULTIPLE_DEF_CONST_IN_LIST_PART_ERROR = 1495, b"HY000", "Multiple definition of same constant in list partitioning";
    ER_TOO_MANY_PARTITIONS_ERROR = 1499, b"HY000", "Too many partitions (including subpartitions) were defined";
    ER_SUBPARTITION_ERROR = 1500, b"HY000", "It is only possible to mix RANGE/LIST partitioning with HASH/KEY partitioning for subpartitioning";
    ER_BLOB_FIELD_IN_PART_FUNC_ERROR = 1502, b"HY000", "A BLOB field is not allowed in partition function";
    ER_UNIQUE_KEY_NEED_ALL_FIELDS_IN_PF = 1503, b"HY000",
        "A {} must include all columns in the table's partitioning function (prefixed columns are not considered).";
    ER_NO_PARTS_ERROR = 1504, b"HY000", "Number of {} = 0 is not an allowed value";
    ER_PARTITION_MGMT_ON_NONPARTITIONED = 1505, b"HY000", "Partition management on a not partitioned table is not possible";
    ER_FOREIGN_KEY_ON_PARTITIONED = 1506, b"HY000", "Foreign keys are not yet supported in conjunction with partitioning";
    ER_DROP_PARTITION_NON_EXISTENT = 1507, b"HY000", "Error in list of partitions to {}";
    ER_DROP_LAST_PARTITION = 1508, b"HY000", "Cannot remove all partitions, use DROP TABLE instead";
    ER_COALESCE_ONLY_ON_HASH_PARTITION = 1509, b"HY000", "COALESCE PARTITION can only be used on HASH/KEY partitions";
    ER_REORG_HASH_ONLY_ON_SAME_NO = 1510, b"HY000", "REORGANIZE PARTITION can only be used to reorganize partitions not to change their numbers";
    ER_REORG_NO_PARAM_ERROR = 1511, b"HY000",
        "REORGANIZE PARTITION without parameters can only be used on auto-partitioned tables using HASH PARTITIONs";
    ER_ONLY_ON_RANGE_LIST_PARTITION = 1512, b"HY000", "{} PARTITION can only be used on RANGE/LIST partitions";
    ER_ADD_PARTITION_SUBPART_ERROR = 1513, b"HY000", "Trying to Add partition(s) with wrong number of subpartitions";
    ER_ADD_PARTITION_NO_NEW_PARTITION = 1514, b"HY000", "At least one partition must be added";
    ER_COALESCE_PARTITION_NO_PARTITION = 1515, b"HY000", "At least one partition must be coalesced";
    ER_REORG_PARTITION_NOT_EXIST = 1516, b"HY000", "More partitions to reorganize than there are partitions";
    ER_SAME_NAME_PARTITION = 1517, b"HY000", "Duplicate partition name {}";
    ER_CONSECUTIVE_REORG_PARTITIONS = 1519, b"HY000", "When reorganizing a set of partitions they must be in consecutive order";
    ER_REORG_OUTSIDE_RANGE = 1520, b"HY000",
        "Reorganize of range partitions cannot change total ranges except for last partition where it can extend the range";
    ER_PLUGIN_IS_NOT_LOADED = 1524, b"HY000", "Plugin '{}' is not loaded";
    ER_WRONG_VALUE = 1525, b"HY000", "Incorrect {} value: '{}'";
    ER_NO_PARTITION_FOR_GIVEN_VALUE = 1526, b"HY000", "Table has no partition for value {}";
    ER_EVENT_ALREADY_EXISTS = 1537, b"HY000", "Event '{}' already exists";
    ER_EVENT_DOES_NOT_EXIST = 1539, b"HY000", "Unknown event '{}'";
    ER_EVENT_INTERVAL_NOT_POSITIVE_OR_TOO_BIG = 1542, b"HY000", "INTERVAL is either not positive or too big";
    ER_EVENT_ENDS_BEFORE_STARTS = 1543, b"HY000", "ENDS is either invalid or before STARTS";
    ER_EVENT_EXEC_TIME_IN_THE_PAST = 1544, b"HY000", "Event execution time is in the past. Event has been disabled";
    ER_EVENT_SAME_NAME = 1551, b"HY000", "Same old and new event name";
    ER_DROP_INDEX_FK = 1553, b"HY000", "Cannot drop index '{}': needed in a foreign key constraint";
    ER_PARTITION_NO_TEMPORARY = 1562, b"HY000", "Cannot create temporary table with partitions";
    ER_PARTITION_CONST_DOMAIN_ERROR = 1563, b"HY000", "Partition constant is out of partition function domain";
    ER_PARTITION_FUNCTION_IS_NOT_ALLOWED = 1564, b"HY000", "This partition function is not allowed";
    ER_NULL_IN_VALUES_LESS_THAN = 1566, b"HY000", "Not allowed to use NULL value in VALUES LESS THAN";
    ER_WRONG_PARTITION_NAME = 1567, b"HY000", "Incorrect partition name";
    ER_CANT_CHANGE_TX_CHARACTERISTICS = 1568, b"25001", "Transaction characteristics can't be changed while a transaction is in progress";
    ER_DUP_ENTRY_AUTOINCREMENT_CASE = 1569, b"HY000",
        "ALTER TABLE causes auto_increment resequencing, resulting in duplicate entry '{}' for key '{}'";
    ER_BASE64_DECODE_ERROR = 1575, b"HY000", "Decoding of base64 string failed";
    ER_EVENT_RECURSION_FORBIDDEN = 1576, b"HY000", "Recursion of EVENT DDL statements is forbidden when body is present";
    ER_WRONG_PARAMCOUNT_TO_NATIVE_FCT = 1582, b"42000", "Incorrect parameter count in the call to native function '{}'";
    ER_WRONG_PARAMETERS_TO_NATIVE_FCT = 1583, b"42000", "Incorrect parameters in the call to native function '{}'";
    ER_NATIVE_FCT_NAME_COLLISION = 1585, b"HY000", "This function '{}' has the same name as a native function";
    ER_DUP_ENTRY_WITH_KEY_NAME = 1586, b"23000", "Duplicate entry '{}' for key '{}'";
    ER_EVENT_CANNOT_CREATE_IN_THE_PAST = 1588, b"HY000",
        "Event execution time is in the past and ON COMPLETION NOT PRESERVE is set. The event was dropped immediately after creation.";
    ER_EVENT_CANNOT_ALTER_IN_THE_PAST = 1589, b"HY000",
        "Event execution time is in the past and ON COMPLETION NOT PRESERVE is set. The event was not changed. Specify a time in the \
         future.";
    ER_REPLICA_INCIDENT = 1590, b"HY000", "The incident {} occurred on the source. Message: {}";
    ER_REPLICA_RELAY_LOG_READ_FAILURE = 1594, b"HY000", "Relay log read failure: {}";
    ER_NO_FORMAT_DESCRIPTION_EVENT_BEFORE_BINLOG_STATEMENT = 1609, b"HY000",
        "The BINLOG statement of type `{}` was not preceded by a format description BINLOG statement.";
    ER_XA_RBTIMEOUT = 1613, b"XA106", "XA_RBTIMEOUT: Transaction branch was rolled back: took too long";
    ER_XA_RBDEADLOCK = 1614, b"XA102", "XA_RBDEADLOCK: Transaction branch was rolled back: deadlock was detected";
    ER_NEED_REPREPARE = 1615, b"HY000", "Prepared statement needs to be re-prepared";
    WARN_OPTION_IGNORED = 1618, b"HY000", "<{}> option ignored";
    ER_PLUGIN_DELETE_BUILTIN = 1619, b"HY000", "Built-in plugins cannot be deleted";
    ER_VARIABLE_IS_READONLY = 1621, b"HY000", "{} variable '{}' is read-only. Use SET {} to assign the value";
    ER_TOO_LONG_TABLE_COMMENT = 1628, b"HY000", "Comment for table '{}' is too long (max = {})";
    ER_TOO_LONG_FIELD_COMMENT = 1629, b"HY000", "The maximum supported character limit for the field, '{}', has been exceeded (max = {})";
    ER_FUNC_INEXISTENT_NAME_COLLISION = 1630, b"42000", "FUNCTION {} does not exist. Check the 'Function Name Parsing and Resolution' section in the Reference Manual";
    ER_TOO_MANY_CONCURRENT_TRXS = 1637, b"HY000", "Too many active concurrent transactions";
    WARN_NON_ASCII_SEPARATOR_NOT_IMPLEMENTED = 1638, b"HY000", "Non-ASCII separator arguments are not fully supported";
    ER_DUP_SIGNAL_SET = 1641, b"42000", "Duplicate condition information item '{}'";
    ER_SIGNAL_WARN = 1642, b"01000", "Unhandled user-defined warning condition";
    ER_SIGNAL_NOT_FOUND = 1643, b"02000", "Unhandled user-defined not found condition";
    ER_SIGNAL_EXCEPTION = 1644, b"HY000", "Unhandled user-defined exception condition";
    ER_RESIGNAL_WITHOUT_ACTIVE_HANDLER = 1645, b"0K000", "RESIGNAL when handler not active";
    ER_SIGNAL_BAD_CONDITION_TYPE = 1646, b"HY000", "SIGNAL/RESIGNAL can only use a CONDITION defined with SQLSTATE";
    ER_COND_ITEM_TOO_LONG = 1648, b"HY000", "Data too long for condition item '{}'";
    ER_UNKNOWN_LOCALE = 1649, b"HY000", "Unknown locale: '{}'";
    ER_SAME_NAME_PARTITION_FIELD = 1652, b"HY000", "Duplicate partition field name '{}'";
    ER_PARTITION_COLUMN_LIST_ERROR = 1653, b"HY000", "Inconsistency in usage of column lists for partitioning";
    ER_WRONG_TYPE_COLUMN_VALUE_ERROR = 1654, b"HY000", "Partition column values of incorrect type";
    ER_TOO_MANY_PARTITION_FUNC_FIELDS_ERROR = 1655, b"HY000", "Too many fields in '{}'";
    ER_MAXVALUE_IN_VALUES_IN = 1656, b"HY000", "Cannot use MAXVALUE as value in VALUES IN";
    ER_FIELD_TYPE_NOT_ALLOWED_AS_PARTITION_FIELD = 1659, b"HY000", "Field '{}' is of a not allowed type for this type of partitioning";
    ER_INSIDE_TRANSACTION_PREVENTS_SWITCH_BINLOG_FORMAT = 1679, b"HY000", "Cannot modify @@session.binlog_format inside a transaction";
    ER_WARN_DEPRECATED_SYNTAX_NO_REPLACEMENT = 1681, b"HY000", "'{}' is deprecated and will be removed in a future release.";
    ER_SPATIAL_MUST_HAVE_GEOM_COL = 1687, b"42000", "A SPATIAL index may only contain a geometrical type column";
    ER_TOO_LONG_INDEX_COMMENT = 1688, b"HY000", "Comment for index '{}' is too long (max = {})";
    ER_DATA_OUT_OF_RANGE = 1690, b"22003", "{} value is out of range in '{}'";
    ER_INSIDE_TRANSACTION_PREVENTS_SWITCH_SQL_LOG_BIN = 1694, b"HY000", "Cannot modify @@session.sql_log_bin inside a transaction";
    ER_STORED_FUNCTION_PREVENTS_SWITCH_SQL_LOG_BIN = 1695, b"HY000", "Cannot change the sql_log_bin inside a stored function or trigger";
    ER_VALUES_IS_NOT_INT_TYPE_ERROR = 1697, b"HY000", "VALUES value for partition '{}' must have type INT";
    ER_ACCESS_DENIED_NO_PASSWORD_ERROR = 1698, b"28000", "Access denied for user '{}'@'{}'";
    ER_TRUNCATE_ILLEGAL_FK = 1701, b"42000", "Cannot truncate a table referenced in a foreign key constraint ({})";
    ER_REPLICA_HEARTBEAT_VALUE_OUT_OF_RANGE_MIN = 1703, b"HY000",
        "The requested value for the heartbeat period is less than 1 millisecond. The value is reset to 0, meaning that heartbeating will \
         effectively be disabled.";
    ER_MULTI_UPDATE_KEY_CONFLICT = 1706, b"HY000",
        "Primary key/partition key update is not allowed since the table is updated both as '{}' and '{}'.";
    ER_INDEX_COLUMN_TOO_LONG = 1709, b"HY000", "Index column size too large. The maximum column size is {} bytes.";
    ER_INDEX_CORRUPT = 1712, b"HY000", "Index {} is corrupted";
    ER_SOURCE_DELAY_VALUE_OUT_OF_RANGE = 1729, b"HY000", "The requested value {} for the source delay exceeds the maximum {}";
    ER_ONLY_FD_AND_RBR_EVENTS_ALLOWED_IN_BINLOG_STATEMENT = 1730, b"HY000",
        "Only Format_description_log_event and row events are allowed in BINLOG statements (but {} was provided)";
    ER_PARTITION_EXCHANGE_DIFFERENT_OPTION = 1731, b"HY000", "Non matching attribute '{}' between partition and table";
    ER_PARTITION_EXCHANGE_PART_TABLE = 1732, b"HY000", "Table to exchange with partition is partitioned: '{}'";
    ER_PARTITION_EXCHANGE_TEMP_TABLE = 1733, b"HY000", "Table to exchange with partition is temporary: '{}'";
    ER_PARTITION_INSTEAD_OF_SUBPARTITION = 1734, b"HY000", "Subpartitioned table, use subpartition instead of partition";
    ER_UNKNOWN_PARTITION = 1735, b"HY000", "Unknown partition '{}' in table '{}'";
    ER_TABLES_DIFFERENT_METADATA = 1736, b"HY000", "Tables have different definitions";
    ER_ROW_DOES_NOT_MATCH_PARTITION = 1737, b"HY000", "Found a row that does not match the partition";
    ER_PARTITION_EXCHANGE_FOREIGN_KEY = 1740, b"HY000", "Table to exchange with partition has foreign key references: '{}'";
    ER_PARTITION_CLAUSE_ON_NONPARTITIONED = 1747, b"HY000", "PARTITION () clause on non partitioned table";
    ER_ROW_DOES_NOT_MATCH_GIVEN_PARTITION_SET = 1748, b"HY000", "Found a row not matching the given partition set";
    ER_DA_INVALID_CONDITION_NUMBER = 1758, b"35000", "Invalid condition number";
    ER_INSECURE_CHANGE_SOURCE = 1760, b"HY000",
        "Storing MySQL user name or password information in the connection metadata repository is not secure and is therefore not \
         recommended. Please consider using the USER and PASSWORD connection options for START REPLICA; see the 'START REPLICA Syntax' in \
         the MySQL Manual for more information.";
    ER_FOREIGN_DUPLICATE_KEY_WITH_CHILD_INFO = 1761, b"23000",
        "Foreign key constraint for table '{}', record '{}' would lead to a duplicate entry in table '{}', key '{}'";
    ER_VARIABLE_NOT_SETTABLE_IN_SF_OR_TRIGGER = 1765, b"HY000", "The system variable {} cannot be set in stored functions or triggers.";
    ER_VARIABLE_NOT_SETTABLE_IN_TRANSACTION = 1766, b"HY000", "The system variable {} cannot be set when there is an ongoing transaction.";
    ER_MALFORMED_GTID_SET_SPECIFICATION = 1772, b"HY000", "Malformed GTID set specification '{}'.";
    ER_MALFORMED_GTID_SPECIFICATION = 1774, b"HY000", "Malformed GTID specification '{}'.";
    ER_BAD_REPLICA_AUTO_POSITION = 1776, b"HY000",
        "Parameters SOURCE_LOG_FILE, SOURCE_LOG_POS, RELAY_LOG_FILE and RELAY_LOG_POS cannot be set when SOURCE_AUTO_POSITION is active.";
    ER_AUTO_POSITION_REQUIRES_GTID_MODE_NOT_OFF = 1777, b"HY000",
        "CHANGE REPLICATION SOURCE TO SOURCE_AUTO_POSITION = 1 cannot be executed because @@GLOBAL.GTID_MODE = OFF.";
    ER_CANT_DO_IMPLICIT_COMMIT_IN_TRX_WHEN_GTID_NEXT_IS_SET = 1778, b"HY000",
        "Cannot execute statements with implicit commit inside a transaction when @@SESSION.GTID_NEXT == 'UUID:NUMBER'.";
    ER_CANT_SET_GTID_NEXT_TO_GTID_WHEN_GTID_MODE_IS_OFF = 1781, b"HY000",
        "@@SESSION.GTID_NEXT cannot be set to UUID:NUMBER when @@GLOBAL.GTID_MODE = OFF.";
    ER_CANT_SET_GTID_NEXT_TO_ANONYMOUS_WHEN_GTID_MODE_IS_ON = 1782, b"HY000",
        "@@SESSION.GTID_NEXT cannot be set to ANONYMOUS when @@GLOBAL.GTID_MODE = ON.";
    ER_UNKNOWN_EXPLAIN_FORMAT = 1791, b"HY000", "Unknown EXPLAIN format name: '{}'";
    ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION = 1792, b"25006", "Cannot execute statement in a READ ONLY transaction.";
    ER_REPLICA_CONFIGURATION = 1794, b"HY000",
        "Replica is not configured or failed to initialize properly. You must at least set --server-id to enable either a source or a \
         replica. Additional error messages can be found in the MySQL error log.";
    ER_INNODB_NO_FT_TEMP_TABLE = 1796, b"HY000", "Cannot create FULLTEXT index on temporary InnoDB table";
    ER_INNODB_ONLINE_LOG_TOO_BIG = 1799, b"HY000",
        "Creating index '{}' required more than 'innodb_online_alter_log_max_size' bytes of modification log. Please try again.";
    ER_UNKNOWN_ALTER_ALGORITHM = 1800, b"HY000", "Unknown ALGORITHM '{}'";
    ER_UNKNOWN_ALTER_LOCK = 1801, b"HY000", "Unknown LOCK type '{}'";
    ER_TABLESPACE_MISSING = 1812, b"HY000", "Tablespace is missing for table {}.";
    ER_TABLESPACE_EXISTS = 1813, b"HY000", "Tablespace '{}' exists.";
    ER_INVALID_YEAR_COLUMN_LENGTH = 1818, b"HY000", "Supports only YEAR or YEAR(4) column.";
    ER_MUST_CHANGE_PASSWORD = 1820, b"HY000", "You must reset your password using ALTER USER statement before executing this statement.";
    ER_FK_NO_INDEX_PARENT = 1822, b"HY000",
        "Failed to add the foreign key constraint. Missing index for constraint '{}' in the referenced table '{}'";
    ER_FK_CANNOT_OPEN_PARENT = 1824, b"HY000", "Failed to open the referenced table '{}'";
    ER_FK_DUP_NAME = 1826, b"HY000", "Duplicate foreign key constraint name '{}'";
    ER_PASSWORD_FORMAT = 1827, b"HY000", "The password hash doesn't have the expected format.";
    ER_FK_COLUMN_CANNOT_DROP = 1828, b"HY000", "Cannot drop column '{}': needed in a foreign key constraint '{}'";
    ER_FK_COLUMN_CANNOT_DROP_CHILD = 1829, b"HY000", "Cannot drop column '{}': needed in a foreign key constraint '{}' of table '{}'";
    ER_FK_COLUMN_NOT_NULL = 1830, b"HY000", "Column '{}' cannot be NOT NULL: needed in a foreign key constraint '{}' SET NULL";
    ER_DUP_INDEX = 1831, b"HY000",
        "Duplicate index '{}' defined on the table '{}.{}'. This is deprecated and will be disallowed in a future release.";
    ER_FK_COLUMN_CANNOT_CHANGE = 1832, b"HY000", "Cannot change column '{}': used in a foreign key constraint '{}'";
    ER_FK_COLUMN_CANNOT_CHANGE_CHILD = 1833, b"HY000", "Cannot change column '{}': used in a foreign key constraint '{}' of table '{}'";
    ER_MALFORMED_PACKET = 1835, b"HY000", "Malformed communication packet.";
    ER_READ_ONLY_MODE = 1836, b"HY000", "Running in read-only mode";
    ER_GTID_NEXT_TYPE_UNDEFINED_GROUP = 1837, b"HY000",
        "When @@SESSION.GTID_NEXT is set to a GTID, you must explicitly set it to a different value after a COMMIT or ROLLBACK. Please check GTID_NEXT variable manual page for detailed explanation. Current @@SESSION.GTID_NEXT is '{}'.";
    ER_ALTER_OPERATION_NOT_SUPPORTED = 1845, b"0A000", "{} is not supported for this operation. Try {}.";
    ER_ALTER_OPERATION_NOT_SUPPORTED_REASON = 1846, b"0A000", "{} is not supported. Reason: {}. Try {}.";
    ER_MUST_CHANGE_PASSWORD_LOGIN = 1862, b"HY000",
        "Your password has expired. To log in you must change it using a client that supports expired passwords.";
    ER_WARN_PURGE_LOG_IN_USE = 1867, b"HY000", "file {} was not purged because it was being read by {} thread(s), purged only {} out of {} files.";
    ER_INNODB_READ_ONLY = 1874, b"HY000", "InnoDB is in read only mode.";
    ER_TABLE_CORRUPT = 1877, b"HY000", "Operation cannot be performed. The table '{}.{}' is missing, corrupt or contains bad data.";
    ER_INNODB_FORCED_RECOVERY = 1881, b"HY000", "Operation not allowed when innodb_force_recovery > 0.";
    ER_AES_INVALID_IV = 1882, b"HY000", "The initialization vector supplied to {} is too short. Must be at least {} bytes long";
}

/// All of them, in the order of their numbers.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    SERVER.iter().chain(EXTENDED)
}

/// The row of a number.
pub fn row(errno: u16) -> Option<&'static Row> {
    [SERVER, EXTENDED].into_iter().find_map(|table| {
        let at = table.binary_search_by_key(&errno, |row| row.number).ok()?;
        table.get(at)
    })
}

/// The SQLSTATE that MySQL sends with `errno`.
pub fn sqlstate(errno: u16) -> [u8; 5] {
    row(errno).map_or(*b"HY000", |row| *row.sqlstate)
}

/// The text of an error with its arguments in their places. There are as many as the text has places for: a test of the house counts
/// them wherever an error is raised.
pub fn message(errno: u16, args: &[&dyn Display]) -> String {
    let text = row(errno).map_or("", |row| row.text);
    let mut out = String::with_capacity(text.len() + 16 * args.len());
    let mut args = args.iter();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        // `{{` and `}}` are braces of the text itself.
        match from.get(..2) {
            Some("{}") => out.extend(args.next().map(|a| a.to_string())),
            _ => out.push_str(&from[..1]),
        }
        rest = from.get(2..).unwrap_or("");
    }
    debug_assert!(args.next().is_none(), "error {errno} has fewer arguments: {text}");
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order_and_complete() {
        let all: Vec<_> = rows().collect();
        assert!(all.windows(2).all(|w| w[0].number < w[1].number));
        for row in all {
            assert!(row.sqlstate.iter().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase()));
            // No place of MySQL's own texts, as %s or %-.64s, is left; a share in hundredths is a text.
            let mut places = row.text.split('%').skip(1);
            let is_place =
                |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
            assert!(!row.text.is_empty() && !places.any(is_place), "{row:?}");
            let braces = row.text.replace("{{", "").replace("}}", "");
            assert_eq!(braces.matches('{').count(), braces.matches("{}").count(), "{row:?}");
        }
    }

    #[test]
    fn known_and_unknown_numbers() {
        assert_eq!(&sqlstate(ER_DUP_ENTRY), b"23000");
        assert_eq!(&sqlstate(ER_LOCK_DEADLOCK), b"40001");
        assert_eq!(&sqlstate(ER_CANT_CHANGE_TX_CHARACTERISTICS), b"25001");
        assert_eq!(&sqlstate(ER_WRONG_NAME_FOR_INDEX), b"42000");
        assert_eq!(&sqlstate(ER_VIEW_CHECK_FAILED), b"HY000");
        assert_eq!(&sqlstate(60000), b"HY000");
        // MySQL's list says so, whatever other servers say.
        assert_eq!(&sqlstate(ER_MISPLACED_INTO), b"HY000");
        assert_eq!(row(3004).map(|r| r.symbol), Some("ER_GET_STACKED_DA_WITHOUT_ACTIVE_HANDLER"));
    }

    #[test]
    fn arguments_take_their_places() {
        let text = message(ER_DUP_ENTRY, &[&"{}", &"t.k"]);
        assert_eq!(text, "Duplicate entry '{}' for key 't.k'");
        assert_eq!(message(ER_NO_DB_ERROR, &[]), "No database selected");
        assert_eq!(message(60000, &[]), "");
    }
}
