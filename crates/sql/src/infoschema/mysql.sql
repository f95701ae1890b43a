CREATE TABLE user (
    Host $host, User $user,
    Select_priv $no, Insert_priv $no, Update_priv $no, Delete_priv $no, Create_priv $no, Drop_priv $no, Reload_priv $no,
    Shutdown_priv $no, Process_priv $no, File_priv $no, Grant_priv $no, References_priv $no, Index_priv $no, Alter_priv $no,
    Show_db_priv $no, Super_priv $no, Create_tmp_table_priv $no, Lock_tables_priv $no, Execute_priv $no, Repl_slave_priv $no,
    Repl_client_priv $no, Create_view_priv $no, Show_view_priv $no, Create_routine_priv $no, Alter_routine_priv $no,
    Create_user_priv $no, Event_priv $no, Trigger_priv $no, Create_tablespace_priv $no,
    ssl_type enum('','ANY','X509','SPECIFIED') $ci NOT NULL DEFAULT '',
    ssl_cipher blob NOT NULL, x509_issuer blob NOT NULL, x509_subject blob NOT NULL,
    max_questions $count, max_updates $count, max_connections $count, max_user_connections $count,
    plugin char(64) NOT NULL DEFAULT 'caching_sha2_password', authentication_string text,
    password_expired $no, password_last_changed timestamp NULL DEFAULT NULL, password_lifetime smallint unsigned,
    account_locked $no, Create_role_priv $no, Drop_role_priv $no,
    Password_reuse_history smallint unsigned, Password_reuse_time smallint unsigned,
    Password_require_current enum('N','Y') $ci, User_attributes json,
    PRIMARY KEY (Host, User)
) $bin COMMENT='Users and global privileges';

CREATE TABLE db (
    Host $host, Db $name, User $user,
    Select_priv $no, Insert_priv $no, Update_priv $no, Delete_priv $no, Create_priv $no, Drop_priv $no, Grant_priv $no,
    References_priv $no, Index_priv $no, Alter_priv $no, Create_tmp_table_priv $no, Lock_tables_priv $no, Create_view_priv $no,
    Show_view_priv $no, Create_routine_priv $no, Alter_routine_priv $no, Execute_priv $no, Event_priv $no, Trigger_priv $no,
    PRIMARY KEY (Host, User, Db), KEY User (User)
) $bin COMMENT='Database privileges';

CREATE TABLE tables_priv (
    Host $host, Db $name, User $user, Table_name $name, Grantor $by, Timestamp $now,
    Table_priv set('Select','Insert','Update','Delete','Create','Drop','Grant','References','Index','Alter','Create View','Show view','Trigger') $ci NOT NULL DEFAULT '',
    Column_priv $columns,
    PRIMARY KEY (Host, User, Db, Table_name), KEY Grantor (Grantor)
) $bin COMMENT='Table privileges';

CREATE TABLE columns_priv (
    Host $host, Db $name, User $user, Table_name $name, Column_name $name, Timestamp $now, Column_priv $columns,
    PRIMARY KEY (Host, User, Db, Table_name, Column_name)
) $bin COMMENT='Column privileges';

CREATE TABLE procs_priv (
    Host $host, Db $name, User $user, Routine_name char(64) $ci NOT NULL DEFAULT '',
    Routine_type enum('FUNCTION','PROCEDURE') NOT NULL, Grantor $by,
    Proc_priv set('Execute','Alter Routine','Grant') $ci NOT NULL DEFAULT '', Timestamp $now,
    PRIMARY KEY (Host, User, Db, Routine_name, Routine_type), KEY Grantor (Grantor)
) $bin COMMENT='Procedure privileges';

CREATE TABLE global_grants (
    USER $user, HOST $host, PRIV char(32) $ci NOT NULL DEFAULT '', WITH_GRANT_OPTION $no,
    PRIMARY KEY (USER, HOST, PRIV)
) $bin COMMENT='Extended global grants';

CREATE TABLE role_edges (
    FROM_HOST $host, FROM_USER $user, TO_HOST $host, TO_USER $user, WITH_ADMIN_OPTION $no,
    PRIMARY KEY (FROM_HOST, FROM_USER, TO_HOST, TO_USER)
) $bin COMMENT='Role hierarchy and role grants';

