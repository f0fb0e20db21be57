import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Cite } from '@citation-js/core';
import '@citation-js/plugin-bibtex';
import '@citation-js/plugin-ris';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventsByDay } from '../../pipeline/artifacts/academics/events-by-day.ts';
import { asOfFile } from '../../pipeline/artifacts/as-of.ts';
import { fieldsOf, limitsOf } from '../../pipeline/artifacts/data-dictionary.ts';
import { EVENT_TYPES } from '../../pipeline/artifacts/event-reference.ts';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import { CITATION_FORMS } from '../../pipeline/forms/catalogue/citation.ts';
import { formatDay } from '../../pipeline/words/moment.ts';
import { fieldGroups } from '../../src/site/components/files/file-page.ts';
import { siteFacts } from '../../src/site/components/files/site-facts.ts';
import { SiteRelease } from '../../src/site/components/release.ts';
import { ORGANISATION } from '../organisation.ts';
import { type FilesRelease, filesRelease, filesSite, PRINTED_FILE } from './files-release.ts';
import { BASE_URL } from './fixture-release.ts';
import { htmlFaults } from './html-faults.ts';

let release: FilesRelease;
let site: SiteRelease;
let out: string;
let pages: Map<string, string>;
let index: string;

beforeAll(async () => {
  release = await filesRelease();
  ({ out } = await filesSite());
  site = new SiteRelease(release.draft, {
    baseUrl: BASE_URL,
    organisation: ORGANISATION,
    printed: [PRINTED_FILE],
  });
  const read = (path: string) => readFile(join(out, 'files', path, 'index.html'), 'utf8');
  pages = new Map(await Promise.all(ARTIFACTS.map(async ({ path }) => [path, await read(path)] as const)));
  index = await read('.');
});

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A page is too long to be shown where it lacks something. */
function expectText(html: string, text: string): void {
  expect(html.includes(text), text).toBe(true);
}

function expectNoText(html: string, text: string): void {
  expect(html.includes(text), text).toBe(false);
}

describe.each(ARTIFACTS.map((artifact) => [artifact.path, artifact] as const))(
  'the page of %s',
  (path, artifact) => {
    const html = () => pages.get(path)!;
    const file = () => site.find(path);

    test('says what it is, and every field with unit, range and formula', () => {
      for (const words of [artifact.title, artifact.description]) expectText(html(), escaped(words));
      for (const { path: group, fields } of fieldGroups(fieldsOf(artifact))) {
        if (group !== '') expectText(html(), `<code>${escaped(group)}</code>`);
        for (const { id, name, description, unit, range, formula } of fields) {
          const row = html()
            .slice(html().indexOf(`<tr id="${id}"`))
            .split('</tr>', 1)[0]!;
          for (const words of [name, description, unit, range, formula]) expectText(row, escaped(words));
        }
      }
    });

    test('has size, rows, digest and a download of what is public, and none of what is not', () => {
      const found = file();
      const href = `href="/${path}"`;
      expect(html().includes(href)).toBe(!artifact.restricted);
      if (artifact.restricted || !found) {
        if (found) expectNoText(html(), found.sha256);
        expectNoText(html(), 'id="file-preview"');
        return;
      }
      expectText(html(), found.sha256);
      expect(html()).toMatch(new RegExp(`class="button" ${href} download="[^"]+\\.(json|csv|bib)"`));
      expectText(html(), 'id="file-preview"');
      if (found.rows !== null) expectText(html(), `<dd>${found.rows.toLocaleString('en-GB')}</dd>`);
    });

    test('says of when the file is, not the release, and how to follow what is real-time', () => {
      const { timestamp } = site.draft;
      const asOf = asOfFile(siteFacts(site), artifact);
      if (asOf !== null) expectText(html(), `<time datetime="${asOf}">`);
      expect(html().includes(timestamp)).toBe(asOf === timestamp);
      expect(html().includes(`/live?paths=${path}`)).toBe(artifact.refresh === 'real-time');
    });

    test('is described for search engines by data that are its own', () => {
      const [, data] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html())!;
      const dataset = JSON.parse(data!);
      expect(dataset).toMatchObject({
        '@type': 'Dataset',
        name: artifact.title,
        url: `${BASE_URL}/files/${path}/`,
      });
      const asOf = asOfFile(siteFacts(site), artifact);
      expect(dataset.temporalCoverage).toBe(asOf === null ? undefined : `2025-12-29/${asOf}`);
      const addresses = dataset.distribution.map(({ contentUrl }: { contentUrl: string }) => contentUrl);
      for (const address of addresses)
        expect([address, site.willHave(address.slice(BASE_URL.length + 1))]).toEqual([address, true]);
    });

    test('is cited in four files, which an independent library reads alike', async () => {
      for (const { ending } of CITATION_FORMS) {
        expectText(html(), `href="/files/${path}/citation.${ending}"`);
        const text = await readFile(join(out, 'files', path, `citation.${ending}`), 'utf8');
        expectText(text, `${BASE_URL}/${path}`);
        if (ending === 'txt') expectText(html(), escaped(text.trimEnd()));
        else
          expect(new Cite(text).data).toMatchObject([{ title: artifact.title, URL: `${BASE_URL}/${path}` }]);
      }
    });

    test('leads to its charts, its schema and its operation in the API reference', async () => {
      for (const { id } of CHARTS.filter(({ sources }) => sources.includes(path)))
        expectText(html(), `href="/charts/${id}/"`);
      const schemas = [...html().matchAll(/href="\/(schemas\/[^"]+)"/g)].map(([, schema]) => schema!);
      expect(schemas.length > 0).toBe(fieldsOf(artifact).length > 0);
      for (const schema of schemas) expect(site.find(schema)).toBeDefined();
      const links = [...html().matchAll(/href="\/(api\/[^#"]*)#([^"]+)"/g)];
      expect(links.length).toBeGreaterThan(0);
      for (const [, page, anchor] of links)
        expectText(await readFile(join(out, page!, 'index.html'), 'utf8'), `id="${anchor}"`);
    });

    test('states its limits', () => {
      expect(limitsOf(artifact).length).toBeGreaterThan(0);
      for (const limit of limitsOf(artifact)) expectText(html(), `<li>${escaped(limit)}</li>`);
    });

    test('is valid HTML, with all forms of the file', async () => {
      expect(await htmlFaults(html())).toEqual([]);
    });
  },
);

