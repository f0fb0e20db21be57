import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { previewOf } from '../../src/site/files/preview.ts';
import { SiteRelease } from '../../src/site/layout/release.ts';
import { ORGANISATION } from '../organisation.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';

const ABOUT = {
  kind: 'data',
  area: 'government',
  media_type: 'application/json',
  rows: null,
  immutable: false,
};
const HASH = 'a'.repeat(64);

const json = (path: string, schema: z.ZodType) => ({ path, mediaType: 'application/json', schema });

async function release(text = '{"a":1}\n'): Promise<SiteRelease> {
  const dir = await temporaryFolder();
  const about = { ...ABOUT, bytes: text.length, sha256: HASH, encodings: {} };
  const files = [
    { ...about, path: 'open.json', restricted: false },
    { ...about, path: 'gated.json', restricted: true },
  ];
  const ledger = { origin: 'l', snapshot: '2026-10-01T00Z', size: 1, root: HASH };
  const facts = { timestamp: '2026-09-30T18:00:00Z', ledger, software: 's', inputs: HASH };
  await mkdir(join(dir, 'public'));
  await writeFile(join(dir, 'public', 'open.json'), text);
  // Were it read at all, it would be from here.
  await writeFile(join(dir, 'public', 'gated.json'), text);
  await writeFile(
    join(dir, 'manifest.json'),
    JSON.stringify({ format: 'cathedral-draft/1', ...facts, files }),
  );
  return new SiteRelease(dir, {
    baseUrl: 'https://data.example.org',
    organisation: ORGANISATION,
  });
}

describe('a file that pages read', () => {
  test('is public and checked against its schema', async () => {
    const site = await release();
    expect(site.read(json('open.json', z.strictObject({ a: z.number() })))).toEqual({ a: 1 });
    expect(() => site.read(json('open.json', z.strictObject({ a: z.string() })))).toThrow(
      expect.objectContaining({ code: 'site_failed', place: expect.stringContaining('open.json') }),
    );
  });

  test.each([
    ['gated.json', 'a restricted one'],
    ['absent.json', 'none'],
  ])('is never %s', async (path, found) => {
    const site = await release();
    expect(() => site.read(json(path, z.unknown()))).toThrow(
      expect.objectContaining({ code: 'site_failed', found }),
    );
    expect(() => site.head(path, 10)).toThrow(expect.objectContaining({ code: 'site_failed', found }));
  });

  test('is previewed from its beginning', () => {
    const about = { media_type: 'application/json', bytes: 100 };
    const long = previewOf(JSON.stringify(Array.from({ length: 40 }, (_, index) => index)), about);
    expect(long).toMatchObject({ kind: 'text', whole: false });
    expect(long?.kind === 'text' && long.text.split('\n')).toHaveLength(28);
    expect(previewOf('{"a":1}', about)).toMatchObject({ text: '{\n  "a": 1\n}', whole: true });
    expect(previewOf('%PDF', { media_type: 'application/pdf', bytes: 4 })).toBeNull();
  });
});
