"""One ES module from many: what a browser gets of the views is one text, written by this file from modules that import
each other. Node is not needed.

Understood is what the views use, everything else is refused with the file and the line; statements begin in column 0:

    import { a, b } from "./dom.js";        relative files, no defaults, no renames, on one line or several
    import { c } from "rcmviz/shared/d.js"; a file of rcmviz/views, from the folder of a page
    export function f() {}                  also async function, class and const, one name each
    export { inner as outer, other };
    export default mount(f);                of the entry alone: what the bundle exports

Each module becomes a function that is called once and returns what the module exports, so that names of one module
never meet those of another. Modules stand in the order in which a browser would run them: imported ones first, in
the order of the imports. Lines of comments, types (``/** … */``) and indentation are left out, licences (``/*! … */``)
stay: a template literal that goes over several lines would suffer, so the linter refuses it (eslint.config.js).
"""

import os
import re
from functools import cache
from pathlib import Path

_FILE = r'"((?:\.{1,2}|rcmviz)/[\w./-]+\.js)"'
_IMPORT = re.compile(rf"^import \{{\s*([\w$]+(?:\s*,\s*[\w$]+)*)\s*,?\s*\}} from {_FILE};$", re.MULTILINE)
_DECLARATION = re.compile(r"^export ((?:async )?function\*? |class |const )([\w$]+)(?=\W)", re.MULTILINE)
_LIST = re.compile(r"^export \{([\w$,\s]+)\};$", re.MULTILINE)
_DEFAULT = re.compile(r"^export default ", re.MULTILINE)
_UNKNOWN = re.compile(r"^(?:import|export)\b.*|\bimport(?:\s*\(|\.meta).*", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*//.*\n", re.MULTILINE)
_TYPE = re.compile(r"^[ \t]*/\*\*\s(?:(?!\*/)[\s\S])*\*/[ \t]*\n|/\*\* @type .*?\*/ ?", re.MULTILINE)
_INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)
_LIBRARY = Path(__file__).parents[1]


class BundleError(ValueError):
    """A module that cannot be bundled; the message names the file."""


class _Module:
    """What a file imports, [(names, path)], what it exports, {outer name: inner name}, and its code without both."""

    def __init__(self, path):
        try:
            code = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise BundleError(f"{path.name} is imported, but there is no such file: {path}") from None
        code = _TYPE.sub("", _COMMENT.sub("", code))
        self.path = path
        self.imports = [(_names(names), resolved(path, file)) for names, file in _IMPORT.findall(code)]
        self.exports = {name: name for _, name in _DECLARATION.findall(code)}
        for names in _LIST.findall(code):
            self.exports |= {outer: inner for inner, outer in map(_renamed, _names(names))}
        self.has_default = bool(_DEFAULT.search(code))
        code = _LIST.sub("", _DECLARATION.sub(r"\1\2", _IMPORT.sub("", code)))
        self.code = _DEFAULT.sub("return ", code)
        if unknown := _UNKNOWN.search(self.code):
            raise BundleError(f"{path.name}: this import or export is not understood: {unknown[0].strip()}")

    def written(self, slugs, name):
        """The module as a constant of that name."""
        lines = [f"const {{ {', '.join(names)} }} = {slugs[path]};" for names, path in self.imports]
        lines.append(_INDENTATION.sub("", self.code).strip())
        if not self.has_default:
            pairs = (outer if outer == inner else f"{outer}: {inner}" for outer, inner in self.exports.items())
            lines.append(f"return {{ {', '.join(pairs)} }};")
        return "\n".join([f"const {name} = (() => {{", *lines, "})();"])


def resolved(importer, file):
    """The path of a file as a module imports it."""
    package, _, rest = file.partition("/")
    return (_LIBRARY / rest if package == "rcmviz" else importer.parent / file).resolve()


def _names(text):
    return [name.strip() for name in text.split(",") if name.strip()]


def _renamed(text):
    inner, _, outer = text.partition(" as ")
    return inner.strip(), (outer or inner).strip()


@cache
def bundle(entry, name):
    """The entry (a path) and all that it imports as one ES module, whose default export is also called ``name``.

    Raises BundleError on a cycle, a missing file or name, or syntax that is not understood.
    """
    entry = Path(entry).resolve()
    modules = _in_order(entry)
    if not modules[entry].has_default:
        raise BundleError(f"{entry.name} has no default export")
    root = os.path.commonpath([path.parent for path in modules])
    slugs = {path: "$" + re.sub(r"\W", "$", str(path.relative_to(root).with_suffix(""))) for path in modules}
    slugs[entry] = name
    parts = [module.written(slugs, slugs[path]) for path, module in modules.items()]
    return "\n".join([*parts, f"export default {name};", ""])


def _in_order(entry):
    """{path: module}, whatever is imported before what imports it."""
    modules = {}

    def visit(path, above):
        if path in above:
            circle = [*above[above.index(path) :], path]
            raise BundleError("modules import each other in a circle: " + " → ".join(one.name for one in circle))
        if path in modules:
            return
        module = _Module(path)
        if above and module.has_default:
            raise BundleError(f"{path.name} has a default export, so it cannot be imported (by {above[-1].name})")
        for names, imported in module.imports:
            visit(imported, (*above, path))
            if missing := [name for name in names if name not in modules[imported].exports]:
                raise BundleError(f"{path.name} imports what {imported.name} does not export: {', '.join(missing)}")
        modules[path] = module

    visit(entry, ())
    return modules
