import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../../src/api/openapi/open-api-document.ts';
import { exampleOf, type PublicFiles } from '../../../src/api/routes/examples.ts';
import { ORGANISATION } from '../../organisation.ts';
import type { OpenApiDocument } from './operation.ts';

const BASE_URL = 'https://data.example.org';
const PUBLIC = join(import.meta.dirname, '../../contract/release/examples');

/** The example release of the contract. */
export const goldenFiles: PublicFiles = {
  read: ({ path }) => JSON.parse(readFileSync(join(PUBLIC, path), 'utf8')),
  head: (path, bytes) => readFileSync(join(PUBLIC, path)).subarray(0, bytes).toString(),
};

/** The document of the example release. */
export function goldenDocument(): OpenApiDocument {
  return openApiDocument({
    baseUrl: BASE_URL,
    version: '1.0.0',
    organisation: ORGANISATION,
    subjects: {
      government: 'Policy',
      economy: 'Market',
      academics: 'Research',
      philosophy: 'Ethics',
      diplomacy: 'Diplomacy',
    },
    example: (artifact) => exampleOf(artifact, goldenFiles),
  }) as OpenApiDocument;
}
