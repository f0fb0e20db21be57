import { readFileSync } from 'node:fs';
import { Organisation } from '../pipeline/artifacts/documents/organisation.ts';

/** The organisation of the demo, whose documents most tests publish. */
export const ORGANISATION = Organisation.parse(
  JSON.parse(readFileSync(new URL('../data/documents/organisation.json', import.meta.url), 'utf8')),
);
