import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import jsonld from 'jsonld';
import { describe, expect, test } from 'vitest';
import { ARTIFACTS, LIVE_PATHS } from '../../../pipeline/artifacts/table.ts';
import { describeCatalogue } from '../../../pipeline/formats/catalogue/catalogue.ts';
import { CFF_PATH, formatCff, RELEASED } from '../../../pipeline/formats/catalogue/citation-cff.ts';
import { croissant } from '../../../pipeline/formats/catalogue/croissant.ts';
import { dataPackage } from '../../../pipeline/formats/catalogue/data-package.ts';
import { datasetJsonLd, formatForScript } from '../../../pipeline/formats/catalogue/dataset-json-ld.ts';
import { dcat } from '../../../pipeline/formats/catalogue/dcat.ts';
import { TABLES } from '../../../pipeline/formats/tables.ts';
import { tinyFacts } from './tiny-facts.ts';

const facts = tinyFacts();
const catalogue = describeCatalogue(facts);
const OPEN = [
  ...facts.files.filter(({ restricted }) => !restricted).map(({ path }) => path),
  ...facts.printed,
].sort();
/** Files whose bytes are others at each request, or are not known yet. */
const WITHOUT_DIGEST = [...LIVE_PATHS, ...facts.printed].sort();

/** RDF as an independent processor reads it; nothing may be fetched for that. */
async function statements(
  document: object,
): Promise<{ subject: string; predicate: string; object: string }[]> {
  const documentLoader = async (url: string) => {
    throw new Error(`${url} was asked for`);
  };
  const base = `${facts.baseUrl}/`;
  const quads = await jsonld.toRDF(JSON.parse(JSON.stringify(document)), {
    base,
    documentLoader,
    safe: true,
  });
  return quads.map(({ subject, predicate, object }) => ({
    subject: subject.value,
    predicate: predicate.value,
    object: object.value,
  }));
}
const DCAT = 'http://www.w3.org/ns/dcat#';
const DCT = 'http://purl.org/dc/terms/';
const CR = 'http://mlcommons.org/croissant/';

describe('the Data Package', () => {
  const { resources } = dataPackage(catalogue);

  test('lists every public file and no other; with size and hash where a download has them', () => {
    const paths = resources.map(({ path }: { path: string }) => path);
    expect([...paths].sort()).toEqual(OPEN);
    for (const { path, hash, bytes } of resources)
      expect([path, hash, bytes]).toEqual(
        WITHOUT_DIGEST.includes(path)
          ? [path, undefined, undefined]
          : [path, `sha256:${'a'.repeat(64)}`, 1234],
      );
  });

  test('names the year of what is of one year, and does not describe it as the whole', () => {
    const years = resources.filter(({ path }: { path: string }) => /-\d{4}\./.test(path));
    expect(years.length).toBeGreaterThan(20);
    for (const { title, description } of years)
      expect([title, description]).toEqual([expect.stringMatching(/ 2025$/), undefined]);
    expect(
      resources.find(({ path }: { path: string }) => path === 'academics/packages.ndjson'),
    ).toMatchObject({
      title: 'Packages',
      description: TABLES.find(({ name }) => name === 'packages')!.description,
    });
  });
});

test('the Data Package and the Croissant description have the name of their publisher’s data', () => {
  expect(dataPackage(catalogue).name).toBe('data.example.org');
  expect(croissant(catalogue).name).toBe(catalogue.title);
});

describe('the DCAT catalogue', () => {
  test('is RDF with a dataset for each file, restricted ones without a distribution', async () => {
    const found = await statements(dcat(catalogue));
    const of = (predicate: string) => found.filter((one) => one.predicate === predicate);
    const id = `${facts.baseUrl}/catalog.jsonld`;
    const datasets = of(`${DCAT}dataset`);
    expect(datasets.map(({ subject }) => subject)).toEqual(datasets.map(() => id));
    expect(datasets).toHaveLength(ARTIFACTS.length + 1);
    const restricted = ARTIFACTS.filter((artifact) => artifact.restricted).map(({ path }) => `${id}#${path}`);
    const distributed = new Set(of(`${DCAT}distribution`).map(({ subject }) => subject));
    expect(restricted.filter((id) => distributed.has(id))).toEqual([]);
    const closed = of(`${DCT}accessRights`).filter(({ object }) => object.endsWith('/RESTRICTED'));
    expect(closed.map(({ subject }) => subject).sort()).toEqual(restricted.sort());
    const urls = of(`${DCAT}downloadURL`).map(({ object }) => object);
    expect(urls.sort()).toEqual(OPEN.map((path) => `${facts.baseUrl}/${path}`));
  });
});

