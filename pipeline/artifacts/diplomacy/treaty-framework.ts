import { orEmpty } from '../documents/prose.ts';
import { PublishedTreatyFramework } from '../documents/treaty-framework.ts';
import { jsonDocument } from '../json-document.ts';

export const treatyFramework = jsonDocument({
  path: 'diplomacy/treaty-framework.json',
  title: 'Treaty framework',
  description:
    'The framework agreement on open and verifiable ledgers: articles, obligations with their proofs, classes of party, institutions and annexes. Its status and its signatures say whether anyone has agreed to it.',
  limits: [
    'The publisher wrote it. That it is published does not mean that anyone has agreed to it.',
    'It changes with a new text, not with the ledger. Before the first text its lists are empty and its other members null.',
  ],
  schema: PublishedTreatyFramework,
  tables: [
    {
      name: 'treaty_articles',
      from: 'articles[]',
      title: 'Treaty framework: articles',
      key: ['number'],
    },
    {
      name: 'treaty_paragraphs',
      from: 'articles[].paragraphs[]',
      title: 'Treaty framework: paragraphs',
      parent: { column: 'article', member: 'number' },
      key: ['article', 'number'],
      references: { article: 'treaty_articles' },
    },
    {
      name: 'treaty_obligations',
      from: 'obligations[]',
      title: 'Treaty framework: obligations',
      key: ['id'],
    },
  ],
  value: ({ documents }) => orEmpty(PublishedTreatyFramework, documents.treatyFramework),
});
