# SPDX-License-Identifier: GPL-2.0
#
# For Sphinx, which selftests/docs calls: all pages become HTML, those of man/ become
# man pages too. A page man/NAME.SECTION.rst has a title "NAME(SECTION), ... -
# description" and is installed under each of the names.

import os
import pathlib
import re
import sys

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

here = pathlib.Path(__file__).resolve().parent
# What selftests/linux-source prints, and make version.
linux = os.environ["LINUX_SOURCE"]
version = release = os.environ["SCATTER_VERSION"]


def man_pages_of(path):
    section = int(path.suffixes[-2][1:])
    title = re.search(r"^(\w+\(\d\).*) - (.*)$", path.read_text(), re.MULTILINE)
    for name in re.findall(r"(\w+)\(\d\)", title[1]):
        yield ("man/" + path.stem, name, title[2], [], section)


project = "scatter"
author = "The scatter authors"
html_show_copyright = False
smartquotes = False
today_fmt = "%Y-%m-%d"

sys.path.insert(0, linux + "/Documentation/sphinx")
extensions = ["kerneldoc"]
kerneldoc_bin = linux + "/scripts/kernel-doc"
kerneldoc_srctree = str(here.parent)

primary_domain = "c"
highlight_language = "none"
# What comments and prototypes name that is documented elsewhere.
nitpick_ignore_regex = [
    ("c:func", "fork|open|poll|sizeof"),
    ("c:identifier", "size_t|u?int64_t"),
]

html_theme = "alabaster"
html_show_sourcelink = False
html_copy_source = False

man_pages = [page for path in sorted(here.glob("man/*.rst")) for page in man_pages_of(path)]
man_make_section_directory = True


class ListsForTables(SphinxPostTransform):
    """A man page has a list where a page of HTML has a table of two columns."""

    default_priority = 100
    builders = ("man",)

    def run(self):
        for table in list(self.document.findall(nodes.table)):
            body = next(table.findall(nodes.tbody))
            if all(len(row) == 2 for row in body):
                table.replace_self(nodes.definition_list("", *map(self.item, body)))

    def item(self, row):
        term = nodes.term("", "", *row[0][0].children)
        return nodes.definition_list_item("", term, nodes.definition("", *row[1].children))


def setup(app):
    app.add_post_transform(ListsForTables)
