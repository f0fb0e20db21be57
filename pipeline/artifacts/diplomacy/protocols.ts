import { orEmpty } from '../documents/prose.ts';
import { PublishedProtocols } from '../documents/protocols.ts';
import { jsonDocument } from '../json-document.ts';

export const protocols = jsonDocument({
  path: 'diplomacy/protocols.json',
  title: 'Diplomatic protocols',
  description:
    'Procedures between those who keep ledgers, step by step: recognition, mutual verification, incidents, disputes, suspension of minting, requests for data, keys, revocations and withdrawal.',
  limits: [
    'The publisher wrote it, and it binds nobody who has not agreed to it.',
    'It changes with a new text, not with the ledger. Before the first text its lists are empty and its other members null.',
  ],
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
  value: ({ documents }) => orEmpty(PublishedProtocols, documents.protocols),
});