CREATE TABLE default_roles (
    HOST $host, USER $user, DEFAULT_ROLE_HOST char(255) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL DEFAULT '%', DEFAULT_ROLE_USER $user,
    PRIMARY KEY (HOST, USER, DEFAULT_ROLE_HOST, DEFAULT_ROLE_USER)
) $bin COMMENT='Default roles';

CREATE TABLE password_history (
    Host $host, User $user, Password_timestamp timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6), Password text,
    PRIMARY KEY (Host, User, Password_timestamp DESC)
) $bin COMMENT='Password history for user accounts';

CREATE TABLE proxies_priv (
    Host $host, User $user, Proxied_host $host, Proxied_user $user, With_grant tinyint(1) NOT NULL DEFAULT '0', Grantor $by,
    Timestamp $now,
    PRIMARY KEY (Host, User, Proxied_host, Proxied_user), KEY Grantor (Grantor)
) $bin COMMENT='User proxy privileges';

CREATE TABLE component (
    component_id int unsigned NOT NULL AUTO_INCREMENT, component_group_id int unsigned NOT NULL, component_urn text NOT NULL,
    PRIMARY KEY (component_id)
) DEFAULT CHARSET=utf8mb3 ROW_FORMAT=DYNAMIC COMMENT='Components';

CREATE TABLE func (
    name $name, ret tinyint NOT NULL DEFAULT '0', dl char(128) NOT NULL DEFAULT '',
    type enum('function','aggregate') $ci NOT NULL,
    PRIMARY KEY (name)
) $bin COMMENT='User defined functions';

CREATE TABLE plugin (
    name varchar(64) NOT NULL DEFAULT '', dl varchar(128) NOT NULL DEFAULT '',
    PRIMARY KEY (name)
) $plain COMMENT='MySQL plugins';

CREATE TABLE servers (
    Server_name $name, Host $host, Db $name, Username $name, Password $name, Port int NOT NULL DEFAULT '0', Socket $name,
    Wrapper $name, Owner $name,
    PRIMARY KEY (Server_name)
) $plain COMMENT='MySQL Foreign Servers table';

CREATE TABLE engine_cost (
    engine_name varchar(64) NOT NULL, device_type int NOT NULL, cost_name varchar(64) NOT NULL, cost_value float, last_update $now,
    comment varchar(1024),
    default_value float GENERATED ALWAYS AS (CASE cost_name WHEN 'io_block_read_cost' THEN 1.0 WHEN 'memory_block_read_cost' THEN 0.25 ELSE NULL END) VIRTUAL,
    PRIMARY KEY (cost_name, engine_name, device_type)
) $plain;

CREATE TABLE server_cost (
    cost_name varchar(64) NOT NULL, cost_value float, last_update $now, comment varchar(1024),
    default_value float GENERATED ALWAYS AS (CASE cost_name WHEN 'disk_temptable_create_cost' THEN 20.0 WHEN 'disk_temptable_row_cost' THEN 0.5 WHEN 'key_compare_cost' THEN 0.05 WHEN 'memory_temptable_create_cost' THEN 1.0 WHEN 'memory_temptable_row_cost' THEN 0.1 WHEN 'row_evaluate_cost' THEN 0.1 ELSE NULL END) VIRTUAL,
    PRIMARY KEY (cost_name)
) $plain;

CREATE TABLE general_log (
    event_time timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), user_host mediumtext NOT NULL,
    thread_id bigint unsigned NOT NULL, server_id int unsigned NOT NULL, command_type varchar(64) NOT NULL,
    argument mediumblob NOT NULL
) DEFAULT CHARSET=utf8mb3 COMMENT='General log';

CREATE TABLE slow_log (
    start_time timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), user_host mediumtext NOT NULL,
    query_time time(6) NOT NULL, lock_time time(6) NOT NULL, rows_sent int NOT NULL, rows_examined int NOT NULL,
    db varchar(512) NOT NULL, last_insert_id int NOT NULL, insert_id int NOT NULL, server_id int unsigned NOT NULL,
    sql_text mediumblob NOT NULL, thread_id bigint unsigned NOT NULL
) DEFAULT CHARSET=utf8mb3 COMMENT='Slow log';

