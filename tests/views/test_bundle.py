"""The bundler of views: scopes, order, errors, and the bundle of every view."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import hashlib
import json
import re
import tomllib
from pathlib import Path

import pytest

from rcmviz.views.shared import assets
from rcmviz.views.shared.bundle import BundleError, bundle, resolve_import
from support.browser import chromium, page_of  # noqa: F401

ENTRY = "export default run;"
WITHOUT_STREAMLIT = ("class_follow", "lesson_file")


@pytest.fixture
def bundled(tmp_path):
    """Write modules, the first of them the entry, and bundle them: ``bundled({"entry.js": "…", …})``."""

    def write(modules, name="draw"):
        for file, code in modules.items():
            path = tmp_path / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(code, encoding="utf-8")
        return bundle(tmp_path / next(iter(modules)), name)

    return write


@pytest.fixture
def run(page_of):
    """A function that runs a bundle in the browser and returns its default export's result."""

    def execute(text):
        watched = page_of("about:blank")
        watched.page.add_script_tag(type="module", content=text + "window.found = draw();")
        watched.page.wait_for_function("() => window.found !== undefined")
        assert watched.errors == []
        return watched.page.evaluate("window.found")

    return execute


def test_names_of_two_modules_do_not_meet(bundled, run):
    modules = {
        "entry.js": 'import { a } from "./a.js";\nimport { b } from "./b.js";\nconst size = 3;\n'
        "const run = () => [a(), b(), size];\nexport default run;\n",
        "a.js": "const size = 1;\nexport function a() {\n  return size;\n}\n",
        "b.js": "const size = 2;\nexport const b = () => size;\n",
    }
    assert run(bundled(modules)) == [1, 2, 3]


def test_modules_run_once_each_in_the_order_of_the_imports(bundled, run):
    note = "globalThis.order = [...(globalThis.order ?? []), '{}'];\nexport const {} = 1;\n"
    modules = {
        "entry.js": 'import { b } from "./b.js";\nimport { a } from "./a.js";\nconst run = () => [order, a + b];\n'
        "export default run;\n",
        "a.js": 'import { c } from "./c.js";\n' + note.format("a", "a"),
        "b.js": 'import { c } from "./c.js";\n' + note.format("b", "b"),
        "c.js": note.format("c", "c"),
    }
    assert run(bundled(modules)) == [["c", "b", "a"], 2]


def test_folders_lists_renames_and_imports_over_several_lines(bundled, run):
    modules = {
        "word/entry.js": 'import {\n  linear,\n  Pen,\n  later,\n} from "../shared/kit.js";\n'
        'import { kit } from "./kit.js";\nconst run = () => [linear, new Pen().ink, kit, typeof later];\n'
        "export default run;\n",
        "shared/kit.js": 'const a = "scale";\nexport { a as linear };\nexport class Pen {\n  ink = "ink";\n}\n'
        "export async function later() {}\n",
        "word/kit.js": 'export const kit = "own";\n',
    }
    assert run(bundled(modules)) == ["scale", "ink", "own", "function"]


def test_comments_and_indentation_go_and_licences_stay(bundled):
    types = "/** @type {() => string} */\n/**\n * @type {(a: number,\n *   b: string) => void}\n */\n"
    code = '/*! ISC, Mike */\n// why\nconst run = () => {\n  return "// no comment"; // because\n};\n' + ENTRY
    code = types + "const two = /** @type {any} */ (2);\n/** @type {any} */ (two).three = 3;\n" + code
    text = bundled({"entry.js": code})
    assert "/*! ISC, Mike */" in text
    assert "// why" not in text
    assert "const two = (2);\n(two).three = 3;" in text and "@type" not in text
    assert '\nreturn "// no comment"; // because\n' in text


