"""Bundle JavaScript modules: one ES module from an entry and all its imports, without Node.

The syntax below is supported, anything else is refused with file and line; statements begin in column 0:

    import { a, b } from "./dom.js";        relative files, no defaults, no renames, on one line or several
    import { c } from "rcmviz/shared/d.js"; a file of rcmviz/views, from the folder of a page
    export function f() {}                  also async function, class and const, one name each
    export { inner as outer, other };
    export default mount(f);                of the entry only: the export of the bundle

Each module becomes a function that is called once and returns its exports, so that names of different modules never
clash. Modules are in the order in which a browser would run them: imports first, in their order. Comment lines, types
(``/** … */``) and indentation are left out, licences (``/*! … */``) stay. This would change template literals of
several lines, so the linter refuses them (eslint.config.js).
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
    """A file's imports [(names, path)], its exports {outer name: inner name}, and its code without both."""

    def __init__(self, path):
        try:
            code = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise BundleError(f"{path.name} is imported, but the file is missing: {path}") from None
        code = _TYPE.sub("", _COMMENT.sub("", code))
        self.path = path
        self.imports = [(_names(names), resolve_import(path, file)) for names, file in _IMPORT.findall(code)]
        self.exports = {name: name for _, name in _DECLARATION.findall(code)}
        for names in _LIST.findall(code):
            self.exports |= {outer: inner for inner, outer in map(_split_alias, _names(names))}
        self.has_default = bool(_DEFAULT.search(code))
        code = _LIST.sub("", _DECLARATION.sub(r"\1\2", _IMPORT.sub("", code)))
        self.code = _DEFAULT.sub("return ", code)
        if unknown := _UNKNOWN.search(self.code):
            raise BundleError(f"{path.name}: unsupported import or export: {unknown[0].strip()}")

    def as_constant(self, slugs, name):
        """Return the module as a constant of that name."""
        lines = [f"const {{ {', '.join(names)} }} = {slugs[path]};" for names, path in self.imports]
        lines.append(_INDENTATION.sub("", self.code).strip())
        if not self.has_default:
            pairs = (outer if outer == inner else f"{outer}: {inner}" for outer, inner in self.exports.items())
            lines.append(f"return {{ {', '.join(pairs)} }};")
        return "\n".join([f"const {name} = (() => {{", *lines, "})();"])


def resolve_import(importer, file):
    """Return the path of a file that a module imports."""
    package, _, rest = file.partition("/")
    return (_LIBRARY / rest if package == "rcmviz" else importer.parent / file).resolve()


def _names(text):
    return [name.strip() for name in text.split(",") if name.strip()]


def _split_alias(text):
    inner, _, outer = text.partition(" as ")
    return inner.strip(), (outer or inner).strip()


@cache
def bundle(entry, name):
    """Return the entry (a path) with all its imports as one ES module, whose default export is also called ``name``.

    Raises BundleError on a cycle, a missing file or name, or syntax that is not understood.
    """
    entry = Path(entry).resolve()
    modules = _in_order(entry)
    if not modules[entry].has_default:
        raise BundleError(f"{entry.name} has no default export")
    root = os.path.commonpath([path.parent for path in modules])
    slugs = {path: "$" + re.sub(r"\W", "$", str(path.relative_to(root).with_suffix(""))) for path in modules}
    slugs[entry] = name
    parts = [module.as_constant(slugs, slugs[path]) for path, module in modules.items()]
    return "\n".join([*parts, f"export default {name};", ""])


def _in_order(entry):
    """Return {path: module}, with imports before the modules that import them."""
    modules = {}

    def visit(path, above):
        if path in above:
            circle = [*above[above.index(path) :], path]
            raise BundleError("circular import: " + " → ".join(one.name for one in circle))
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
