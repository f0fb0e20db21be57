import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { beforeEach, describe, expect, test } from 'vitest';
import { readDocuments } from '../../pipeline/artifacts/documents.ts';
import { DEMO_ORIGIN } from '../../pipeline/ledger/writing/demo-key.ts';
import { RunningCli, runHere } from '../contract/commands/seam.ts';
import { NORTHBY, writeOrganisation } from '../organisation.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { sweep } from '../setups/sweep.ts';

let folder: string;
let ledger: string;

const init = (...flags: string[]) =>
  runHere('ledger init', [ledger, '--origin', 'ledger.northby.example', ...flags]);
const files = () => [
  ...['--ledger', ledger, '--out', join(folder, 'out'), '--without-site'],
  ...['--publisher-key', join(folder, 'publisher.key')],
];
const build = (...flags: string[]) =>
  runHere('build', [...files(), '--ledger-signing-key', `${ledger}.key`, ...flags]);
const released = (path: string) => readFileSync(join(folder, 'out/current/public', path), 'utf8');

beforeEach(async () => {
  folder = await temporaryFolder();
  ledger = join(folder, 'ledger');
});

describe('a ledger of one’s own', () => {
  test('is not published without a name; one message says where it belongs and how to give it', async () => {
    await init();
    const { status, stderr } = await build();
    expect(status).toBe(1);
    expect(stderr).toContain(`${ledger}.documents: expected`);
    expect(stderr).toContain('no organisation.json, with name, contact and licence (placeholders_found)');
    for (const remedy of ['--organisation-name', '--organisation-contact', '--allow-placeholders'])
      expect(stderr).toContain(remedy);
    expect(existsSync(join(folder, 'out/current'))).toBe(false);
    const started = await runHere('start', [...files(), '--port', '0']);
    expect([started.status, started.stderr]).toEqual([1, expect.stringContaining('placeholders_found')]);
  });

  test('is not published with the demo’s name, papers and treaty; all of them are listed at once', async () => {
    await init();
    cpSync('data/documents', `${ledger}.documents`, { recursive: true });
    const { status, stderr } = await build();
    expect(status).toBe(1);
    for (const name of ['name', 'contact'])
      expect(stderr).toContain(`the demo’s ${name} in organisation.json`);
    for (const { parentPath, name } of readdirSync('data/documents', {
      recursive: true,
      withFileTypes: true,
    }))
      if (existsSync(join(parentPath, name)) && /\.(md|bib)$|treaty|standards|protocols/.test(name))
        expect(stderr).toContain(name);
    writeOrganisation(ledger);
    for (const name of ['papers', 'papers.bib', 'standards.json', 'protocols.json'])
      rmSync(join(`${ledger}.documents`, name), { recursive: true });
    const left = await build();
    expect(left.stderr).toContain('found the demo’s treaty-framework.json, to replace or remove');
    rmSync(join(`${ledger}.documents`, 'treaty-framework.json'));
    expect((await build()).status).toBe(0);
  });

  test('is published for a trial with --allow-placeholders, and as a service with its variable', async () => {
    await init();
    expect((await build('--allow-placeholders')).status).toBe(0);
    const env = { CATHEDRAL_ALLOW_PLACEHOLDERS: 'true' };
    expect((await runHere('build', files(), { env })).status).toBe(0);
  });

  test('gets its organisation from `ledger init`, which never replaces one', async () => {
    const named = ['--organisation-name', 'A "B" & <C>', '--organisation-contact', 'a@b.example'];
    const homepage = ['--organisation-homepage', 'https://www.b.example/data/'];
    expect((await init(...named, ...homepage)).stdout).toContain(`${ledger}.documents/organisation.json`);
    const written = readFileSync(`${ledger}.documents/organisation.json`, 'utf8');
    expect(JSON.parse(written)).toEqual({
      name: 'A "B" & <C>',
      homepage: 'https://www.b.example/data/',
      contact: 'a@b.example',
      licence: {
        id: 'CC-BY-4.0',
        title: 'Creative Commons Attribution 4.0 International',
        url: 'https://creativecommons.org/licenses/by/4.0/',
      },
    });
    expect((await build()).status).toBe(0);
    expect(released('publisher.vkey')).toMatch(/^www\.b\.example\/data\+/);
    expect(released('academics/citations.bib')).toContain(
      'author = {{A \\textquotedbl{}B\\textquotedbl{} \\& \\textless{}C\\textgreater{}}}',
    );
    rmSync(ledger, { recursive: true });
    for (const key of ['key', 'vkey']) rmSync(`${ledger}.${key}`);
    const again = ['--organisation-name', 'Another', '--organisation-contact', 'c@d.example'];
    expect((await init(...again)).status).toBe(0);
    expect(readFileSync(`${ledger}.documents/organisation.json`, 'utf8')).toBe(written);
  });

  test.each([
    [['--organisation-name', 'A'], 'expected both --organisation-name and --organisation-contact'],
    [
      ['--organisation-name', 'A\nB', '--organisation-contact', 'a@b.example'],
      '--organisation-name: expected one line',
    ],
    [
      ['--organisation-name', 'A', '--organisation-contact', 'https://b.example/form'],
      'expected an e-mail address',
    ],
    [
      [
        '--organisation-name',
        'A',
        '--organisation-contact',
        'a@b.example',
        '--organisation-homepage',
        'b.example',
      ],
      '--organisation-homepage: expected http(s)://…',
    ],
  ])('is not made with %j', async (flags, message) => {
    const { status, stderr } = await init(...flags);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['a member that there is not', { ...NORTHBY, phone: '1' }, 'phone: expected no member of this name'],
    ['no contact', { ...NORTHBY, contact: undefined }, 'contact: expected'],
    [
      'an id of two words',
      { ...NORTHBY, licence: { ...NORTHBY.licence, id: 'CC BY' } },
      'licence.id: expected an SPDX',
    ],
    [
      'a home page of another scheme',
      { ...NORTHBY, homepage: 'ftp://a.example/' },
      'homepage: expected an address',
    ],
  ])('is not published with %s in organisation.json', async (_, organisation, message) => {
    await init();
    writeOrganisation(ledger, organisation as typeof NORTHBY);
    const { status, stderr } = await build();
    expect([status, stderr]).toEqual([1, expect.stringContaining(`organisation.json: ${message}`)]);
  });
});

/** Where the software is named as software. */
const SOFTWARE = ['CITATION.cff', 'about/index.html'];
sweep(
  'a whole publication names its organisation, and nowhere the demo or this software as its author',
  async () => {
    await init();
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
    const found = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
      .flatMap(({ parentPath, name }) => {
        const text = readFileSync(join(parentPath, name), 'utf8');
        const path = join(parentPath, name).slice(root.length + 1);
        return words.filter((word) => text.includes(word)).map((word) => `${path}: ${word}`);
      });
    expect(found.sort()).toEqual(SOFTWARE.map((path) => `${path}: Cathedral Data Service`));
    for (const path of [
      'index.html',
      'about/index.html',
      'llms.txt',
      'datapackage.json',
      'catalog.jsonld',
      'feed.atom',
    ])
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
  },
  600_000,
);
