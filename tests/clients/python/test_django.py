"""A project in one file: its tables by schema editor, introspection, and queries with zones, JSON and locks."""

import datetime
import zoneinfo

import checks
import django
from django.conf import settings

settings.configure(
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.mysql",
            "NAME": checks.SCHEMA,
            "USER": "root",
            "HOST": checks.HOST,
            "PORT": str(checks.PORT),
        }
    },
    USE_TZ=True,
    TIME_ZONE="Europe/Berlin",
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
)
django.setup()

from django.db import IntegrityError, connection, models, transaction
from django.db.models import Count, F
from django.db.models.functions import Lower, TruncDay


class Entry(models.Model):
    title = models.CharField(max_length=40)
    at = models.DateTimeField()
    data = models.JSONField(default=dict)
    parent = models.ForeignKey("self", models.CASCADE, null=True)

    class Meta:
        app_label = "clients"
        indexes = [models.Index(Lower("title"), name="dj_lower")]
        constraints = [
            models.UniqueConstraint(Lower("title"), F("at").desc(), name="dj_unique"),
            models.CheckConstraint(condition=~models.Q(title=""), name="dj_check"),
        ]


with connection.schema_editor() as editor:
    editor.create_model(Entry)
with connection.cursor() as cursor:
    found = connection.introspection.get_constraints(cursor, Entry._meta.db_table)
assert found["dj_lower"]["index"] and found["dj_unique"]["unique"] and found["dj_check"]["check"], found
assert connection.features.has_zoneinfo_database and connection.features.supports_expression_indexes

at = datetime.datetime(2024, 6, 1, 23, 30, tzinfo=zoneinfo.ZoneInfo("UTC"))
one = Entry.objects.create(title="One", at=at, data={"tags": ["a", None]})
two = Entry.objects.create(title="Two", at=at, parent=one)
# Half past eleven in UTC is the next day in Berlin.
assert Entry.objects.filter(at__date=datetime.date(2024, 6, 2)).count() == 2
day = Entry.objects.annotate(day=TruncDay("at")).values_list("day", flat=True)[0]
assert day.date() == datetime.date(2024, 6, 2)
assert Entry.objects.get(data__tags__0="a") == one and Entry.objects.filter(data__tags__1=None).get() == one
assert Entry.objects.values("parent").annotate(n=Count("pk")).get(parent=one)["n"] == 1
try:
    with transaction.atomic():
        Entry.objects.create(title="ONE", at=at)
    raise AssertionError("dj_unique lets a second one in")
except IntegrityError as error:
    assert error.args[0] == 1062
with transaction.atomic():
    assert Entry.objects.select_for_update(skip_locked=True).count() == 2
for form in ["TRADITIONAL", "JSON", "TREE"]:
    assert Entry.objects.filter(title="One").explain(format=form)
two.delete()
one.delete()
assert not Entry.objects.exists()
with connection.schema_editor() as editor:
    editor.delete_model(Entry)
