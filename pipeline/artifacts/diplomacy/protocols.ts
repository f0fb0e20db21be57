import type { DocumentArtifact } from '../artifact.ts';
import { orEmpty } from '../documents/prose.ts';
import { PublishedProtocols } from '../documents/protocols.ts';
import { formatJson } from '../format/json.ts';

const path = 'diplomacy/protocols.json';

export const protocols = {
  kind: 'document',
  path,
  area: 'diplomacy',
  title: 'Diplomatic protocols',
  description:
    'Procedures between those who keep ledgers, step by step: recognition, mutual verification, incidents, disputes, suspension of minting, requests for data, keys, revocations and withdrawal.',
  limits: [
    'The publisher wrote it, and it binds nobody who has not agreed to it.',
    'It changes with a new text, not with the ledger. Before the first text its lists are empty and its other members null.',
  ],
  mediaType: 'application/json',
  restricted: false,
  refresh: 'release',
  schema: PublishedProtocols,
  tables: [
    {
      name: 'protocols',
      from: 'protocols[]',
      title: 'Diplomatic protocols',
      key: ['id'],
    },
    {
      name: 'protocol_steps',
      from: 'protocols[].steps[]',
      title: 'Diplomatic protocols: steps',
      parent: { column: 'protocol', member: 'id' },
      key: ['protocol', 'order'],
      references: { protocol: 'protocols' },
    },
  ],
  schemaHistory: [
    { version: '1.0.0', date: '2026-11-22', digest: 'c2e1bec674b72add', change: 'First published.' },
  ],
  render: ({ documents }) =>
    formatJson(PublishedProtocols, orEmpty(PublishedProtocols, documents.protocols), path),
} satisfies DocumentArtifact;