@pytest.mark.parametrize(
    "statement",
    [
        'import run from "./a.js";',
        'import * as run from "./a.js";',
        'import { a as run } from "./a.js";',
        'import "./a.js";',
        'import { run } from "d3-scale";',
        'import { run } from "./a.js"',
        "export let run = 1;",
        "export const { run } = {};",
        "export const [run] = [1];",
        'export * from "./a.js";',
        'export { run } from "./a.js";',
        'const run = () => import("./a.js");',
        "const run = () => import.meta.url;",
    ],
)
def test_unsupported_syntax_is_refused_with_its_file(bundled, statement):
    with pytest.raises(BundleError, match=r"entry\.js: "):
        bundled({"entry.js": f"{statement}\n{ENTRY}", "a.js": "export const a = 1;\n"})


def test_a_circle_is_named(bundled):
    modules = {
        "entry.js": 'import { a } from "./a.js";\n' + ENTRY,
        "a.js": 'import { b } from "./b.js";\nexport const a = 1;\n',
        "b.js": 'import { a } from "./a.js";\nexport const b = 1;\n',
    }
    with pytest.raises(BundleError, match=r"a\.js → b\.js → a\.js"):
        bundled(modules)


def test_missing_files_and_exports_are_named(bundled):
    with pytest.raises(BundleError, match=r"entry\.js .*a\.js .*: c, d"):
        bundled({"entry.js": 'import { a, c, d } from "./a.js";\n' + ENTRY, "a.js": "export const a = 1;\n"})
    with pytest.raises(BundleError, match=r"gone\.js"):
        bundled({"other.js": 'import { a } from "./gone.js";\n' + ENTRY})
    with pytest.raises(BundleError, match=r"third\.js has no default export"):
        bundled({"third.js": "export const a = 1;\n"})
    with pytest.raises(BundleError, match=r"inner\.js .*fourth\.js"):
        bundled({"fourth.js": 'import { a } from "./inner.js";\n' + ENTRY, "inner.js": ENTRY})


@pytest.mark.parametrize("view", sorted(assets.VIEWS))
def test_every_view_is_one_module_that_a_browser_takes(page_of, view):
    text = assets.script(view)
    assert not re.search(r"^import\b", text, re.MULTILINE)
    watched = page_of("about:blank")
    check = f"window.kind = typeof {assets.VIEWS[view].draw};"
    watched.page.add_script_tag(type="module", content=text + check)
    watched.page.wait_for_function("() => window.kind")
    assert watched.page.evaluate("window.kind") == "function"
    assert watched.errors == []


def test_every_module_belongs_to_a_view():
    used = {assets.WIDGET.resolve()}

    def visit(path):
        if path not in used:
            used.add(path)
            for file in re.findall(r'from "([^"]+)";', path.read_text(encoding="utf-8")):
                visit(resolve_import(path, file))

    for view in assets.VIEWS.values():
        visit((assets.FOLDER / view.entry).resolve())
    assert sorted(path.name for path in assets.FOLDER.rglob("*.js") if path.resolve() not in used) == []


def test_no_line_of_a_style_or_page_is_over_120():
    """eslint asks it of the modules."""
    files = [file for kind in ("css", "html") for file in assets.FOLDER.rglob(f"*.{kind}")]
    lines = [(file.name, line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    assert files and [(name, line) for name, line in lines if len(line) > 120] == []


def test_the_vendored_d3_is_what_make_vendor_builds():
    vendor = assets.FOLDER / "shared" / "vendor"
    text, made = (vendor / "d3.js").read_text(encoding="utf-8"), json.loads((vendor / "d3.json").read_text())
    assert hashlib.sha256(text.encode()).hexdigest() == made["sha256"]
    assert text.startswith("/*! " + ", ".join(made["made_from"]))
    assert "Permission to use, copy, modify" in text[:500]  # the bundle includes the licence
    assert all(f"{name.split()[0]}:\n" in (vendor / "LICENSES").read_text() for name in made["made_from"])


def test_streamlit_knows_the_modules_of_every_view():
    project = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text(encoding="utf-8"))
    views = [name for name, view in assets.VIEWS.items() if not (name in WITHOUT_STREAMLIT or view.is_of_page)]
    listed = project["tool"]["streamlit"]["component"]["components"]
    assert sorted(each["name"] for each in listed) == sorted(views)
    assert {each["asset_dir"] for each in listed} == {assets.FOLDER.name}
    assert "pyproject.toml" in project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
