//! Errors whose numbers MySQL gave out later, from 3000 on.

use super::errors;

errors! { EXTENDED:
    ER_GET_STACKED_DA_WITHOUT_ACTIVE_HANDLER = 3004, b"0Z002", "GET STACKED DIAGNOSTICS when handler not active";
    ER_FK_DEPTH_EXCEEDED = 3008, b"HY000", "Foreign key cascade delete/update exceeds max depth of {}.";
    ER_REFERENCED_TRG_DOES_NOT_EXIST = 3011, b"HY000", "Referenced trigger '{}' for the given action time and event type does not exist.";
    ER_EXPLAIN_NOT_SUPPORTED = 3012, b"HY000", "EXPLAIN FOR CONNECTION command is supported only for SELECT/UPDATE/INSERT/DELETE/REPLACE";
    ER_INVALID_FIELD_SIZE = 3013, b"HY000", "Invalid size for column '{}'.";
    ER_REPLICA_SQL_THREAD_MUST_STOP = 3017, b"HY000",
        "This operation cannot be performed with a running replica sql thread; run STOP REPLICA SQL_THREAD first";
    ER_INVALID_ARGUMENT_FOR_LOGARITHM = 3020, b"2201E", "Invalid argument for logarithm";
    ER_QUERY_TIMEOUT = 3024, b"HY000", "Query execution was interrupted, maximum statement execution time exceeded";
    ER_AGGREGATE_ORDER_FOR_UNION = 3028, b"HY000",
        "Expression #{} of ORDER BY contains aggregate function and applies to a UNION, EXCEPT or INTERSECT";
    ER_AGGREGATE_ORDER_NON_AGG_QUERY = 3029, b"HY000",
        "Expression #{} of ORDER BY contains aggregate function and applies to the result of a non-aggregated query";
    ER_SERVER_OFFLINE_MODE = 3032, b"HY000", "The server is currently in offline mode";
    ER_GIS_DIFFERENT_SRIDS = 3033, b"HY000",
        "Binary geometry function {} given two geometries of different srids: {} and {}, which should have been identical.";
    ER_GIS_UNSUPPORTED_ARGUMENT = 3034, b"HY000", "Calling geometry function {} with unsupported types of arguments.";
    ER_GIS_INVALID_DATA = 3037, b"22023", "Invalid GIS data provided to function {}.";
    ER_STD_BAD_ALLOC_ERROR = 3044, b"HY000", "Memory allocation error: {} in function {}.";
    ER_GIS_DATA_WRONG_ENDIANESS = 3055, b"HY000", "Geometry byte string must be little endian.";
    ER_USER_LOCK_WRONG_NAME = 3057, b"42000", "Incorrect user-level lock name '{}'.";
    ER_USER_LOCK_DEADLOCK = 3058, b"HY000",
        "Deadlock found when trying to get user-level lock; try rolling back transaction/releasing locks and restarting lock acquisition.";
    ER_ILLEGAL_USER_VAR = 3061, b"42000", "User variable name '{}' is illegal";
    ER_INCORRECT_TYPE = 3064, b"HY000", "Incorrect type for argument {} in function {}.";
    ER_FIELD_IN_ORDER_NOT_SELECT = 3065, b"HY000",
        "Expression #{} of ORDER BY clause is not in SELECT list, references column '{}' which is not in SELECT list; this is \
         incompatible with {}";
    ER_AGGREGATE_IN_ORDER_NOT_SELECT = 3066, b"HY000",
        "Expression #{} of ORDER BY clause is not in SELECT list, contains aggregate function; this is incompatible with {}";
    ER_INVALID_GEOJSON_MISSING_MEMBER = 3070, b"HY000", "Invalid GeoJSON data provided to function {}: Missing required member '{}'";
    ER_INVALID_GEOJSON_WRONG_TYPE = 3071, b"HY000", "Invalid GeoJSON data provided to function {}: Member '{}' must be of type '{}'";
    ER_INVALID_GEOJSON_UNSPECIFIED = 3072, b"HY000", "Invalid GeoJSON data provided to function {}";
    ER_DIMENSION_UNSUPPORTED = 3073, b"HY000", "Unsupported number of coordinate dimensions in function {}: Found {}, expected {}";
    ER_REPLICA_CHANNEL_DOES_NOT_EXIST = 3074, b"HY000", "Replica channel '{}' does not exist.";
    ER_REPLICA_NEW_CHANNEL_WRONG_REPOSITORY = 3077, b"HY000",
        "To have multiple channels, repository cannot be of type FILE; Please check the repository configuration and convert them to \
         TABLE.";
    ER_REPLICA_CHANNEL_MUST_STOP = 3081, b"HY000",
        "This operation cannot be performed with running replication threads; run STOP REPLICA FOR CHANNEL '{}' first";
    ER_REPLICA_CHANNEL_WAS_RUNNING = 3083, b"HY000", "Replication thread(s) for channel '{}' are already runnning.";
    ER_REPLICA_CHANNEL_WAS_NOT_RUNNING = 3084, b"HY000", "Replication thread(s) for channel '{}' are already stopped.";
    ER_WARN_DEPRECATED_SQLMODE = 3090, b"HY000", "Changing sql mode '{}' is deprecated. It will be removed in a future release.";
    ER_GROUP_REPLICATION_CONFIGURATION = 3092, b"HY000",
        "The server is not configured properly to be an active member of the group. Please see more details on error log.";
    ER_TRANSACTION_ROLLBACK_DURING_COMMIT = 3101, b"40000", "Plugin instructed the server to rollback the current transaction.";
    ER_GENERATED_COLUMN_FUNCTION_IS_NOT_ALLOWED = 3102, b"HY000", "Expression of generated column '{}' contains a disallowed function.";
    ER_WRONG_FK_OPTION_FOR_GENERATED_COLUMN = 3104, b"HY000", "Cannot define foreign key with {} clause on a generated column.";
    ER_NON_DEFAULT_VALUE_FOR_GENERATED_COLUMN = 3105, b"HY000", "The value specified for generated column '{}' in table '{}' is not allowed.";
    ER_UNSUPPORTED_ACTION_ON_GENERATED_COLUMN = 3106, b"HY000", "'{}' is not supported for generated columns.";
    ER_GENERATED_COLUMN_NON_PRIOR = 3107, b"HY000", "Generated column can refer only to generated columns defined prior to it.";
    ER_DEPENDENT_BY_GENERATED_COLUMN = 3108, b"HY000", "Column '{}' has a generated column dependency.";
    ER_GENERATED_COLUMN_REF_AUTO_INC = 3109, b"HY000", "Generated column '{}' cannot refer to auto-increment column.";
    ER_ACCOUNT_HAS_BEEN_LOCKED = 3118, b"HY000", "Access denied for user '{}'@'{}'. Account is locked.";
    ER_WARN_CONFLICTING_HINT = 3126, b"HY000", "Hint {} is ignored as conflicting/duplicated";
    ER_WARN_UNKNOWN_QB_NAME = 3127, b"HY000", "Query block name {} is not found for {} hint";
    ER_UNRESOLVED_HINT_NAME = 3128, b"HY000", "Unresolved name {} for {} hint";
    ER_GIS_MAX_POINTS_IN_GEOMETRY_OVERFLOWED = 3134, b"HY000",
        "Parameter {} exceeds the maximum number of points in a geometry ({}) in function {}.";
    ER_SQL_MODE_MERGED = 3135, b"HY000",
        "'NO_ZERO_DATE', 'NO_ZERO_IN_DATE' and 'ERROR_FOR_DIVISION_BY_ZERO' sql modes should be used with strict mode. They will be \
         merged with strict mode in a future release.";
    ER_INVALID_JSON_TEXT = 3140, b"22032", "Invalid JSON text: \"{}\" at position {} in value for column '{}'.";
    ER_INVALID_JSON_TEXT_IN_PARAM = 3141, b"22032", "Invalid JSON text in argument {} to function {}: \"{}\" at position {}.{}";
    ER_INVALID_JSON_PATH = 3143, b"42000", "Invalid JSON path expression. The error is around character position {}.{}";
    ER_INVALID_JSON_CHARSET = 3144, b"22032", "Cannot create a JSON value from a string with CHARACTER SET '{}'.";
    ER_INVALID_TYPE_FOR_JSON = 3146, b"22032",
        "Invalid data type for JSON data in argument {} to function {}; a JSON string or JSON type is required.";
    ER_INVALID_JSON_PATH_CHARSET = 3148, b"42000",
        "A path expression must be encoded in the utf8 character set. The path expression '{}' is encoded in character set '{}'.";
    ER_INVALID_JSON_PATH_WILDCARD = 3149, b"42000", "In this situation, path expressions may not contain the * and ** tokens or an array range.";
    ER_JSON_VALUE_TOO_BIG = 3150, b"22032", "The JSON value is too big to be stored in a JSON column.";
    ER_JSON_KEY_TOO_BIG = 3151, b"22032", "The JSON object contains a key name that is too long.";
    ER_JSON_USED_AS_KEY = 3152, b"42000", "JSON column '{}' supports indexing only via generated columns on a specified JSON path.";
    ER_JSON_VACUOUS_PATH = 3153, b"42000", "The path expression '$' is not allowed in this context.";
    ER_JSON_BAD_ONE_OR_ALL_ARG = 3154, b"42000", "The oneOrAll argument to {} may take these values: 'one' or 'all'.";
    ER_NUMERIC_JSON_VALUE_OUT_OF_RANGE = 3155, b"22003", "Out of range JSON value for CAST to {}{} from column {} at row {}";
    ER_INVALID_JSON_VALUE_FOR_CAST = 3156, b"22018", "Invalid JSON value for CAST to {}{} from column {} at row {}";
    ER_JSON_DOCUMENT_TOO_DEEP = 3157, b"22032", "The JSON document exceeds the maximum depth.";
    ER_JSON_DOCUMENT_NULL_KEY = 3158, b"22032", "JSON documents may not contain NULL member names.";
    ER_SECURE_TRANSPORT_REQUIRED = 3159, b"HY000", "Connections using insecure transport are prohibited while --require_secure_transport=ON.";
    ER_DISABLED_STORAGE_ENGINE = 3161, b"HY000", "Storage engine {} is disabled (Table creation is disallowed).";
    ER_USER_DOES_NOT_EXIST = 3162, b"HY000", "Authorization ID {} does not exist.";
    ER_USER_ALREADY_EXISTS = 3163, b"HY000", "Authorization ID {} already exists.";
    ER_INVALID_JSON_PATH_ARRAY_CELL = 3165, b"42000", "A path expression is not a path to a cell in an array.";
    ER_AES_INVALID_KDF_NAME = 3235, b"HY000", "KDF method name is not valid. Please use hkdf or pbkdf2_hmac method name";
    ER_AES_INVALID_KDF_ITERATIONS = 3236, b"HY000",
        "For KDF method pbkdf2_hmac iterations value less than 1000 or more than 65535 is not allowed due to security reasons. Please \
         provide iterations >= 1000 and iterations < 65535";
    WARN_AES_KEY_SIZE = 3237, b"HY000",
        "AES key size should be {} bytes length or secure KDF methods hkdf or pbkdf2_hmac should be used, please provide exact AES key \
         size or use KDF methods for better security.";
    ER_AES_INVALID_KDF_OPTION_SIZE = 3238, b"HY000", "KDF option size is invalid, please provide valid size < {} bytes and not NULL";
    ER_UNSUPPORTED_INDEX_ALGORITHM = 3502, b"HY000",
        "This storage engine does not support the {} index algorithm, storage engine default was used instead.";
    ER_TOO_LONG_SET_ENUM_VALUE = 3505, b"HY000", "Too long enumeration/set value for column {}.";
    ER_TABLESPACE_MISSING_WITH_NAME = 3510, b"HY000", "Tablespace {} doesn't exist.";
    ER_INVALID_BITWISE_OPERANDS_SIZE = 3513, b"HY000", "Binary operands of bitwise operators must be of equal length";
    ER_INVALID_BITWISE_AGGREGATE_OPERANDS_SIZE = 3514, b"HY000",
        "Aggregate bitwise functions cannot accept arguments longer than 511 bytes; consider using the SUBSTRING() function";
    ER_UNEXPECTED_GEOMETRY_TYPE = 3516, b"22S01", "{} value is a geometry of unexpected type {} in {}.";
    ER_SRS_PARSE_ERROR = 3517, b"SR002", "Can't parse the spatial reference system definition of SRID {}.";
    ER_WARN_SRS_NOT_FOUND = 3519, b"01000", "There's no spatial reference system with SRID {}.";
    ER_PK_INDEX_CANT_BE_INVISIBLE = 3522, b"HY000", "A primary key index cannot be invisible";
    ER_UNKNOWN_AUTHID = 3523, b"HY000", "Unknown authorization ID `{}`@`{}`";
    ER_COMPONENTS_CANT_LOAD = 3529, b"HY000", "Cannot load component from specified URN: '{}'.";
    ER_ROLE_NOT_GRANTED = 3530, b"HY000", "`{}`@`{}` is not granted to `{}`@`{}`";
    ER_RENAME_ROLE = 3532, b"HY000", "Renaming of a role identifier is forbidden";
    ER_COMPONENTS_UNLOAD_NOT_LOADED = 3537, b"HY000", "Component specified by URN '{}' to unload has not been loaded before.";
    ER_CANT_SET_GTID_PURGED_DUE_SETS_CONSTRAINTS = 3546, b"HY000", "@@GLOBAL.GTID_PURGED cannot be changed: {}";
    ER_SRS_NOT_FOUND = 3548, b"SR001", "There's no spatial reference system with SRID {}.";
    ER_NO_SYSTEM_SCHEMA_ACCESS = 3552, b"HY000", "Access to system schema '{}' is rejected.";
    ER_INVALID_OPTION_KEY = 3558, b"22023", "Invalid option key '{}' in function {}.";
    ER_INVALID_OPTION_VALUE = 3559, b"22023", "Invalid value '{}' for option '{}' in function '{}'.";
    ER_INVALID_OPTION_KEY_VALUE_PAIR = 3560, b"22023", "The string '{}' is not a valid key {} value pair in function {}.";
    ER_DUPLICATE_OPTION_KEY = 3564, b"22023", "Duplicate option key '{}' in funtion '{}'.";
    ER_WARN_SRS_NOT_FOUND_AXIS_ORDER = 3565, b"01000", "There's no spatial reference system with SRID {}. The axis order is unknown.";
    ER_NO_ACCESS_TO_NATIVE_FCT = 3566, b"HY000", "Access to native function '{}' is rejected.";
    ER_UNRESOLVED_TABLE_LOCK = 3568, b"HY000", "Unresolved table name {} in locking clause.";
    ER_DUPLICATE_TABLE_LOCK = 3569, b"HY000", "Table {} appears in multiple locking clauses.";
    ER_LOCK_NOWAIT = 3572, b"HY000", "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.";
    ER_CTE_RECURSIVE_REQUIRES_UNION = 3573, b"HY000", "Recursive Common Table Expression '{}' should contain a UNION";
    ER_CTE_RECURSIVE_REQUIRES_NONRECURSIVE_FIRST = 3574, b"HY000",
        "Recursive Common Table Expression '{}' should have one or more non-recursive query blocks followed by one or more recursive ones";
    ER_CTE_RECURSIVE_FORBIDS_AGGREGATION = 3575, b"HY000",
        "Recursive Common Table Expression '{}' can contain neither aggregation nor window functions in recursive query block";
    ER_CTE_RECURSIVE_FORBIDDEN_JOIN_ORDER = 3576, b"HY000",
        "In recursive query block of Recursive Common Table Expression '{}', the recursive table must neither be in the right argument of \
         a LEFT JOIN, nor be forced to be non-first with join order hints";
    ER_CTE_RECURSIVE_REQUIRES_SINGLE_REFERENCE = 3577, b"HY000",
        "In recursive query block of Recursive Common Table Expression '{}', the recursive table must be referenced only once, and not in \
         any subquery";
    ER_WINDOW_NO_SUCH_WINDOW = 3579, b"HY000", "Window name '{}' is not defined.";
    ER_WINDOW_CIRCULARITY_IN_WINDOW_GRAPH = 3580, b"HY000", "There is a circularity in the window dependency graph.";
    ER_WINDOW_NO_CHILD_PARTITIONING = 3581, b"HY000", "A window which depends on another cannot define partitioning.";
    ER_WINDOW_NO_INHERIT_FRAME = 3582, b"HY000", "Window '{}' has a frame definition, so cannot be referenced by another window.";
    ER_WINDOW_NO_REDEFINE_ORDER_BY = 3583, b"HY000", "Window '{}' cannot inherit '{}' since both contain an ORDER BY clause.";
    ER_WINDOW_FRAME_START_ILLEGAL = 3584, b"HY000", "Window '{}': frame start cannot be UNBOUNDED FOLLOWING.";
    ER_WINDOW_FRAME_END_ILLEGAL = 3585, b"HY000", "Window '{}': frame end cannot be UNBOUNDED PRECEDING.";
    ER_WINDOW_FRAME_ILLEGAL = 3586, b"HY000", "Window '{}': frame start or end is negative, NULL or of non-integral type";
    ER_WINDOW_RANGE_FRAME_ORDER_TYPE = 3587, b"HY000",
        "Window '{}' with RANGE N PRECEDING/FOLLOWING frame requires exactly one deterministic ORDER BY expression, of numeric or \
         temporal type";
    ER_WINDOW_RANGE_FRAME_TEMPORAL_TYPE = 3588, b"HY000",
        "Window '{}' with RANGE frame has ORDER BY expression of datetime type. Only INTERVAL bound value allowed.";
    ER_WINDOW_RANGE_FRAME_NUMERIC_TYPE = 3589, b"HY000",
        "Window '{}' with RANGE frame has ORDER BY expression of numeric type, INTERVAL bound value not allowed.";
    ER_WINDOW_FRAME_BOUND_NOT_CONSTANT = 3590, b"HY000", "Window '{}' has a non-constant frame bound.";
    ER_WINDOW_DUPLICATE_NAME = 3591, b"HY000", "Window '{}' is defined twice.";
    ER_WINDOW_ILLEGAL_ORDER_BY = 3592, b"HY000",
        "Window '{}': ORDER BY or PARTITION BY uses legacy position indication which is not supported, use expression.";
    ER_WINDOW_INVALID_WINDOW_FUNC_USE = 3593, b"HY000", "You cannot use the window function '{}' in this context.'";
    ER_WINDOW_INVALID_WINDOW_FUNC_ALIAS_USE = 3594, b"HY000",
        "You cannot use the alias '{}' of an expression containing a window function in this context.'";
    ER_WINDOW_NESTED_WINDOW_FUNC_USE_IN_WINDOW_SPEC = 3595, b"HY000", "You cannot nest a window function in the specification of window '{}'.";
    ER_WINDOW_ROWS_INTERVAL_USE = 3596, b"HY000", "Window '{}': INTERVAL can only be used with RANGE frames.";
    ER_INVALID_NO_OF_ARGS = 3601, b"HY000", "Too many arguments for function {}: {}; maximum allowed is {}.";
    ER_FIELD_IN_GROUPING_NOT_GROUP_BY = 3602, b"HY000", "Argument #{} of GROUPING function is not in GROUP BY";
    ER_VAR_DOES_NOT_EXIST = 3615, b"HY000", "Variable {} does not exist in persisted config file";
    ER_LONGITUDE_OUT_OF_RANGE = 3616, b"22S02", "Longitude {} is out of range in function {}. It must be within ({}, {}].";
    ER_LATITUDE_OUT_OF_RANGE = 3617, b"22S03", "Latitude {} is out of range in function {}. It must be within [{}, {}].";
    ER_NOT_IMPLEMENTED_FOR_GEOGRAPHIC_SRS = 3618, b"22S00", "{}({}) has not been implemented for geographic spatial reference systems.";
    ER_ILLEGAL_PRIVILEGE_LEVEL = 3619, b"HY000", "Illegal privilege level specified for {}";
    ER_MANDATORY_ROLE = 3628, b"HY000",
        "The role {} is a mandatory role and can't be revoked or dropped. The restriction can be lifted by excluding the role identifier \
         from the global variable mandatory_roles.";
    ER_CTE_MAX_RECURSION_DEPTH = 3636, b"HY000",
        "Recursive query aborted after {} iterations. Try increasing @@cte_max_recursion_depth to a larger value.";
    ER_NOT_HINT_UPDATABLE_VARIABLE = 3637, b"HY000", "Variable {} cannot be set using SET_VAR hint.";
    ER_CREDENTIALS_CONTRADICT_TO_HISTORY = 3638, b"HY000",
        "Cannot use these credentials for '{}@{}' because they contradict the password history policy";
    ER_WRONG_SRID_FOR_COLUMN = 3643, b"HY000",
        "The SRID of the geometry does not match the SRID of the column '{}'. The SRID of the geometry is {}, but the SRID of the column \
         is {}. Consider changing the SRID of the geometry or the SRID property of the column.";
    ER_WARN_BINLOG_PARTIAL_UPDATES_DISABLED = 3645, b"HY000",
        "When {}, the option binlog_row_value_options=PARTIAL_JSON will be ignored and updates will be written in full format to binary log.";
    ER_WARN_BINLOG_PARTIAL_UPDATES_SUGGESTS_PARTIAL_IMAGES = 3647, b"HY000",
        "When {}, the option binlog_row_value_options=PARTIAL_JSON will be used only for the after-image. Full values will be written in the before-image, so the saving in disk space due to binlog_row_value_options is limited to less than 50%.";
    ER_RESOURCE_GROUP_NOT_EXISTS = 3651, b"HY000", "Resource Group '{}' does not exist.";
    ER_MISSING_JSON_TABLE_VALUE = 3665, b"22035", "Missing value for JSON_TABLE column '{}'";
    ER_WRONG_JSON_TABLE_VALUE = 3666, b"2203F", "Can't store an array or an object in the scalar JSON_TABLE column '{}'";
    ER_TF_MUST_HAVE_ALIAS = 3667, b"42000", "Every table function must have an alias";
    ER_JT_VALUE_OUT_OF_RANGE = 3669, b"22003", "Value is out of range for JSON_TABLE's column '{}'";
    ER_PARSE_ERROR_IN_DIGEST_FN = 3676, b"HY000", "Could not parse argument to digest function: \"{}\".";
    ER_REGEXP_ILLEGAL_ARGUMENT = 3685, b"HY000", "Illegal argument to a regular expression.";
    ER_REGEXP_INDEX_OUTOFBOUNDS_ERROR = 3686, b"HY000", "Index out of bounds in regular expression search.";
    ER_REGEXP_RULE_SYNTAX = 3688, b"HY000", "Syntax error in regular expression on line {}, character {}.";
    ER_REGEXP_BAD_ESCAPE_SEQUENCE = 3689, b"HY000", "Unrecognized escape sequence in regular expression.";
    ER_REGEXP_UNIMPLEMENTED = 3690, b"HY000", "The regular expression contains a feature that is not implemented in this library version.";
    ER_REGEXP_MISMATCHED_PAREN = 3691, b"HY000", "Mismatched parenthesis in regular expression.";
    ER_REGEXP_BAD_INTERVAL = 3692, b"HY000", "Incorrect description of a {{min,max}} interval.";
    ER_REGEXP_MAX_LT_MIN = 3693, b"HY000", "The maximum is less than the minumum in a {{min,max}} interval.";
    ER_REGEXP_INVALID_BACK_REF = 3694, b"HY000", "Invalid back-reference in regular expression.";
    ER_REGEXP_LOOK_BEHIND_LIMIT = 3695, b"HY000", "The look-behind assertion exceeds the limit in regular expression.";
    ER_REGEXP_MISSING_CLOSE_BRACKET = 3696, b"HY000", "The regular expression contains an unclosed bracket expression.";
    ER_REGEXP_INVALID_RANGE = 3697, b"HY000", "The regular expression contains an [x-y] character range where x comes after y.";
    ER_REGEXP_STACK_OVERFLOW = 3698, b"HY000", "Overflow in the regular expression backtrack stack.";
    ER_REGEXP_TIME_OUT = 3699, b"HY000", "Timeout exceeded in regular expression match.";
    ER_REGEXP_PATTERN_TOO_BIG = 3700, b"HY000", "The regular expression pattern exceeds limits on size or complexity.";
    ER_NOT_IMPLEMENTED_FOR_CARTESIAN_SRS = 3704, b"22S00", "{}({}) has not been implemented for Cartesian spatial reference systems.";
    ER_NOT_IMPLEMENTED_FOR_PROJECTED_SRS = 3705, b"22S00", "{}({}) has not been implemented for projected spatial reference systems.";
    ER_NONPOSITIVE_RADIUS = 3706, b"22003", "Invalid radius provided to function {}: Radius must be greater than zero.";
    ER_RESTART_SERVER_FAILED = 3707, b"HY000", "Restart server failed ({}).";
    ER_SRS_MISSING_MANDATORY_ATTRIBUTE = 3708, b"SR006", "Missing mandatory attribute {}.";
    ER_SRS_MULTIPLE_ATTRIBUTE_DEFINITIONS = 3709, b"SR006", "Multiple definitions of attribute {}.";
    ER_SRS_NAME_CANT_BE_EMPTY_OR_WHITESPACE = 3710, b"SR006",
        "The spatial reference system name can't be an empty string or start or end with whitespace.";
    ER_SRS_ORGANIZATION_CANT_BE_EMPTY_OR_WHITESPACE = 3711, b"SR006",
        "The organization name can't be an empty string or start or end with whitespace.";
    ER_SRS_ID_ALREADY_EXISTS = 3712, b"SR004", "There is already a spatial reference system with SRID {}.";
    ER_WARN_SRS_ID_ALREADY_EXISTS = 3713, b"01S00", "There is already a spatial reference system with SRID {}.";
    ER_CANT_MODIFY_SRID_0 = 3714, b"SR000", "SRID 0 is not modifiable.";
    ER_WARN_RESERVED_SRID_RANGE = 3715, b"01S01",
        "The SRID range [{}, {}] has been reserved for system use. SRSs in this range may be added, modified or removed without warning \
         during upgrade.";
    ER_CANT_MODIFY_SRS_USED_BY_COLUMN = 3716, b"SR005", "Can't modify SRID {}. There is at least one column depending on it.";
    ER_SRS_INVALID_CHARACTER_IN_ATTRIBUTE = 3717, b"SR006", "Invalid character in attribute {}.";
    ER_SRS_ATTRIBUTE_STRING_TOO_LONG = 3718, b"SR006", "Attribute {} is too long. The maximum length is {} characters.";
    ER_DEPRECATED_UTF8_ALIAS = 3719, b"HY000",
        "'utf8' is currently an alias for the character set UTF8MB3, but will be an alias for UTF8MB4 in a future release. Please \
         consider using UTF8MB4 in order to be unambiguous.";
    ER_DEPRECATED_NATIONAL = 3720, b"HY000",
        "NATIONAL/NCHAR/NVARCHAR implies the character set UTF8MB3, which will be replaced by UTF8MB4 in a future release. Please \
         consider using CHAR(x) CHARACTER SET UTF8MB4 in order to be unambiguous.";
    ER_INVALID_DEFAULT_UTF8MB4_COLLATION = 3721, b"HY000", "Invalid default collation {}: utf8mb4_0900_ai_ci or utf8mb4_general_ci expected";
    ER_SRS_NOT_GEOGRAPHIC = 3726, b"22S00",
        "Function {} is only defined for geographic spatial reference systems, but one of its arguments is in SRID {}, which is not \
         geographic.";
    ER_FK_CANNOT_DROP_PARENT = 3730, b"HY000", "Cannot drop table '{}' referenced by a foreign key constraint '{}' on table '{}'.";
    ER_GEOMETRY_PARAM_LONGITUDE_OUT_OF_RANGE = 3731, b"22S02",
        "A parameter of function {} contains a geometry with longitude {}, which is out of range. It must be within ({}, {}].";
    ER_GEOMETRY_PARAM_LATITUDE_OUT_OF_RANGE = 3732, b"22S03",
        "A parameter of function {} contains a geometry with latitude {}, which is out of range. It must be within [{}, {}].";
    ER_FK_CANNOT_USE_VIRTUAL_COLUMN = 3733, b"HY000", "Foreign key '{}' uses virtual column '{}' which is not supported.";
    ER_FK_NO_COLUMN_PARENT = 3734, b"HY000",
        "Failed to add the foreign key constraint. Missing column '{}' for constraint '{}' in the referenced table '{}'";
    ER_SRS_GEOGCS_INVALID_AXES = 3736, b"SR002",
        "The spatial reference system definition for SRID {} specifies invalid geographic axes '{}' and '{}'. One axis must be NORTH or \
         SOUTH and the other must be EAST or WEST.";
    ER_SRS_INVALID_SEMI_MAJOR_AXIS = 3737, b"SR002", "The length of the semi-major axis must be a positive number.";
    ER_SRS_INVALID_INVERSE_FLATTENING = 3738, b"SR002", "The inverse flattening must be larger than 1.0, or 0.0 if the ellipsoid is a sphere.";
    ER_SRS_INVALID_ANGULAR_UNIT = 3739, b"SR002", "The angular unit conversion factor must be a positive number.";
    ER_SRS_INVALID_PRIME_MERIDIAN = 3740, b"SR002",
        "The prime meridian must be within (-180, 180] degrees, specified in the SRS angular unit.";
    ER_TRANSFORM_SOURCE_SRS_NOT_SUPPORTED = 3741, b"22S00", "Transformation from SRID {} is not supported.";
    ER_TRANSFORM_TARGET_SRS_NOT_SUPPORTED = 3742, b"22S00", "Transformation to SRID {} is not supported.";
    ER_TABLE_WITHOUT_PK = 3750, b"HY000",
        "Unable to create or change a table without a primary key, when the system variable 'sql_require_primary_key' is set. Add a \
         primary key to the table or unset this variable to avoid this message. Note that tables without a primary key can cause \
         performance problems in row-based replication, so please consult your DBA before changing this setting.";
    ER_WARN_DATA_TRUNCATED_FUNCTIONAL_INDEX = 3751, b"01000", "Data truncated for functional index '{}' at row {}";
    ER_WARN_DATA_OUT_OF_RANGE_FUNCTIONAL_INDEX = 3752, b"22003", "Value is out of range for functional index '{}' at row {}";
    ER_FUNCTIONAL_INDEX_ON_JSON_OR_GEOMETRY_FUNCTION = 3753, b"42000",
        "Cannot create a functional index on a function that returns a JSON or GEOMETRY value.";
    ER_FUNCTIONAL_INDEX_REF_AUTO_INCREMENT = 3754, b"HY000", "Functional index '{}' cannot refer to an auto-increment column.";
    ER_CANNOT_DROP_COLUMN_FUNCTIONAL_INDEX = 3755, b"HY000",
        "Cannot drop column '{}' because it is used by a functional index. In order to drop the column, you must remove the functional \
         index.";
    ER_FUNCTIONAL_INDEX_PRIMARY_KEY = 3756, b"HY000", "The primary key cannot be a functional index";
    ER_FUNCTIONAL_INDEX_ON_LOB = 3757, b"HY000",
        "Cannot create a functional index on an expression that returns a BLOB or TEXT. Please consider using CAST.";
    ER_FUNCTIONAL_INDEX_FUNCTION_IS_NOT_ALLOWED = 3758, b"HY000", "Expression of functional index '{}' contains a disallowed function.";
    ER_FULLTEXT_FUNCTIONAL_INDEX = 3759, b"HY000", "Fulltext functional index is not supported.";
    ER_SPATIAL_FUNCTIONAL_INDEX = 3760, b"HY000", "Spatial functional index is not supported.";
    ER_WRONG_KEY_COLUMN_FUNCTIONAL_INDEX = 3761, b"HY000", "The used storage engine cannot index the expression '{}'.";
    ER_FUNCTIONAL_INDEX_ON_FIELD = 3762, b"HY000", "Functional index on a column is not supported. Consider using a regular index instead.";
    ER_GENERATED_COLUMN_NAMED_FUNCTION_IS_NOT_ALLOWED = 3763, b"HY000", "Expression of generated column '{}' contains a disallowed function: {}.";
    ER_GENERATED_COLUMN_ROW_VALUE = 3764, b"HY000", "Expression of generated column '{}' cannot refer to a row value.";
    ER_GENERATED_COLUMN_VARIABLES = 3765, b"HY000", "Expression of generated column '{}' cannot refer user or system variables.";
    ER_DEPENDENT_BY_DEFAULT_GENERATED_VALUE = 3766, b"HY000",
        "Column '{}' of table '{}' has a default value expression dependency and cannot be dropped or renamed.";
    ER_DEFAULT_VAL_GENERATED_NON_PRIOR = 3767, b"HY000",
        "Default value expression of column '{}' cannot refer to a column defined after it if that column is a generated column or has an \
         expression as default value.";
    ER_DEFAULT_VAL_GENERATED_REF_AUTO_INC = 3768, b"HY000", "Default value expression of column '{}' cannot refer to an auto-increment column.";
    ER_DEFAULT_VAL_GENERATED_FUNCTION_IS_NOT_ALLOWED = 3769, b"HY000", "Default value expression of column '{}' contains a disallowed function.";
    ER_DEFAULT_VAL_GENERATED_NAMED_FUNCTION_IS_NOT_ALLOWED = 3770, b"HY000",
        "Default value expression of column '{}' contains a disallowed function: {}.";
    ER_DEFAULT_VAL_GENERATED_ROW_VALUE = 3771, b"HY000", "Default value expression of column '{}' cannot refer to a row value.";
    ER_DEFAULT_VAL_GENERATED_VARIABLES = 3772, b"HY000", "Default value expression of column '{}' cannot refer user or system variables.";
    ER_DEFAULT_AS_VAL_GENERATED = 3773, b"HY000", "DEFAULT function cannot be used with default value expressions";
    ER_WARN_DEPRECATED_UTF8MB3_COLLATION = 3778, b"HY000",
        "'{}' is a collation of the deprecated character set UTF8MB3. Please consider using UTF8MB4 with an appropriate collation instead.";
    ER_FK_INCOMPATIBLE_COLUMNS = 3780, b"HY000",
        "Referencing column '{}' and referenced column '{}' in foreign key constraint '{}' are incompatible.";
    ER_FUNCTIONAL_INDEX_ROW_VALUE_IS_NOT_ALLOWED = 3800, b"HY000", "Expression of functional index '{}' cannot refer to a row value.";
    ER_NON_BOOLEAN_EXPR_FOR_CHECK_CONSTRAINT = 3812, b"HY000", "An expression of non-boolean type specified to a check constraint '{}'.";
    ER_COLUMN_CHECK_CONSTRAINT_REFERENCES_OTHER_COLUMN = 3813, b"HY000", "Column check constraint '{}' references other column.";
    ER_CHECK_CONSTRAINT_NAMED_FUNCTION_IS_NOT_ALLOWED = 3814, b"HY000", "An expression of a check constraint '{}' contains disallowed function: {}.";
    ER_CHECK_CONSTRAINT_FUNCTION_IS_NOT_ALLOWED = 3815, b"HY000", "An expression of a check constraint '{}' contains disallowed function.";
    ER_CHECK_CONSTRAINT_VARIABLES = 3816, b"HY000", "An expression of a check constraint '{}' cannot refer to a user or system variable.";
    ER_CHECK_CONSTRAINT_ROW_VALUE = 3817, b"HY000", "Check constraint '{}' cannot refer to a row value.";
    ER_CHECK_CONSTRAINT_REFERS_AUTO_INCREMENT_COLUMN = 3818, b"HY000", "Check constraint '{}' cannot refer to an auto-increment column.";
    ER_CHECK_CONSTRAINT_VIOLATED = 3819, b"HY000", "Check constraint '{}' is violated.";
    ER_CHECK_CONSTRAINT_REFERS_UNKNOWN_COLUMN = 3820, b"HY000", "Check constraint '{}' refers to non-existing column '{}'.";
    ER_CHECK_CONSTRAINT_NOT_FOUND = 3821, b"HY000", "Check constraint '{}' is not found in the table.";
    ER_CHECK_CONSTRAINT_DUP_NAME = 3822, b"HY000", "Duplicate check constraint name '{}'.";
    ER_CHECK_CONSTRAINT_CLAUSE_USING_FK_REFER_ACTION_COLUMN = 3823, b"HY000",
        "Column '{}' cannot be used in a check constraint '{}': needed in a foreign key constraint '{}' referential action.";
    ER_DEPENDENT_BY_FUNCTIONAL_INDEX = 3837, b"HY000", "Column '{}' has a functional index dependency and cannot be dropped or renamed.";
    ER_INVALID_JSON_TYPE = 3853, b"22032", "Invalid JSON type in argument {} to function {}; an {} is required.";
    ER_CANNOT_CONVERT_STRING = 3854, b"HY000", "Cannot convert string '{}' from {} to {}";
    ER_DEPENDENT_BY_PARTITION_FUNC = 3855, b"HY000", "Column '{}' has a partitioning function dependency and cannot be dropped or renamed.";
    ER_SECOND_PASSWORD_CANNOT_BE_EMPTY = 3878, b"HY000", "Empty password can not be retained as second password for user '{}'@'{}'.";
    ER_GEOMETRY_IN_UNKNOWN_LENGTH_UNIT = 3882, b"SU001",
        "The geometry passed to function {} is in SRID 0, which doesn't specify a length unit. Can't convert to '{}'.";
    ER_REGEXP_INVALID_CAPTURE_GROUP_NAME = 3887, b"HY000", "A capture group has an invalid name.";
    ER_DA_SSL_LIBRARY_ERROR = 3888, b"HY000", "Failed to set up SSL because of the following SSL library error: {}";
    ER_INCORRECT_CURRENT_PASSWORD = 3891, b"HY000", "Incorrect current password. Specify the correct password which has to be replaced.";
    ER_MISSING_CURRENT_PASSWORD = 3892, b"HY000", "Current password needs to be specified in the REPLACE clause in order to change it.";
    ER_CURRENT_PASSWORD_NOT_REQUIRED = 3893, b"HY000", "Do not specify the current password while changing it for other users.";
    ER_PASSWORD_CANNOT_BE_RETAINED_ON_PLUGIN_CHANGE = 3894, b"HY000",
        "Current password can not be retained for user '{}'@'{}' because authentication plugin is being changed.";
    ER_CURRENT_PASSWORD_CANNOT_BE_RETAINED = 3895, b"HY000", "Current password can not be retained for user '{}'@'{}' because new password is empty.";
    ER_PARTIAL_REVOKES_EXIST = 3896, b"HY000",
        "At least one partial revoke exists on a database. The system variable '@@partial_revokes' must be set to ON.";
    ER_UNIT_NOT_FOUND = 3902, b"SU001", "There's no unit of measure named '{}'.";
    ER_INVALID_JSON_VALUE_FOR_FUNC_INDEX = 3903, b"22018", "Invalid JSON value for CAST for functional index '{}'.";
    ER_JSON_VALUE_OUT_OF_RANGE_FOR_FUNC_INDEX = 3904, b"22003", "Out of range JSON value for CAST for functional index '{}'.";
    ER_EXCEEDED_MV_KEYS_NUM = 3905, b"HY000", "Exceeded max number of values per record for multi-valued index '{}' by {} value(s).";
    ER_EXCEEDED_MV_KEYS_SPACE = 3906, b"HY000", "Exceeded max total length of values per record for multi-valued index '{}' by {} bytes.";
    ER_FUNCTIONAL_INDEX_DATA_IS_TOO_LONG = 3907, b"22001", "Data too long for functional index '{}'.";
    ER_WRONG_MVI_VALUE = 3908, b"HY000", "Cannot store an array or an object in a scalar key part of the index '{}'.";
    ER_WRONG_COMPRESSION_ALGORITHM_CLIENT = 3922, b"HY000", "Invalid compression algorithm '{}'.";
    ER_WRONG_COMPRESSION_LEVEL_CLIENT = 3923, b"HY000", "Invalid zstd compression level for algorithm '{}'.";
    ER_WARN_DA_PRIVILEGE_NOT_REGISTERED = 3929, b"HY000", "Dynamic privilege '{}' is not registered with the server.";
    ER_MULTIPLE_CONSTRAINTS_WITH_SAME_NAME = 3939, b"HY000",
        "Table has multiple constraints with the name '{}'. Please use constraint specific '{}' clause.";
    ER_CONSTRAINT_NOT_FOUND = 3940, b"HY000", "Constraint '{}' does not exist.";
    ER_ALTER_CONSTRAINT_ENFORCEMENT_NOT_SUPPORTED = 3941, b"HY000",
        "Altering constraint enforcement is not supported for the constraint '{}'. Enforcement state alter is not supported for the PRIMARY, UNIQUE and FOREIGN KEY type constraints.";
    ER_TABLE_VALUE_CONSTRUCTOR_MUST_HAVE_COLUMNS = 3942, b"HY000",
        "Each row of a VALUES clause must have at least one column, unless when used as source in an INSERT statement.";
    ER_TABLE_VALUE_CONSTRUCTOR_CANNOT_HAVE_DEFAULT = 3943, b"HY000",
        "A VALUES clause cannot use DEFAULT values, unless used as a source in an INSERT statement.";
    ER_CLIENT_LOCAL_FILES_DISABLED = 3948, b"42000", "Loading local data is disabled; this must be enabled on both the client and server sides";
    ER_MULTIPLE_INTO_CLAUSES = 3953, b"HY000", "Multiple INTO clauses in one query block.";
    ER_MISPLACED_INTO = 3954, b"HY000", "Misplaced INTO clause, INTO is not allowed inside subqueries, and must be placed at end of UNION clauses.";
    ER_USER_ACCESS_DENIED_FOR_USER_ACCOUNT_BLOCKED_BY_PASSWORD_LOCK = 3955, b"HY000",
        "Access denied for user '{}'@'{}'. Account is blocked for {} day(s) ({} day(s) remaining) due to {} consecutive failed logins.";
    ER_DEPENDENT_BY_CHECK_CONSTRAINT = 3959, b"HY000", "Check constraint '{}' uses column '{}', hence column cannot be dropped or renamed.";
    ER_MISSING_JSON_VALUE = 3966, b"22035", "No value was found by '{}' on the specified path.";
    ER_MULTIPLE_JSON_VALUES = 3967, b"22034", "More than one value was found by '{}' on the specified path.";
    ER_STATEMENT_NOT_ALLOWED_AFTER_START_TRANSACTION = 3977, b"HY000",
        "Only BINLOG INSERT, COMMIT and ROLLBACK statements are allowed after CREATE TABLE with START TRANSACTION statement.";
    ER_FOREIGN_KEY_WITH_ATOMIC_CREATE_SELECT = 3978, b"HY000",
        "Foreign key creation is not allowed with CREATE TABLE as SELECT and CREATE TABLE with START TRANSACTION statement.";
    ER_NOT_ALLOWED_WITH_START_TRANSACTION = 3979, b"HY000", "START TRANSACTION clause cannot be used {}";
    ER_ENGINE_ATTRIBUTE_NOT_SUPPORTED = 3981, b"HY000", "Storage engine '{}' does not support ENGINE_ATTRIBUTE.";
    ER_INVALID_USER_ATTRIBUTE_JSON = 3982, b"HY000", "The user attribute must be a valid JSON object";
    ER_CHARACTER_SET_MISMATCH = 3995, b"HY000", "Character set '{}' cannot be used in conjunction with '{}' in call to {}.";
    ER_INVALID_CAST = 3998, b"HY000", "Cannot cast value to {}.";
    ER_USER_REFERENCED_AS_DEFINER = 4005, b"HY000", "User {} is referenced as a definer account in {}.";
    ER_CANNOT_USER_REFERENCED_AS_DEFINER = 4006, b"HY000", "Operation {} failed for {} as it is referenced as a definer account in {}.";
    ER_CANT_USE_ANONYMOUS_TO_GTID_WITH_GTID_MODE_NOT_ON = 4013, b"HY000",
        "Replication cannot start{} with ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS = LOCAL|<UUID> as this server uses @@GLOBAL.GTID_MODE <> ON.";
    ER_CANT_COMBINE_ANONYMOUS_TO_GTID_AND_AUTOPOSITION = 4014, b"HY000",
        "The options ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS = LOCAL|<UUID> and SOURCE_AUTO_POSITION = 1 cannot be used together.";
    ER_ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS_REQUIRES_GTID_MODE_ON = 4015, b"HY000",
        "CHANGE REPLICATION SOURCE TO ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS = LOCAL|<UUID> cannot be executed because @@GLOBAL.GTID_MODE <> ON.";
    ER_USING_ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS_AS_LOCAL_OR_UUID = 4017, b"HY000",
        "Using ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS creates limitations on the replication topology - you cannot fail over between downstream and upstream servers. Only use this option if it is not possible to enable GTIDs on the source, for instance, because of lack of permissions. If possible, use the procedure for enabling GTID transactions online instead, as described in the documentation.";
    ER_CANT_SET_SQL_AFTER_OR_BEFORE_GTIDS_WITH_ANONYMOUS_TO_GTID = 4019, b"HY000",
        "The SQL_AFTER_GTIDS or SQL_BEFORE_GTIDS clauses for START REPLICA cannot be used when the replication channel is configured with ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS = LOCAL|<UUID>.";
    ER_ROLE_GRANTED_TO_ITSELF = 4027, b"HY000", "User account {} is directly or indirectly granted to the role {}. The GRANT would create a loop";
    ER_TABLE_MUST_HAVE_A_VISIBLE_COLUMN = 4028, b"HY000", "A table must have at least one visible column.";
    ER_CLIENT_INTERACTION_TIMEOUT = 4031, b"HY000",
        "The client was disconnected by the server because of inactivity. See wait_timeout and interactive_timeout for configuring this \
         behavior.";
    ER_INVALID_CAST_TO_GEOMETRY = 4032, b"22S01", "Invalid cast from {} to {}.";
    ER_INVALID_CAST_POLYGON_RING_DIRECTION = 4033, b"22S04",
        "Invalid cast from {} to {}. A polygon ring is in the wrong direction.";
    ER_GIS_DIFFERENT_SRIDS_AGGREGATION = 4034, b"22S05",
        "Arguments to function {} contains geometries with different SRIDs: {} and {}. All geometries must have the same SRID.";
    ER_INSTALL_PLUGIN_CONFLICT_CLIENT = 4045, b"HY000", "Cannot install the {} plugin when the {} plugin is installed.";
    ER_WARN_DEPRECATED_COLLATION = 4079, b"HY000",
        "'{}' is a collation of the deprecated character set {}. Please consider using {} with an appropriate collation instead.";
    ER_DA_GLOBAL_CONN_LIMIT = 4081, b"HY000", "Connection closed. Global connection memory limit {} bytes exceeded. Consumed {} bytes.";
    ER_DA_CONN_LIMIT = 4082, b"HY000", "Connection closed. Connection memory limit {} bytes exceeded. Consumed {} bytes.";
    ER_TOO_MANY_WINDOWS = 4086, b"HY000",
        "Too many windows in SELECT: {}. Maximum allowed is {}. Use named windows to share windows between window functions.";
    ER_XA_TEMP_TABLE = 4091, b"HY000", "XA: Temporary tables cannot be accessed inside XA transactions when xa_detach_on_prepare=ON";
    ER_INNODB_MAX_ROW_VERSION = 4092, b"HY000",
        "Maximum row versions reached for table {}. No more columns can be added or dropped instantly. Please use COPY/INPLACE.";
    ER_GIPK_COLUMN_EXISTS = 4108, b"HY000", "Failed to generate invisible primary key. Column '{}' already exists.";
    ER_GIPK_FAILED_AUTOINC_COLUMN_EXISTS = 4109, b"HY000", "Failed to generate invisible primary key. Auto-increment column already exists.";
    ER_GIPK_COLUMN_ALTER_NOT_ALLOWED = 4110, b"HY000", "Altering generated invisible primary key column '{}' is not allowed.";
    ER_DROP_PK_COLUMN_TO_DROP_GIPK = 4111, b"HY000",
        "Please drop primary key column to be able to drop generated invisible primary key.";
    ER_INNODB_INSTANT_ADD_NOT_SUPPORTED_MAX_FIELDS = 4158, b"HY000",
        "Column can't be added to '{}' with ALGORITHM=INSTANT anymore. Please try ALGORITHM=INPLACE/COPY.";
    ER_CTE_EXPANSION_LIMIT = 4169, b"HY000", "Common table expression expansion exceeded an implementation limit. Simplify the query.";
    ER_CANT_REPLICATE_ANONYMOUS_WITH_GTID_MODE_ON = 13149, b"HY000",
        "Cannot replicate anonymous transaction when @@GLOBAL.GTID_MODE = ON, at file {}, position {}.";
    ER_CANT_REPLICATE_GTID_WITH_GTID_MODE_OFF = 13150, b"HY000",
        "Cannot replicate GTID-transaction when @@GLOBAL.GTID_MODE = OFF, at file {}, position {}.";
}
