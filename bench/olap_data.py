# SPDX-License-Identifier: GPL-2.0-only
"""Rows of a wide fact table that look like a shop's: visits with a customer, a product, a place, a
device and a campaign, many columns of which depend on others and few values of which are common."""

import random
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

FIRST_DAY = date(2024, 1, 1)

COLUMNS = """
 day DATE NOT NULL, id BIGINT NOT NULL, at DATETIME NOT NULL, session CHAR(32) NOT NULL,
 customer INT NOT NULL, customer_name VARCHAR(40) NOT NULL, customer_since DATE NOT NULL,
 segment VARCHAR(12) NOT NULL, email_domain VARCHAR(24) NOT NULL, loyalty TINYINT NOT NULL,
 country CHAR(2) NOT NULL, region VARCHAR(24) NOT NULL, city VARCHAR(32) NOT NULL,
 currency CHAR(3) NOT NULL, language VARCHAR(8) NOT NULL, sku CHAR(12) NOT NULL,
 product VARCHAR(60) NOT NULL, category VARCHAR(24) NOT NULL, brand VARCHAR(24) NOT NULL,
 price DECIMAL(10,2) NOT NULL, quantity SMALLINT NOT NULL, discount DECIMAL(4,2) NOT NULL,
 tax DECIMAL(10,2) NOT NULL, amount DECIMAL(12,2) NOT NULL, payment VARCHAR(16) NOT NULL,
 status VARCHAR(12) NOT NULL, device VARCHAR(12) NOT NULL, system VARCHAR(16) NOT NULL,
 browser VARCHAR(16) NOT NULL, screen VARCHAR(12) NOT NULL, user_agent VARCHAR(140) NOT NULL,
 url VARCHAR(160) NOT NULL, referrer VARCHAR(80) NOT NULL, campaign VARCHAR(32) NOT NULL,
 channel VARCHAR(16) NOT NULL, seconds INT NOT NULL, pages SMALLINT NOT NULL,
 returned TINYINT NOT NULL, warehouse VARCHAR(16) NOT NULL, note VARCHAR(80) NULL,
 PRIMARY KEY (day, id), KEY customer_day (customer, day)
"""
PLACES = [
    ("DE", "Bayern", "Muenchen", "EUR", "de-DE"), ("DE", "Berlin", "Berlin", "EUR", "de-DE"),
    ("DE", "Hamburg", "Hamburg", "EUR", "de-DE"), ("FR", "Ile-de-France", "Paris", "EUR", "fr-FR"),
    ("FR", "Occitanie", "Toulouse", "EUR", "fr-FR"),
    ("US", "California", "San Jose", "USD", "en-US"),
    ("US", "New York", "New York", "USD", "en-US"), ("US", "Texas", "Austin", "USD", "en-US"),
    ("GB", "England", "London", "GBP", "en-GB"), ("GB", "Scotland", "Glasgow", "GBP", "en-GB"),
    ("ES", "Catalunya", "Barcelona", "EUR", "es-ES"), ("IT", "Lombardia", "Milano", "EUR", "it-IT"),
    ("PL", "Mazowieckie", "Warszawa", "PLN", "pl-PL"), ("SE", "Skane", "Malmo", "SEK", "sv-SE"),
    ("JP", "Kanto", "Tokyo", "JPY", "ja-JP"), ("BR", "Sao Paulo", "Campinas", "BRL", "pt-BR"),
]  # fmt: skip
DEVICES = [
    ("phone", "Android 14", "Chrome", "412x915",
     "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0 Mobile"),
    ("phone", "iOS 17", "Safari", "390x844",
     "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148"),
    ("desktop", "Windows 11", "Edge", "1920x1080",
     "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0 Edg/126.0"),
    ("desktop", "Linux", "Firefox", "2560x1440",
     "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"),
    ("tablet", "iPadOS 17", "Safari", "1024x1366",
     "Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5"),
]  # fmt: skip
CATEGORIES = ["shoes", "jackets", "lamps", "books", "phones", "garden", "toys", "kitchen"]
BRANDS = ["Norda", "Alpen", "Kiso", "Veltro", "Maro", "Tindra", "Oxley", "Brisa"]
ADJECTIVES = ["light", "classic", "urban", "winter", "compact", "premium", "basic", "outdoor"]
PAYMENTS = ["card", "card", "card", "invoice", "wallet", "wallet", "transfer"]
STATES = ["delivered"] * 8 + ["returned", "cancelled", "open"]
CAMPAIGNS = [("", "direct")] * 4 + [
    ("spring-sale", "mail"), ("retarget-q2", "display"), ("brand-2024", "search"),
    ("influencer-17", "social"),
]  # fmt: skip
CUSTOMERS, PRODUCTS = 20_000, 2_000


