import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { expect, test } from 'vitest';
import { readDocuments } from '../../pipeline/artifacts/documents.ts';
import { DEMO_ORIGIN } from '../../pipeline/ledger/writing/demo-key.ts';
import { RunningCli, runHere } from '../contract/commands/seam.ts';
import { filesBelow } from '../files-below.ts';
import { NORTHBY, writeOrganisation } from '../organisation.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';

/** Where the software is named as software. */
const SOFTWARE = ['CITATION.cff', 'about/index.html'];
test('a whole publication names its organisation, and nowhere the demo or this software as its author', async () => {
  const folder = await temporaryFolder();
  const ledger = join(folder, 'ledger');
  await runHere('ledger init', [ledger, '--origin', 'ledger.northby.example']);
  writeOrganisation(ledger);
  const [out, keys] = [join(folder, 'out'), ['--ledger-signing-key', `${ledger}.key`]];
  const own = ['--ledger', ledger, '--out', out, '--publisher-key', join(folder, 'publisher.key'), ...keys];
  const built = await new RunningCli([
    'build',
    ...own,
    '--base-url',
    'https://data.northby.example',
  ]).finished();
  expect([built.status, built.stderr]).toEqual([0, expect.anything()]);
  const demo = await readDocuments('data/documents');
  const words = [
    ...['Cathedral Data Service', demo.organisation.contact, DEMO_ORIGIN, demo.treatyFramework!.title],
    ...demo.papers.map(({ title }) => title),
  ];
  const root = join(out, 'current/public');
  const found = filesBelow(root)
    .filter(([path]) => !/\.(br|gz)$/.test(path))
    .flatMap(([path, bytes]) =>
      words.filter((word) => bytes.includes(word)).map((word) => `${path}: ${word}`),
    );
  expect(found.sort()).toEqual(SOFTWARE.map((path) => `${path}: Cathedral Data Service`));
  for (const path of 'index.html about/index.html llms.txt datapackage.json catalog.jsonld feed.atom'.split(
    ' ',
  ))
    expect(readFileSync(join(root, path), 'utf8')).toContain(NORTHBY.name);
  for (const path of ['government/transparency.pdf', 'charts/supply.pdf']) {
    const pdf = await getDocument({ data: new Uint8Array(readFileSync(join(root, path))) }).promise;
    const { info } = await pdf.getMetadata();
    expect(info).toMatchObject({ Author: NORTHBY.name, Creator: NORTHBY.name });
    const { items } = await (await pdf.getPage(1)).getTextContent();
    const text = items.map((item) => ('str' in item ? item.str : '')).join(' ');
    expect(text).toMatch(/Council of Northby/i);
    for (const word of words) expect(text).not.toContain(word);
  }
}, 600_000);
