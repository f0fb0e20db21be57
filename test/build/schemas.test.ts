import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDirectory } from '../../pipeline/ledger/reading/directory.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { buildSmall } from '../formats/small-release.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';

const SCHEMA = 'schemas/economy/mii.schema.json';

test('schemas stay from run to run, a damaged one is made again, and another address makes others', async () => {
  const folder = await temporaryFolder();
  const ledger = join(folder, 'ledger');
  await writeSample({ out: ledger, from: '2025-12-31', to: '2026-01-02', seed: 3 });
  const { id } = (await openDirectory(ledger).snapshots(null)).at(-1)!;
  const withheld = ['.ndjson.zst', '.checkpoint'].map((ending) => `${id}${ending}`);
  for (const name of withheld) await rename(join(ledger, 'snapshots', name), join(folder, name));
  const run = async (baseUrl: string) => {
    const { dir, manifest } = await buildSmall(folder, 'out', { extras: false, baseUrl });
    const schemas = manifest.files.filter(({ path }) => path.startsWith('schemas/'));
    const place = (path: string) => join(dir, 'public', path);
    return { schemas, place, text: await readFile(place(SCHEMA), 'utf8') };
  };
  const first = await run('https://data.example.org');
  await rm(first.place(SCHEMA));
  await writeFile(first.place(first.schemas.at(-1)!.path), 'damaged');
  for (const name of withheld) await rename(join(folder, name), join(ledger, 'snapshots', name));
  const second = await run('https://data.example.org');
  expect(second.schemas).toEqual(first.schemas);
  expect(second.text).toBe(first.text);
  expect(await readFile(second.place(second.schemas.at(-1)!.path), 'utf8')).not.toBe('damaged');
  const elsewhere = await run('https://elsewhere.example');
  expect(elsewhere.schemas.map(({ path }) => path)).toEqual(first.schemas.map(({ path }) => path));
  expect(elsewhere.text).toBe(first.text.replaceAll('https://data.example.org', 'https://elsewhere.example'));
});
