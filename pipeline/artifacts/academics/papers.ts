import { Papers } from '../documents/papers.ts';
import { jsonDocument } from '../json-document.ts';

export const papers = jsonDocument({
  path: 'academics/papers.json',
  title: 'Papers index',
  description:
    'Papers on the mechanisms of the system, each with its status, intended venues, key result and the path of its text.',
  limits: [
    'The status of a paper says whether it was reviewed; most kinds were not.',
    'The texts come from the publisher, not from the ledger.',
  ],
  schema: Papers,
  tables: [{ name: 'papers', from: 'papers[]', key: ['id'] }],
  value: ({ documents }) => {
    const papers = documents.papers.map(({ id, title, status, venues, key_result, path }) => {
      return { id, title, status, venues, key_result, path };
    });
    return { papers };
  },
});
