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
    'Papers on the mechanisms of the system, each with its status, the venues it is meant for, its key result and the path of its text.',
  mediaType: 'application/json',
  restricted: false,
  refresh: 'release',
  schema: Papers,
  render: ({ documents }) => formatJson(Papers, documents.papers, path),
} satisfies DocumentArtifact;
