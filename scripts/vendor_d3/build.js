// make vendor: d3's scales and shapes as one file without unused functions, with its licence and sources.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const OUT = resolve(process.argv[2]);

const read = (file) => readFileSync(resolve(HERE, file), "utf8");
const { outputFiles, metafile } = await build({
  absWorkingDir: HERE,
  entryPoints: ["entry.js"],
  alias: { "d3-interpolate": "./interpolate.js", "d3-format": "./format.js" },
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  write: false,
  metafile: true,
});

const inside = Object.entries(Object.values(metafile.outputs)[0].inputs).filter(
  ([, { bytesInOutput }]) => bytesInOutput,
);
const packages = [...new Set(inside.map(([file]) => file.match(/node_modules\/([^/]+)/)?.[1]).filter(Boolean))].sort();
const made = packages.map((name) => `${name} ${JSON.parse(read(`node_modules/${name}/package.json`)).version}`);
const licences = packages.map((name) => `${name}:\n\n${read(`node_modules/${name}/LICENSE`).trim()}\n`).join("\n");
const holders = [...new Set(licences.match(/^Copyright .*$/gm))].join("; ");
const terms = licences.match(/^Permission to use[^]*?\n\n[^]*?SOFTWARE\.$/m)[0];

const header = `/*! ${made.join(", ")}. ${holders}. ISC licence.
Made by "make vendor" with esbuild ${JSON.parse(read("node_modules/esbuild/package.json")).version}; do not edit.

${terms} */
`;
const code = outputFiles[0].text.trim().replace(/;?export\{(.*?)\};?$/, (_, names) => `;\nexport { ${names} };\n`);
const text = header + code;

mkdirSync(OUT, { recursive: true });
writeFileSync(resolve(OUT, "d3.js"), text);
writeFileSync(resolve(OUT, "LICENSES"), licences);
const sha256 = createHash("sha256").update(text).digest("hex");
writeFileSync(resolve(OUT, "d3.json"), JSON.stringify({ made_from: made, sha256 }, null, 2) + "\n");
console.log(`d3.js: ${text.length} characters from ${made.join(", ")}`);
