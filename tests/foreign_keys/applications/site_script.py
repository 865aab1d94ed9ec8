# SPDX-License-Identifier: GPL-2.0-only
"""A site in Django, with its contributed applications and django CMS:
`STAGE SOCKET DATABASE ENGINE`.

Runs in a process of its own. What it prints must be the same on each engine. Django leaves out the
indexes of foreign keys where the engine is named InnoDB, as that makes its own. So it is told on
both sides that the engine is ENGINE.
"""

import random
import sys

import django
import pymysql
from django.conf import settings

APPLICATIONS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "django.contrib.sites",
    "django.contrib.messages",
    "django.contrib.admin",
    "django.contrib.flatpages",
    "django.contrib.redirects",
    "treebeard",
    "sekizai",
    "cms",
    "menus",
]
LANGUAGES = (("en", "English"), ("de", "Deutsch"))
TEMPLATE = ("page.html", "Page")


def set_up(socket: str, database: str, engine: str) -> None:
    pymysql.install_as_MySQLdb()
    settings.configure(
        SECRET_KEY="of a test",
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.mysql",
                "NAME": database,
                "USER": "root",
                "HOST": socket,
                "OPTIONS": {"charset": "utf8mb4"},
            }
        },
        INSTALLED_APPS=APPLICATIONS,
        LANGUAGES=LANGUAGES,
        LANGUAGE_CODE="en",
        SITE_ID=1,
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        CMS_TEMPLATES=[TEMPLATE],
        CMS_PERMISSION=True,
        CMS_CONFIRM_VERSION4=True,
        CMS_LANGUAGES={1: [{"code": code, "name": name} for code, name in LANGUAGES]},
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "OPTIONS": {
                    "loaders": [
                        ("django.template.loaders.locmem.Loader", {TEMPLATE[0]: TEMPLATE_TEXT})
                    ],
                    "context_processors": [
                        "django.template.context_processors.request",
                        "django.contrib.auth.context_processors.auth",
                        "sekizai.context_processors.sekizai",
                        "cms.context_processors.cms_settings",
                    ],
                },
            }
        ],
    )
    django.setup()
    from django.db import connection

    connection.introspection.get_storage_engine = lambda cursor, table: engine


TEMPLATE_TEXT = (
    '{% load cms_tags sekizai_tags %}{% render_block "css" %}'
    '{% placeholder "content" %}{% placeholder "side" %}{% render_block "js" %}'
)


def migrate(*target: str) -> None:
    from django.core.management import call_command

    call_command("migrate", *target, verbosity=0, interactive=False, skip_checks=True)


def fill(amount: str) -> None:
    number = int(amount)
    users = add_people(number)
    add_pages(number, users)
    add_site_contents(number, users)
    show_counts()


def add_people(number: int) -> list:
    from django.contrib.auth.models import Group, Permission, User

    draw, permissions = random.Random(1), list(Permission.objects.order_by("id"))
    groups = [Group.objects.create(name=f"group {n}") for n in range(number)]
    for group in groups:
        group.permissions.set(draw.sample(permissions, 5))
    users = []
    for n in range(number):
        user = User.objects.create(username=f"user{n}", password="!", is_staff=n % 2 == 0)
        user.groups.set(draw.sample(groups, 3))
        user.user_permissions.set(draw.sample(permissions, 3))
        users.append(user)
    return users