describe('the pages of the files', () => {
  test('show nothing of what needs a key', async () => {
    const folder = join(release.out, 'current', 'restricted', 'government');
    const everything = [...pages.values()].join('\n');
    for (const name of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
      const text = await readFile(join(folder, name), 'utf8');
      const words = [...text.matchAll(/"([^"]{25,})"/g)].map(([, value]) => escaped(value!));
      for (const value of words) expectNoText(everything, value);
    }
  });

  test('link every public file of the release, in every form', () => {
    const everything = [...pages.values(), index].join('\n');
    const own = site.draft.files.filter(({ kind, restricted }) => kind === 'data' && !restricted);
    expect(own.filter(({ path }) => path.endsWith('.parquet')).length).toBeGreaterThan(5);
    for (const { path } of own) expectText(everything, `href="/${path}"`);
  });

  test('have anchors for the links in them', () => {
    for (const html of [...pages.values(), index]) {
      for (const [, anchor] of html.matchAll(/href="#([^"]+)"/g)) expectText(html, `id="${anchor}"`);
    }
  });
});

describe('the list of files', () => {
  test('has each with its page, access, refresh, size and forms', () => {
    for (const { path, title, restricted, refresh } of ARTIFACTS) {
      const row = index.slice(index.indexOf(`<a href="/files/${path}/">`)).split('</tr>', 1)[0]!;
      expectText(row, escaped(title));
      expectText(row, `<code>/${path}</code>`);
      expectText(row, restricted ? '>key<' : '>public<');
      expectText(row, refresh === 'real-time' ? 'real time' : 'six hours');
    }
    expectText(index, 'CSV, NDJSON, XLSX and Parquet');
  });

  test('leads to the catalogues that the release has', () => {
    for (const path of [
      'cathedral.sqlite',
      'datapackage.json',
      'catalog.jsonld',
      'croissant.json',
      'openapi.json',
      'asyncapi.json',
    ])
      expectText(index, `<a href="/${path}">`);
  });
});

describe('the page of the event types', () => {
  let html: string;
  const sectionOf = (type: string) =>
    html.slice(html.indexOf(`aria-labelledby="${type}"`)).split('</section>', 1)[0]!;

  beforeAll(async () => {
    html = await readFile(join(out, 'events/index.html'), 'utf8');
  });

  test.each(EVENT_TYPES)('has $type with its members, example, schema and files', (one) => {
    const section = sectionOf(one.type);
    for (const words of [one.description, one.effect, one.example]) expectText(section, escaped(words));
    for (const { name, description, unit, range } of one.fields) {
      const row = section
        .slice(section.indexOf(`<code>${escaped(name.replace(/^.*\./, ''))}</code> `))
        .split('</tr>', 1)[0]!;
      for (const words of [description, unit, range]) expectText(row, escaped(words));
    }
    for (const path of one.files) expectText(section, `href="/files/${path}/"`);
    expect([...section.matchAll(/href="\/files\//g)]).toHaveLength(one.files.length);
    expectText(section, `href="/${one.schema}"`);
  });

  test('counts the events of each type on the days that are over', () => {
    const rows = site.read(eventsByDay);
    expect(rows.length).toBeGreaterThan(10);
    for (const { type } of EVENT_TYPES) {
      const count = rows
        .filter(({ event_type }) => event_type === type)
        .reduce((sum, { events }) => sum + events, 0);
      expectText(sectionOf(type), `<dd>${count.toLocaleString('en-GB')}</dd>`);
    }
    const last = rows
      .map(({ date }) => date)
      .sort()
      .at(-1)!;
    expectText(html, `counted up to ${formatDay(last)}, the last day that is over`);
  });

  test('is valid HTML', async () => {
    expect(await htmlFaults(html)).toEqual([]);
  });
});
