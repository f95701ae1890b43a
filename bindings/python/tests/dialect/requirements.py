"""What MySQL has and has not of what the suite tries, as SQLAlchemy's own tests of MySQL have it."""

from sqlalchemy.testing import exclusions
from sqlalchemy.testing.requirements import SuiteRequirements

HAS = """foreign_keys_reflect_as_index unique_index_reflect_as_unique_constraints unique_constraints_reflect_as_index reflect_table_options
 comment_reflection temp_table_reflection temporary_tables temp_table_reflect_indexes autoincrement_insert
 savepoints isolation_level autocommit json_type computed_columns computed_columns_stored computed_columns_virtual computed_columns_reflect_persisted
 check_constraint_reflection window_functions ctes
 schemas cross_schema_fk_reflection views view_column_reflection update_from delete_from unicode_ddl
 precision_numerics_many_significant_digits fk_constraint_option_reflection_ondelete_restrict""".split()
LACKS = """datetime_microseconds time_microseconds timestamp_microseconds sql_expression_limit_offset unbounded_varchar server_side_cursors
 precision_generic_float_type insert_returning update_returning delete_returning sequences""".split()


class Requirements(SuiteRequirements):
    """Those of the suite, except for what follows."""


for names, rule in ((HAS, exclusions.open), (LACKS, exclusions.closed)):
    for name in names:
        if hasattr(SuiteRequirements, name):
            setattr(Requirements, name, property(lambda self, rule=rule: rule()))
