"""The site: pages in Markdown (MyST), furo, the C API by Breathe. docs/make-html runs it over a copy of the pages."""
import os

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

project = "Phlexor"
copyright = "the authors of Phlexor"
release = version = os.environ["PHLEXOR_VERSION"]
html_title = f"Phlexor {version}"
root_doc = master_doc = "index"
extensions = ["myst_parser", "breathe", "sphinx.ext.mathjax", "sphinx_copybutton"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 4
copybutton_only_copy_prompt_lines = False
mathjax_path = "tex-svg-full.js"   # bundled: the site needs no network
breathe_projects = {"phlexor": os.environ["PHLEXOR_XML"]}
breathe_default_project = "phlexor"
breathe_domain_by_extension = {"h": "c"}
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}
html_show_sphinx = html_show_sourcelink = html_copy_source = False
pygments_style = "friendly"


class LinkSymbols(SphinxPostTransform):
    """`phx_model_read` in the text leads to its place in the C API."""

    default_priority = 5

    def run(self, **options):
        for literal in list(self.document.findall(nodes.literal)):
            name = literal.astext().removesuffix("()")
            if name.startswith("phx_") and name.isidentifier() and not isinstance(literal.parent, nodes.reference):
                link = addnodes.pending_xref("", literal.deepcopy(), refdomain="c", reftype="identifier",
                                             reftarget=name, refdoc=self.env.docname, refwarn=False)
                literal.replace_self(link)


class WholeFormulas(SphinxPostTransform):
    """Formulas with matrices stay as they are: Sphinx would put "split" around them, in which \\tag is an error."""

    default_priority = 5

    def run(self, **options):
        for formula in self.document.findall(nodes.math_block):
            if r"\\" in formula.astext():
                formula["nowrap"] = formula["no-wrap"] = True
                formula.children = [nodes.Text(r"\[" + formula.astext() + r"\]")]


# furo of Debian 12 has no style for the dark scheme of the system unless it is chosen by hand.
FOLLOW_SCHEME = ('if (document.body.dataset.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches)'
                 ' document.body.dataset.theme = "dark";')


def setup(app):
    app.add_js_file(None, body=f'addEventListener("DOMContentLoaded", () => {{ {FOLLOW_SCHEME} }});')
    app.add_post_transform(LinkSymbols)
    app.add_post_transform(WholeFormulas)
