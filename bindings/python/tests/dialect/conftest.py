"""SQLAlchemy's suite for dialects, over the one of this package."""

import pytest
import sqlalchemy.dialects.mysql.provision  # noqa: F401 - how the suite makes temporary tables and drops schemas on MySQL
from sqlalchemy.dialects import registry

registry.register("mysql.weirdb", "weirdb.sqlalchemy", "dialect")
pytest.register_assert_rewrite("sqlalchemy.testing.assertions")

from sqlalchemy.testing.plugin.pytestplugin import *  # noqa: E402, F403
