import type { DocumentArtifact } from '../artifact.ts';
import { Standards } from '../documents/standards.ts';
import { formatJson } from '../format/json.ts';

const path = 'diplomacy/standards.json';

export const standards = {
  kind: 'document',
  path,
  area: 'diplomacy',
  title: 'International standards',
  description:
    'Requirements for publishing a ledger so that it can be read, verified and witnessed, each with a test, in three conformance levels.',
  mediaType: 'application/json',
  restricted: false,
  refresh: 'release',
  schema: Standards,
  render: ({ documents }) => formatJson(Standards, documents.standards, path),
} satisfies DocumentArtifact;