CREATE TABLE help_topic (
    help_topic_id int unsigned NOT NULL, name char(64) NOT NULL, help_category_id smallint unsigned NOT NULL, description text NOT NULL,
    example text NOT NULL, url text NOT NULL,
    PRIMARY KEY (help_topic_id), UNIQUE KEY name (name)
) $plain COMMENT='help topics';

CREATE TABLE help_category (
    help_category_id smallint unsigned NOT NULL, name char(64) NOT NULL, parent_category_id smallint unsigned, url text NOT NULL,
    PRIMARY KEY (help_category_id), UNIQUE KEY name (name)
) $plain COMMENT='help categories';

CREATE TABLE help_relation (
    help_topic_id int unsigned NOT NULL, help_keyword_id int unsigned NOT NULL,
    PRIMARY KEY (help_keyword_id, help_topic_id)
) $plain COMMENT='keyword-topic relation';

CREATE TABLE help_keyword (
    help_keyword_id int unsigned NOT NULL, name char(64) NOT NULL,
    PRIMARY KEY (help_keyword_id), UNIQUE KEY name (name)
) $plain COMMENT='help keywords';

CREATE TABLE innodb_index_stats (
    database_name varchar(64) NOT NULL, table_name varchar(199) NOT NULL, index_name varchar(64) NOT NULL, last_update $now,
    stat_name varchar(64) NOT NULL, stat_value bigint unsigned NOT NULL, sample_size bigint unsigned,
    stat_description varchar(1024) NOT NULL,
    PRIMARY KEY (database_name, table_name, index_name, stat_name)
) $bin;

CREATE TABLE innodb_table_stats (
    database_name varchar(64) NOT NULL, table_name varchar(199) NOT NULL, last_update $now, n_rows bigint unsigned NOT NULL,
    clustered_index_size bigint unsigned NOT NULL, sum_of_other_index_sizes bigint unsigned NOT NULL,
    PRIMARY KEY (database_name, table_name)
) $bin;

CREATE TABLE time_zone (
    Time_zone_id int unsigned NOT NULL AUTO_INCREMENT, Use_leap_seconds enum('Y','N') NOT NULL DEFAULT 'N',
    PRIMARY KEY (Time_zone_id)
) $plain COMMENT='Time zones';

CREATE TABLE time_zone_name (
    Name char(64) NOT NULL, Time_zone_id int unsigned NOT NULL,
    PRIMARY KEY (Name)
) $plain COMMENT='Time zone names';

CREATE TABLE time_zone_leap_second (
    Transition_time bigint NOT NULL, Correction int NOT NULL,
    PRIMARY KEY (Transition_time)
) $plain COMMENT='Leap seconds information for time zones';

CREATE TABLE time_zone_transition (
    Time_zone_id int unsigned NOT NULL, Transition_time bigint NOT NULL, Transition_type_id int unsigned NOT NULL,
    PRIMARY KEY (Time_zone_id, Transition_time)
) $plain COMMENT='Time zone transitions';

CREATE TABLE time_zone_transition_type (
    Time_zone_id int unsigned NOT NULL, Transition_type_id int unsigned NOT NULL, Offset int NOT NULL DEFAULT '0',
    Is_DST tinyint unsigned NOT NULL DEFAULT '0', Abbreviation char(8) NOT NULL DEFAULT '',
    PRIMARY KEY (Time_zone_id, Transition_type_id)
) $plain COMMENT='Time zone transition types';

CREATE TABLE gtid_executed (
    source_uuid char(36) NOT NULL COMMENT 'uuid of the source where the transaction was originally executed.',
    interval_start bigint NOT NULL COMMENT 'First number of interval.',
    interval_end bigint NOT NULL COMMENT 'Last number of interval.',
    PRIMARY KEY (source_uuid, interval_start)
) STATS_PERSISTENT=0 ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4;