def add_pages(number: int, users: list) -> None:
    from cms.api import create_page
    from cms.models import CMSPlugin, GlobalPagePermission, PagePermission
    from django.contrib.auth.models import Group
    from django.contrib.sites.models import Site

    pages = []
    for n in range(number):
        parent = pages[n // 3] if n % 4 else None
        page = create_page(
            f"Page {n}", TEMPLATE[0], LANGUAGES[n % 2][0], parent=parent, created_by=users[0]
        )
        pages.append(page)
        content = page.pagecontent_set(manager="admin_manager").get()
        content.rescan_placeholders()
        for placeholder in content.placeholders.order_by("slot"):
            for position in (1, 2, 3):
                CMSPlugin.objects.create(
                    placeholder=placeholder, plugin_type="TextPlugin", language=content.language,
                    position=position,
                    parent=CMSPlugin.objects.filter(placeholder=placeholder).first(),
                )  # fmt: skip
        group = Group.objects.order_by("id")[n]
        PagePermission.objects.create(page=page, user=users[n], group=group)
        allowed = GlobalPagePermission.objects.create(user=users[n], group=group)
        allowed.sites.set(Site.objects.all())


def add_site_contents(number: int, users: list) -> None:
    from cms.models import PageUser, PageUserGroup, Placeholder, UserSettings
    from django.contrib.admin.models import CHANGE, LogEntry
    from django.contrib.contenttypes.models import ContentType
    from django.contrib.flatpages.models import FlatPage
    from django.contrib.redirects.models import Redirect
    from django.contrib.sites.models import Site

    kinds = list(ContentType.objects.order_by("id"))
    for n in range(number):
        site = Site.objects.create(domain=f"{n}.example.org", name=f"site {n}")
        flat = FlatPage.objects.create(url=f"/{n}/", title=f"flat {n}", content="text " * n)
        flat.sites.set([site, Site.objects.get(id=1)])
        Redirect.objects.create(site=site, old_path=f"/{n}", new_path="/")
        LogEntry.objects.create(
            user=users[n], content_type=kinds[n % len(kinds)], object_id=str(n),
            object_repr=f"object {n}", action_flag=CHANGE, change_message="[]",
        )  # fmt: skip
        clipboard = Placeholder.objects.create(slot="clipboard")
        UserSettings.objects.create(user=users[n], language="en", clipboard=clipboard)
        PageUser.objects.create(username=f"editor{n}", password="!", created_by=users[n])
        PageUserGroup.objects.create(name=f"editors {n}", created_by=users[n])


def change() -> None:
    """Deletes through the framework, and what the server must refuse by itself."""
    from cms.models import Page
    from django.contrib.auth.models import Group, User
    from django.contrib.sites.models import Site
    from django.db import connection, transaction

    User.objects.filter(username="user3").delete()
    Group.objects.filter(name__in=["group 1", "group 2"]).delete()
    Site.objects.filter(name="site 4").delete()
    leaf = Page.objects.order_by("-id").first()
    leaf.delete()
    with transaction.atomic():
        User.objects.filter(username="user5").update(first_name="Ada")
        first = User.objects.order_by("id").first()
        first.groups.clear()
        first.groups.add(Group.objects.get(name="group 5"))
    for statement in (
        "DELETE FROM auth_user ORDER BY id LIMIT 1",
        "DELETE FROM django_site WHERE id = 1",
        "DELETE FROM auth_permission ORDER BY id LIMIT 1",
        "INSERT INTO auth_user_groups (user_id, group_id) VALUES (1, 4711)",
        "UPDATE django_admin_log SET content_type_id = 4711 ORDER BY id LIMIT 1",
        "UPDATE cms_page SET parent_id = 4711 ORDER BY id LIMIT 1",
        "TRUNCATE TABLE auth_group",
    ):
        refused(connection, statement)
    show_counts()


def refused(connection, statement: str) -> None:
    from django.db import Error, transaction

    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
            print(f"{statement}: not refused")
    except Error as error:
        print(f"{statement}: {error.__class__.__name__} {error.args}")


def back() -> None:
    """As far as the migrations can be taken back."""
    for target in (
        ("cms", "0043"),
        ("flatpages", "zero"),
        ("redirects", "zero"),
        ("admin", "zero"),
        ("sessions", "zero"),
    ):
        migrate(*target)
    migrate("admin")


def show_counts() -> None:
    from django.apps import apps

    for model in apps.get_models(include_auto_created=True):
        print(model._meta.db_table, model._base_manager.count())


STAGES = {"migrate": migrate, "fill": fill, "change": change, "back": back}


if __name__ == "__main__":
    stage, at, name, engine_name, *more = sys.argv[1:]
    set_up(at, name, engine_name)
    STAGES[stage](*more)
