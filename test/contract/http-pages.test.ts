import { join } from 'node:path';
import { madeOnce } from '../site/made-once.ts';
import { NOW, testTables } from './http/run-tables.ts';
import { publishSample } from './http/seam.ts';

testTables(['pages.txt'], () =>
  madeOnce('http-pages', async (folder) => {
    const made = { ledger: join(folder, 'ledger'), out: join(folder, 'out') };
    await publishSample(made, { site: true, now: () => NOW });
    return made;
  }),
);