describe('the Croissant description', () => {
  const document = croissant(catalogue);

  test('is RDF with a record set for each table and a file object for each file', async () => {
    const found = await statements(document);
    const types = found.filter(({ predicate }) => predicate.endsWith('#type')).map(({ object }) => object);
    const count = (type: string) => types.filter((one) => one === type).length;
    expect(count(`${CR}RecordSet`)).toBe(TABLES.length);
    expect(count(`${CR}FileObject`)).toBe(OPEN.length);
    const digests = found.filter(({ predicate }) => predicate === 'https://schema.org/sha256');
    expect(digests).toHaveLength(OPEN.length - WITHOUT_DIGEST.length);
    expect(count(`${CR}Field`)).toBe(
      TABLES.reduce((sum, { allColumns: columns }) => sum + columns.length, 0),
    );
  });

  test('says where every field comes from, in a file that it lists', () => {
    const files = new Map(document.distribution.map((file: { '@id': string }) => [file['@id'], file]));
    for (const { field } of document.recordSet) {
      for (const { source, dataType } of field) {
        expect(files.get(source?.fileObject['@id'] ?? '')).toMatchObject({ encodingFormat: /csv|jsonlines/ });
        expect(dataType).toMatch(/^sc:/);
      }
    }
  });
});

describe('the JSON-LD of a file’s page', () => {
  test('has a name, a description that search engines accept, and every download', () => {
    for (const described of catalogue.datasets) {
      const { artifact, downloads } = described;
      if (!artifact) continue;
      const dataset = datasetJsonLd(facts, described);
      expect(dataset.description.length, dataset.name).toBeGreaterThanOrEqual(50);
      expect(dataset.description.length).toBeLessThanOrEqual(5000);
      expect(dataset.distribution).toHaveLength(downloads.length);
      const hashed = dataset.distribution.filter((one) => 'sha256' in one).length;
      expect(hashed).toBe(downloads.filter(({ path }) => !WITHOUT_DIGEST.includes(path)).length);
      expect(dataset.isAccessibleForFree).toBe(!artifact.restricted);
      if (artifact.restricted) expect(dataset.distribution).toEqual([]);
      expect(dataset.url).toBe(`${facts.baseUrl}/files/${artifact.path}/`);
    }
  });

  test('cannot end its script element', () => {
    expect(formatForScript({ title: '</script><script>' })).toBe('{"title":"\\u003c/script>\\u003cscript>"}');
  });
});

test('CITATION.cff cites the data of the organisation, and names the software as a reference', async () => {
  const root = join(import.meta.dirname, '../../..');
  const { version, license } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const own = await readFile(join(root, CFF_PATH), 'utf8');
  expect(await readFile(join(root, 'CHANGELOG.md'), 'utf8')).toContain(`\n## [${version}] - ${RELEASED}\n`);
  expect(own).toContain(`\nversion: ${version}\ndate-released: "${RELEASED}"\nlicense: ${license}\n`);
  const organisation = {
    name: 'A: "B" & <C>, {D} 100 %',
    authors: ['Team, one', '市議会'],
    contact: 'data@council.example',
    licence: { id: 'OGL-UK-3.0', title: 'Open Government Licence', url: 'https://terms.example/ogl' },
    doi: '10.1234/council',
  };
  // A YAML text in which every value is one of JSON, or a plain word.
  expect(formatCff(describeCatalogue({ ...facts, organisation }))).toBe(`cff-version: 1.2.0
message: To cite one file, use the citation on its page.
type: dataset
title: "A: \\"B\\" & <C>, {D} 100 %: open data"
authors:
  - name: "Team, one"
  - name: "市議会"
contact:
  - name: "A: \\"B\\" & <C>, {D} 100 %"
    email: "data@council.example"
version: "${facts.asOf}"
date-released: "${facts.asOf.slice(0, 10)}"
doi: "10.1234/council"
license-url: "https://terms.example/ogl"
url: "${facts.baseUrl}/"
references:
  - type: software
    title: Cathedral Data Service
    authors:
      - name: Cathedral Data Service contributors
    version: ${version}
    date-released: "${RELEASED}"
    commit: "1f2e3d4c5b6a"
    license: ${license}
`);
});
