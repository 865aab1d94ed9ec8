# SPDX-License-Identifier: GPL-2.0-only
"""Each word of the pages is in Debian's British dictionary, or in terms.txt. Passed over are code
and what is no word of a sentence: capitals, numbers, names of files and of variables."""

import re
import subprocess
from pathlib import Path

from markdown_it import MarkdownIt

from tools import paths, rules
from tools.errors import DevError
from tools.website import staging

DEBIAN_PACKAGES = ["hunspell", "hunspell-en-gb"]
TERMS = Path(__file__).with_name("terms.txt")
# names of files, addresses, variables, functions
NAME = re.compile(r"\S*[/_.@=:]\S*[A-Za-z0-9]")
WORD = re.compile(r"(?<!\w)[A-Za-z][a-z]+(?:'[a-z]+)?(?!\w)")

parser = MarkdownIt("commonmark").enable("table")


def words(page: str) -> dict[str, int]:
    """The words of a page's sentences, each with the line at which its paragraph begins first."""
    found: dict[str, int] = {}
    for token in parser.parse(page):
        for child in token.children or []:
            if child.type == "text":
                for word in WORD.findall(NAME.sub(" ", child.content)):
                    found.setdefault(word, token.map[0] + 1)
    return found


def unknown(candidates: set[str]) -> set[str]:
    """Those that the dictionary does not have."""
    done = subprocess.run(
        ["hunspell", "-d", "en_GB", "-l"],
        input="\n".join(sorted(candidates)),
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise DevError(f"hunspell: {done.stderr.strip()}")
    return candidates & set(done.stdout.split())


def terms() -> set[str]:
    """In lower case; sentences may begin with them."""
    return {line for line in TERMS.read_text().splitlines() if not line.startswith("#")}


def findings(pages: dict[str, str], known: set[str]) -> list[str]:
    """`pages`: the text of each by its path. Also names the terms that no page needs any more."""
    found = {path: words(text) for path, text in pages.items()}
    wrong = unknown({stem(word) for page in found.values() for word in page})
    lines = [
        f"{path}:{line}: '{word}' is in no dictionary"
        for path, page in found.items()
        for word, line in page.items()
        if stem(word) in wrong and stem(word).lower() not in known
    ]
    needless = known - {word.lower() for word in wrong}
    return lines + [f"{TERMS.name}: no page needs '{term}'" for term in sorted(needless)]


def stem(word: str) -> str:
    """Without the s of the genitive."""
    return word.removesuffix("'s")


def check() -> list[str]:
    pages = staging.pages(rules.files_of_project())
    return findings({str(p): (paths.ROOT / p).read_text() for p in pages}, terms())
