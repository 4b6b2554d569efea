"""The frame of every page: one file that needs nothing else, readable by day and by night, on paper and on a phone."""

from __future__ import annotations

from html import escape

__all__ = ["page"]

STYLE = """
:root { color-scheme: light dark;
  --ink: #1c2430; --faint: #667085; --line: #e3e7ee; --paper: #fff; --tint: #f5f7fb; --mark: #2458c5; }
@media (prefers-color-scheme: dark) { :root {
  --ink: #e6e9ef; --faint: #97a1b3; --line: #2d3544; --paper: #12161d; --tint: #1a202b; --mark: #8fb2ff; } }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 62rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, "Noto Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .75rem; line-height: 1.25; }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
.faint { color: var(--faint); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin-top: .5rem; }
th, td { padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
thead th { color: var(--faint); font-weight: 500; }
tbody th { font-weight: 600; }
"""


def page(title: str, body: str, style: str = "") -> str:
    """Return a whole HTML page.

    Parameters
    ----------
    title : str
        Plain text.
    body : str
        HTML, everything foreign in it escaped already.
    style : str
        CSS besides what every page has.

    Examples
    --------
    >>> "<title>a &amp; b</title>" in page("a & b", "<p>text</p>")
    True
    """
    return (
        '<!doctype html>\n<html><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}{style}</style></head>\n<body>\n{body}\n</body></html>\n"
    )
