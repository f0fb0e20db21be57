import type { DocumentArtifact } from '../artifact.ts';
import { Papers } from '../documents/papers.ts';
import { formatJson } from '../format/json.ts';

const path = 'academics/papers.json';

export const papers = {
  kind: 'document',
  path,
  area: 'academics',
  title: 'Papers index',
  description:
    'Papers on the mechanisms of the system, each with its status, intended venues, key result and the path of its text.',
  limits: [
    'The status of a paper says whether it was reviewed; most kinds were not.',
    'The texts come from the publisher, not from the ledger.',
  ],
  mediaType: 'application/json',
  restricted: false,
  refresh: 'release',
  schema: Papers,
  tables: [{ name: 'papers', from: 'papers[]', key: ['id'] }],
  schemaHistory: [
    { version: '1.0.0', date: '2026-11-22', digest: 'd820e07185d70364', change: 'First published.' },
  ],
  render: ({ documents }) => {
    const papers = documents.papers.map(({ id, title, status, venues, key_result, path }) => {
      return { id, title, status, venues, key_result, path };
    });
    return formatJson(Papers, { papers }, path);
  },
} satisfies DocumentArtifact;
