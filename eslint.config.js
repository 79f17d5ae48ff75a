// How the JavaScript of the views is checked: eslint's recommended rules, no line over 120, and no more of import and
// export than our own bundler understands (bundle.py says what that is).

import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

import js from "@eslint/js";
import globals from "globals";

const NAMES = /^export (?:(?:async )?function\*? |class |const )([\w$]+)|^export \{([^}]+)\};/gm;

function exportsOf(file) {
  const found = [...readFileSync(file, "utf8").matchAll(NAMES)];
  const names = (list) => list.split(",").map((one) => one.split(" as ").at(-1).trim());
  return new Set(found.flatMap(([, name, list]) => (name ? [name] : names(list))));
}

// Each name that is imported is exported by the file that it is imported from, and keeps its name.
const imports = {
  create: (context) => ({
    ImportDeclaration(node) {
      const inLibrary = node.source.value.startsWith("rcmviz/");
      const file = inLibrary
        ? resolve("rcmviz/views", node.source.value.slice("rcmviz/".length))
        : resolve(dirname(context.filename), node.source.value);
      if (!(inLibrary || /^\.\.?\//.test(node.source.value)) || !existsSync(file)) {
        context.report({ node, message: `no such file: ${node.source.value}` });
        return;
      }
      const known = exportsOf(file);
      for (const { imported, local } of node.specifiers) {
        if (imported?.name !== local.name) context.report({ node, message: "import { names } as they are called" });
        else if (!known.has(local.name)) {
          context.report({ node, message: `${node.source.value} does not export ${local.name}` });
        }
      }
    },
  }),
};

const BUNDLED = [
  ["ImportDeclaration[specifiers.length=0]", "import { names } from a relative file"],
  ["ImportExpression", "no import while running: all modules are one text"],
  ["MetaProperty[meta.name='import']", "no import.meta: all modules are one text"],
  ["ExportAllDeclaration", "export names where they are declared"],
  ["ExportNamedDeclaration[source]", "export names where they are declared"],
  ["ExportNamedDeclaration > VariableDeclaration[kind!='const']", "what is exported does not change: export a const"],
  ["ExportNamedDeclaration > VariableDeclaration > VariableDeclarator > ObjectPattern", "export one name each"],
  ["ExportNamedDeclaration > VariableDeclaration > VariableDeclarator > ArrayPattern", "export one name each"],
  ["MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|srcdoc)$/]",
    "no HTML from a string: dom.js makes elements and text"],
  ["TemplateElement[value.raw=/\\n/]", "the bundler takes indentation away: no text over several lines"],
].map(([selector, message]) => ({ selector, message }));

export default [
  { ignores: ["**/vendor/**", "**/node_modules/**", ".venv/**", "build/**", "dist/**"] },
  js.configs.recommended,
  {
    rules: {
      "max-len": ["error", { code: 120 }],
      "no-unused-vars": "error",
      "no-undef": "error",
      "prefer-const": "error",
      eqeqeq: "error",
    },
  },
  {
    files: ["rcmviz/**/*.js", "pages/**/*.js", "docs/**/*.js"],
    languageOptions: { globals: globals.browser },
    plugins: { views: { rules: { imports } } },
    rules: { "views/imports": "error", "no-restricted-syntax": ["error", ...BUNDLED] },
  },
  { files: ["*.js", "scripts/**/*.js"], languageOptions: { globals: globals.node } },
];
