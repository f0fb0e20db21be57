import type { DocumentArtifact } from '../artifact.ts';
import { Protocols } from '../documents/protocols.ts';
import { formatJson } from '../format/json.ts';

const path = 'diplomacy/protocols.json';

export const protocols = {
  kind: 'document',
  path,
  area: 'diplomacy',
  title: 'Diplomatic protocols',
  description:
    'Procedures between those who keep ledgers, step by step: recognition, mutual verification, incidents, disputes, suspension of minting, requests for data, keys, revocations and withdrawal.',
  mediaType: 'application/json',
  restricted: false,
  refresh: 'release',
  schema: Protocols,
  render: ({ documents }) => formatJson(Protocols, documents.protocols, path),
} satisfies DocumentArtifact;
