// npm run dictionary: writes docs/data-dictionary.md from the schemas of the published files.
import { writeFileSync } from 'node:fs';
import { dataDictionary } from '../pipeline/artifacts/data-dictionary.ts';

writeFileSync(new URL('../docs/data-dictionary.md', import.meta.url), dataDictionary());
