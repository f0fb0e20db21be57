import type { DocumentArtifact } from '../artifact.ts';
import { orEmpty } from '../documents/prose.ts';
import { PublishedStandards } from '../documents/standards.ts';
import { formatJson } from '../format/json.ts';

const path = 'diplomacy/standards.json';

export const standards = {
  kind: 'document',
  path,
  area: 'diplomacy',
  title: 'International standards',
  description:
    'Requirements for publishing a ledger so that it can be read, verified and witnessed, each with a test, in three conformance levels.',
  limits: [
    'The publisher wrote it. Whether a ledger conforms has to be tested.',
    'It changes with a new text, not with the ledger. Before the first text its lists are empty and its other members null.',
  ],
  mediaType: 'application/json',
  restricted: false,
  refresh: 'release',
  schema: PublishedStandards,
  tables: [
    {
      name: 'standards',
      from: 'standards[]',
      title: 'International standards',
      key: ['id'],
    },
    {
      name: 'standard_clauses',
      from: 'standards[].clauses[]',
      title: 'International standards: clauses',
      parent: { column: 'standard', member: 'id' },
      key: ['id'],
      references: { standard: 'standards' },
    },
  ],
  schemaHistory: [
    { version: '1.0.0', date: '2026-11-22', digest: '257d2866df879730', change: 'First published.' },
  ],
  render: ({ documents }) =>
    formatJson(PublishedStandards, orEmpty(PublishedStandards, documents.standards), path),
} satisfies DocumentArtifact;