def skewed(source: random.Random, n: int) -> int:
    """From 0 to n - 1, the low ones far more often."""
    return int(n * source.random() ** 3)


class Generator:
    """Rows of single days; a day has the same rows whenever it is asked for, `version` apart."""

    def __init__(self, rows_a_day: int):
        self.rows_a_day = rows_a_day
        source = random.Random(1)
        self._customers = [self._customer(source, n) for n in range(CUSTOMERS)]
        self._products = [self._product(source, n) for n in range(PRODUCTS)]

    def _customer(self, source: random.Random, number: int) -> str:
        name = "".join(source.choice(["ka", "to", "mi", "ra", "se", "lu", "ne"]) for _ in range(4))
        since = FIRST_DAY - timedelta(days=source.randrange(3000))
        segment = source.choice(["new", "regular", "regular", "premium"])
        domain = source.choice(["mail.example", "post.example", "firm.example", "uni.example"])
        place = "\t".join(PLACES[skewed(source, len(PLACES))])
        return (
            f"{number}\t{name.title()} {number % 977}\t{since}\t{segment}\t{domain}\t"
            f"{source.randrange(5)}\t{place}"
        )

    def _product(self, source: random.Random, number: int) -> tuple[str, float]:
        category, brand = source.choice(CATEGORIES), source.choice(BRANDS)
        price = round(5 + 400 * source.random() ** 4, 2)
        name = f"{brand} {source.choice(ADJECTIVES)} {category} {number % 37}"
        return f"{brand[:3].upper()}-{number:08d}\t{name}\t{category}\t{brand}", price

    def day(self, number: int, version: int = 0) -> Iterator[str]:
        """The rows of the day `number` days after the first, as lines for LOAD DATA."""
        source = random.Random(number * 1000 + version)
        day = FIRST_DAY + timedelta(days=number)
        for n in range(self.rows_a_day):
            yield self._row(source, str(day), number * self.rows_a_day + n, n)

    def _row(self, source: random.Random, day: str, key: int, n: int) -> str:
        second = n * 86400 // self.rows_a_day
        at = f"{day} {second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        product, price = self._products[skewed(source, PRODUCTS)]
        quantity = 1 + skewed(source, 5)
        discount = source.choice((0, 0, 0, 0.1, 0.25))
        amount = round(price * quantity * (1 - discount), 2)
        campaign, channel = source.choice(CAMPAIGNS)
        path = product.split("\t")
        url = f"https://shop.example/{path[2]}/{path[0].lower()}?ref={channel}"
        referrer = "" if channel == "direct" else f"https://{channel}.example/out"
        note = "\\N" if source.random() < 0.9 else f"please ring twice, door {n % 40}"
        fields = (
            day, str(key), at, f"{source.getrandbits(128):032x}",
            self._customers[skewed(source, CUSTOMERS)], product, f"{price:.2f}", str(quantity),
            str(discount), f"{amount * 0.19:.2f}", f"{amount:.2f}", source.choice(PAYMENTS),
            source.choice(STATES), "\t".join(DEVICES[skewed(source, len(DEVICES))]), url, referrer,
            campaign, channel, str(int(600 * source.random() ** 2)), str(1 + skewed(source, 20)),
            str(int(source.random() < 0.08)), f"depot-{key % 7}", note,
        )  # fmt: skip
        return "\t".join(fields) + "\n"


def write(generator: Generator, days: range, file: Path, version: int = 0) -> int:
    """Writes the rows of some days; the bytes of the file."""
    with open(file, "w") as output:
        for number in days:
            output.writelines(generator.day(number, version))
    return file.stat().st_size


def day_text(number: int) -> str:
    return str(FIRST_DAY + timedelta(days=number))
