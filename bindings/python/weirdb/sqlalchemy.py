"""SQLAlchemy's MySQL dialect over a database in this process: `create_engine("mysql+weirdb:///./data?schema=app")`.

The path of the URL is the data directory; without one the database is in memory. `schema` is the default schema, which is made if it is missing; other parameters
are options of the database. Needs SQLAlchemy 2, which is not installed along with this package.
"""

import json

from sqlalchemy import pool, types
from sqlalchemy.dialects.mysql.base import MySQLDialect, MySQLExecutionContext
from sqlalchemy.dialects.mysql.json import JSON, JSONIndexType, JSONPathType


class _ExecutionContext(MySQLExecutionContext):
    def create_server_side_cursor(self):
        # Rows are made as they are fetched; the next statement of the connection ends them.
        return self._dbapi_connection.cursor(stream=True)


class _JSON(JSON):
    """Values of JSON columns come as Python's already, unless the engine was made with a reader of its own."""

    def result_processor(self, dialect, coltype):
        read = dialect._json_deserializer
        return None if read is None else lambda value: None if value is None else read(json.dumps(value))


class WeirDialect(MySQLDialect):
    """MySQL as an embedded Weir speaks it."""

    driver = "weirdb"
    default_paramstyle = "qmark"
    execution_ctx_cls = _ExecutionContext
    supports_statement_cache = True
    supports_unicode_statements = True
    supports_native_decimal = True
    supports_server_side_cursors = True
    # Rows that an UPDATE leaves as they are do not count.
    supports_sane_rowcount = False
    supports_sane_multi_rowcount = False
    use_insertmanyvalues = False
    colspecs = {**MySQLDialect.colspecs, types.JSON: _JSON, types.JSON.JSONIndexType: JSONIndexType, types.JSON.JSONPathType: JSONPathType}

    @classmethod
    def import_dbapi(cls):
        import weirdb

        return weirdb

    @classmethod
    def get_pool_class(cls, url):
        # Each connection to a database in memory would be another database.
        return pool.StaticPool if url.database in (None, "", ":memory:") else pool.QueuePool

    def create_connect_args(self, url):
        options = dict(url.query)
        return [url.database or ":memory:"], options

    def _get_server_version_info(self, connection):
        return self._parse_server_version(connection.exec_driver_sql("SELECT VERSION()").scalar())

    def _detect_charset(self, connection):
        return "utf8mb4"

    def _extract_error_code(self, exception):
        return exception.errno

    def set_isolation_level(self, dbapi_connection, level):
        if level == "AUTOCOMMIT":
            dbapi_connection.autocommit = True
            return
        if dbapi_connection.autocommit:
            dbapi_connection.autocommit = False
        super().set_isolation_level(dbapi_connection, level)

    def get_isolation_level_values(self, dbapi_connection):
        return ("SERIALIZABLE", "READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "AUTOCOMMIT")

    def is_disconnect(self, e, connection, cursor):
        # The database is in this process: a connection ends by KILL alone.
        return isinstance(e, self.dbapi.Error) and getattr(e, "errno", None) in (1927, 2006, 2013)

    def do_ping(self, dbapi_connection):
        dbapi_connection.execute("SELECT 1").close()
        return True


dialect = WeirDialect
