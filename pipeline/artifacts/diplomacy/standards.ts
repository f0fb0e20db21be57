import { orEmpty } from '../documents/prose.ts';
import { PublishedStandards } from '../documents/standards.ts';
import { jsonDocument } from '../json-document.ts';

export const standards = jsonDocument({
  path: 'diplomacy/standards.json',
  title: 'International standards',
  description:
    'Requirements for publishing a ledger so that it can be read, verified and witnessed, each with a test, in three conformance levels.',
  limits: [
    'The publisher wrote it. Whether a ledger conforms has to be tested.',
    'It changes with a new text, not with the ledger. Before the first text its lists are empty and its other members null.',
  ],
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
  value: ({ documents }) => orEmpty(PublishedStandards, documents.standards),
});
