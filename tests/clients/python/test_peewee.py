import checks
from peewee import CharField, DateTimeField, DecimalField, ForeignKeyField, IntegrityError, Model, MySQLDatabase, fn

database = MySQLDatabase(checks.SCHEMA, user="root", host=checks.HOST, port=checks.PORT)


class Base(Model):
    class Meta:
        database = database


class User(Base):
    name = CharField(unique=True)
    since = DateTimeField(null=True)
    sum = DecimalField(max_digits=10, decimal_places=2, default=0)


class Note(Base):
    user = ForeignKeyField(User, backref="notes", on_delete="CASCADE")
    text = CharField()


database.create_tables([User, Note])
assert [k.dest_table for k in database.get_foreign_keys("note")] == ["user"]
assert {i.name for i in database.get_indexes("user")} == {"PRIMARY", "user_name"}
with database.atomic():
    ada = User.create(name="Ada")
    Note.insert_many([(ada, "one"), (ada, "two")], fields=[Note.user, Note.text]).execute()
try:
    with database.atomic():
        User.create(name="Ada")
    raise AssertionError("a second Ada")
except IntegrityError as error:
    assert error.args[0] == 1062
User.insert(name="Ada", sum=1).on_conflict(preserve=[User.sum]).execute()
counted = User.select(User, fn.COUNT(Note.id).alias("n")).join(Note).group_by(User).get()
assert counted.n == 2 and counted.sum == 1
ada.delete_instance()
assert Note.select().count() == 0
database.drop_tables([Note, User])
