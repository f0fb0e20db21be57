import type { DocumentArtifact } from '../artifact.ts';
import { TreatyFramework } from '../documents/treaty-framework.ts';
import { formatJson } from '../format/json.ts';

const path = 'diplomacy/treaty-framework.json';

export const treatyFramework = {
  kind: 'document',
  path,
  area: 'diplomacy',
  title: 'Treaty framework',
  description:
    'The framework agreement on open and verifiable ledgers: articles, obligations with their proofs, classes of party, institutions and annexes. It is open for signature and claims nobody’s agreement.',
  mediaType: 'application/json',
  restricted: false,
  refresh: 'release',
  schema: TreatyFramework,
  render: ({ documents }) => formatJson(TreatyFramework, documents.treatyFramework, path),
} satisfies DocumentArtifact;
