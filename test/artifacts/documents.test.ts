import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { KEYWORDS, LEVELS } from '../../pipeline/artifacts/documents/standards.ts';
import { readDocuments } from '../../pipeline/artifacts/documents.ts';
import { edit, faultOf, openCopies, REAL } from './documents/damaged-copy.ts';

const ONLY = expect.stringMatching(/^only .*treaty-framework\.json.* and papers\/<key>\.md$/);

const copies = openCopies();
afterAll(() => copies.remove());

describe('the documents of the service', () => {
  test('are accepted', async () => {
    const documents = await readDocuments(REAL);
    expect(documents.treatyFramework!.cycle).toBe('C-156');
    expect(documents.paperTexts.size).toBe(documents.papers.length);
  });

  test('are accepted with marks of direction and soft hyphens, which prose has in many languages', async () => {
    const dir = copies.next();
    edit(dir, 'standards.json', (text) =>
      text.replace('"title": "', '"title": "שלום!\u200f Rechts\u00adschutz '),
    );
    expect((await readDocuments(dir)).standards!.title).toMatch(/^שלום!\u200f/);
  });

  test('claim no signature', async () => {
    const { treatyFramework } = await readDocuments(REAL);
    expect(treatyFramework!.parties.signatures).toEqual([]);
  });

  test('refer to every work in the list of references, and use every keyword and level', async () => {
    const standards = (await readDocuments(REAL)).standards!;
    const used = new Set([
      ...standards.standards.flatMap(({ references }) => references),
      ...standards.conventions.flatMap((text) => text.match(/RFC \d+/g) ?? []),
    ]);
    expect(standards.references.map(({ id }) => id).filter((id) => !used.has(id))).toEqual([]);
    const clauses = standards.standards.flatMap((standard) => standard.clauses);
    expect(new Set(clauses.map(({ keyword }) => keyword))).toEqual(new Set(KEYWORDS));
    expect(new Set(clauses.map(({ level }) => level))).toEqual(new Set(LEVELS));
  });

  test('have papers of 400 to 750 words', async () => {
    const { paperTexts } = await readDocuments(REAL);
    for (const [id, text] of paperTexts) {
      const words = text.split(/\s+/).length;
      expect(words, id).toBeGreaterThan(400);
      expect(words, id).toBeLessThan(750);
    }
  });
});

describe('readDocuments refuses a file', () => {
  test.each<[string, string, (text: string) => string | Buffer, string, string]>([
    [
      'that is not UTF-8',
      'standards.json',
      (text) => Buffer.from(text.replace('–', 'é'), 'latin1'),
      'data/documents/standards.json:890',
      'UTF-8 (save the file with this encoding)',
    ],
    [
      'in which nobody sees a character',
      'standards.json',
      (text) => text.replace('"title": "', '"title": "\u202e'),
      'data/documents/standards.json: title',
      'text without U+202E (character 1), which nobody sees',
    ],
    [
      'that is not JSON',
      'standards.json',
      (text) => text.replace('{', '{,'),
      'data/documents/standards.json',
      'JSON, with a string at character 1',
    ],
    [
      'that gives a member twice',
      'standards.json',
      (text) => text.replace('"version":', '"title": "x", "version":'),
      'data/documents/standards.json: title',
      'each member once, none of them __proto__',
    ],
    [
      'whose heading is not the title',
      'papers/drift-windows.md',
      (text) => text.replace('# Drift', '# The drift'),
      'data/documents/papers/drift-windows.md:1',
      '# Drift as a difference of windows',
    ],
    [
      'that is empty',
      'papers/drift-windows.md',
      () => '',
      'data/documents/papers/drift-windows.md:1',
      '# Drift as a difference of windows',
    ],
  ])('%s', async (_, file, change, place, expected) => {
    const dir = copies.next();
    edit(dir, file, change);
    expect(await faultOf(dir)).toMatchObject({ code: 'document_invalid', place, expected });
  });

  test.each<[string, (dir: string) => void, string, string]>([
    [
      'that is missing, where another refers to it',
      (dir) => rmSync(join(dir, 'protocols.json')),
      'treaty-framework.json: articles[16].paragraphs[0].text',
      'a protocol',
    ],
    [
      'that is missing among the papers, where there is no address either',
      (dir) => rmSync(join(dir, 'papers/drift-windows.md')),
      'papers.bib:54: drift-windows.url',
      'url = {https://…}, or its text in papers/drift-windows.md',
    ],
    [
      'under another name',
      (dir) => renameSync(join(dir, 'papers.bib'), join(dir, 'Papers.bib')),
      'Papers.bib',
      ONLY,
    ],
    [
      'that should not be there',
      (dir) => writeFileSync(join(dir, 'treaty-framework.json~'), ''),
      'treaty-framework.json~',
      ONLY,
    ],
    ['that is hidden', (dir) => writeFileSync(join(dir, '.draft'), ''), '.draft', ONLY],
    [
      'of a paper that is not in the bibliography',
      (dir) => writeFileSync(join(dir, 'papers/x.md'), '# x\n'),
      'papers/x.md',
      'an entry with the key x in papers.bib',
    ],
    [
      'in a folder that should not be there',
      (dir) => {
        mkdirSync(join(dir, 'a'));
        writeFileSync(join(dir, 'a/papers.bib'), '');
      },
      'a/papers.bib',
      ONLY,
    ],
    ['that is a link', (dir) => symlinkSync('papers.bib', join(dir, 'x.json')), 'x.json', 'a file'],
    [
      'that is too large',
      (dir) => writeFileSync(join(dir, 'x'), Buffer.alloc(5_000_000)),
      'x',
      'at most 4194304 bytes',
    ],
  ])('%s', async (_, damage, file, expected) => {
    const dir = copies.next();
    damage(dir);
    expect(await faultOf(dir)).toMatchObject({
      code: 'document_invalid',
      place: `data/documents/${file}`,
      expected,
    });
  });

  test('or the folder, where there is none', async () => {
    const place = 'data/documents';
    expect(await faultOf(join(REAL, 'none'))).toMatchObject({ code: 'document_invalid', place });
  });
});

test.each(['standards.json', 'papers.bib', 'papers/drift-windows.md'])(
  '%s may have a byte order mark, carriage returns and no line end after the last line',
  async (file) => {
    const dir = copies.next();
    edit(dir, file, (text) => `\uFEFF${text.trimEnd().replaceAll('\n', '\r\n')}`);
    const { digest, ...documents } = await readDocuments(dir);
    const { digest: _, ...real } = await readDocuments(REAL);
    const trimmed = new Map([...real.paperTexts].map(([id, text]) => [id, text.trimEnd()]));
    const found = new Map([...documents.paperTexts].map(([id, text]) => [id, text.trimEnd()]));
    expect({ ...documents, paperTexts: found }).toEqual({ ...real, paperTexts: trimmed });
  },
);

describe('the digest', () => {
  test('is the same for the same files, wherever they lie', async () => {
    expect((await readDocuments(copies.next())).digest).toBe((await readDocuments(REAL)).digest);
  });

  test.each(['treaty-framework.json', 'papers/drift-windows.md', 'papers.bib'])(
    'changes with one byte of %s',
    async (file) => {
      const dir = copies.next();
      edit(dir, file, (text) => `${text}\n`);
      const { digest } = await readDocuments(dir);
      expect(digest).toMatch(/^[0-9a-f]{64}$/);
      expect(digest).not.toBe((await readDocuments(REAL)).digest);
    },
  );
});
