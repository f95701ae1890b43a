"""Settings for Django's own test suite against a server on WEIR_PORT: see docs/clients.md."""

import os


def database(name):
    return {
        "ENGINE": "django.db.backends.mysql",
        "NAME": name,
        "USER": "root",
        "HOST": "127.0.0.1",
        "PORT": os.environ["WEIR_PORT"],
        "OPTIONS": {"charset": "utf8mb4"},
        "TEST": {"CHARSET": "utf8mb4", "COLLATION": "utf8mb4_general_ci"},
    }


DATABASES = {"default": database("django"), "other": database("django_other")}
SECRET_KEY = "django_tests_secret_key"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
USE_TZ = False
