// npm run dictionary: writes what documents say about the published files: docs/data-dictionary.md, and the table in README.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { dataDictionary, withPublishedFiles } from '../pipeline/artifacts/data-dictionary.ts';

const README = new URL('../README.md', import.meta.url);

writeFileSync(new URL('../docs/data-dictionary.md', import.meta.url), dataDictionary());
writeFileSync(README, withPublishedFiles(readFileSync(README, 'utf8')));
