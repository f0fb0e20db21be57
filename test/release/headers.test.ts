import { describe, expect, test } from 'vitest';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import { mirrorHeaders } from '../../pipeline/mirror/mirror-headers.ts';
import {
  ALLOWED_HEADERS,
  CACHE_CONTROL,
  COMMON_HEADERS,
  formatHeadersFile,
  headersFor,
} from '../../pipeline/release/format/headers.ts';
import type { ManifestFile } from '../../pipeline/release/format/manifest.ts';
import { mediaTypeOf } from '../../pipeline/release/format/media-types.ts';
import type { PublicManifest } from '../../pipeline/release/format/public-manifest.ts';
import { schemaFiles } from '../../pipeline/release/format/schemas.ts';

function file(path: string, more: Partial<ManifestFile> = {}): ManifestFile {
  const blob = { bytes: 1, sha256: 'a'.repeat(64) };
  const about = { kind: 'data', area: 'economy', restricted: false, media_type: 'application/json' } as const;
  return {
    path,
    ...about,
    ...blob,
    rows: null,
    encodings: {},
    modified: '2025-12-01T00:00:00Z',
    immutable: false,
    ...more,
  };
}

const page = file('economy/index.html', { kind: 'page', media_type: 'text/html; charset=utf-8' });
const hashed = file('_astro/site.1234.css', {
  kind: 'asset',
  media_type: 'text/css; charset=utf-8',
  immutable: true,
});
const font = file('fonts/serif.woff2', { kind: 'asset', media_type: 'font/woff2', immutable: true });
const closed = file('government/transparency-2025.json', { immutable: true });
const gated = file('government/policy-impact.json', { restricted: true });
const data = file('economy/supply');
const schema = file('schemas/economy/supply.schema.json', {
  kind: 'schema',
  media_type: 'application/schema+json',
});

/**
 * The headers that a static host sends for a path: those of every matching rule, with values of the same name
 * joined.
 */
function appliedTo(path: string, text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  let matches = false;
  for (const line of text.split('\n').filter(Boolean)) {
    const [, removed] = /^ {2}! ([\w-]+)$/.exec(line) ?? [];
    if (removed !== undefined) {
      if (matches) delete headers[removed];
      continue;
    }
    const [, name, value] = /^ {2}([\w-]+): (.+)$/.exec(line) ?? [];
    if (name === undefined)
      matches = new RegExp(`^${line.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(`/${path}`);
    else if (matches) headers[name] = name in headers ? `${headers[name]}, ${value}` : value!;
  }
  // The service sends it only where a browser asks for it.
  const { 'Access-Control-Allow-Headers': allowed, ...others } = headers;
  expect(allowed).toBe(ALLOWED_HEADERS);
  return others;
}

describe('headers', () => {
  test('let any page on the web read public data and schemas, and nothing else', () => {
    const origins = [data, closed, schema, page, gated].map(
      (file) => headersFor(file)['Access-Control-Allow-Origin'],
    );
    expect(origins).toEqual(['*', '*', '*', undefined, undefined]);
  });

  test('let an embed in a sandboxed frame, which has no origin, load its fonts, styles and scripts', () => {
    for (const file of [hashed, font]) expect(headersFor(file)['Access-Control-Allow-Origin']).toBe('*');
  });

  test('state how long a file is fresh', () => {
    const values = [data, schema, closed, hashed, page, gated].map(
      (file) => headersFor(file)['Cache-Control'],
    );
    const { data: fresh, immutable, page: asked, restricted } = CACHE_CONTROL;
    expect(values).toEqual([fresh, fresh, immutable, immutable, asked, restricted]);
    expect(headersFor(data, { live: true })['Cache-Control']).toBe('no-cache');
    expect(headersFor(gated, { live: true })['Cache-Control']).toBe(restricted);
  });

  test('give every file its media type and the common headers', () => {
    expect(headersFor(data)).toMatchObject({
      'Content-Type': 'application/json',
      'X-Content-Type-Options': 'nosniff',
      ...COMMON_HEADERS,
    });
  });
});

describe('the content security policy', () => {
  const embed = file('embed/supply/index.html', { kind: 'page', media_type: 'text/html; charset=utf-8' });
  const exceptions = [{ below: 'embed/', directives: { 'frame-ancestors': '*' } }];

  test('allows no external sources and no inline scripts or styles', () => {
    const { 'Content-Security-Policy': policy } = headersFor(page);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; ");
    expect(policy).not.toContain('unsafe');
  });

  test('lets the search compile its WebAssembly, but does not allow eval', () => {
    const search = file('search/index.html', { kind: 'page', media_type: 'text/html; charset=utf-8' });
    const worker = file('search/index/pagefind-worker.js', { kind: 'asset', media_type: 'text/javascript' });
    for (const one of [search, worker]) {
      const { 'Content-Security-Policy': policy } = headersFor(one);
      expect(policy).toContain("; script-src 'self' 'wasm-unsafe-eval'; ");
      expect(policy).not.toContain("'unsafe-eval'");
    }
  });

  test('can differ for a folder, whose other headers stay the same', () => {
    const { 'Content-Security-Policy': policy } = headersFor(embed, { exceptions });
    const { 'Content-Security-Policy': common } = headersFor(page, { exceptions });
    expect(policy).toBe(common!.replace("frame-ancestors 'none'", 'frame-ancestors *'));
    const text = formatHeadersFile([page, embed], exceptions);
    expect(appliedTo('embed/supply/', text)['Content-Security-Policy']).toBe(policy);
    expect(appliedTo('economy/', text)['Content-Security-Policy']).toBe(common);
  });
});

describe('the _headers file', () => {
  const text = formatHeadersFile([data, closed, schema, page, hashed, font, gated]);

  test.each([data, closed, schema])('gives $path the headers from headersFor', (file) => {
    expect(appliedTo(file.path, text)).toEqual(headersFor(file));
  });

  test.each([hashed, font])(
    'gives $path all headers except the type, which follows from its extension',
    (file) => {
      const { 'Content-Type': _, ...rest } = headersFor(file);
      expect(appliedTo(file.path, text)).toEqual(rest);
    },
  );

  test('gives what stands beside the release the headers of the service', () => {
    const [id, hash] = ['snapshots/2025-12-01T06Z', 'a'.repeat(64)];
    for (const path of [`${id}/economy/mii`, `${id}/index.json`, `snapshots/histories/${hash}`])
      expect([path, appliedTo(path, text)]).toMatchObject([
        path,
        { 'Cache-Control': CACHE_CONTROL.immutable, 'Access-Control-Allow-Origin': '*' },
      ]);
  });

  test('leaves a page’s type and freshness to the host', () => {
    expect(appliedTo('economy/', text)).toEqual(COMMON_HEADERS);
  });

  test('does not name restricted files', () => {
    expect(text).not.toContain(gated.path);
  });

  /** The publisher's files after fifty years, with twice as many charts as today. */
  const large = () => {
    const of = (paths: readonly string[], kind: ManifestFile['kind'], more: Partial<ManifestFile> = {}) =>
      paths.map((path) =>
        file(path, {
          kind,
          media_type: /\/[^.]*$/.test(path) ? 'application/json' : mediaTypeOf(path),
          ...more,
        }),
      );
    const tables = ARTIFACTS.map(({ path }) => path);
    const years = Array.from({ length: 50 }, (_, year) => `${2025 + year}`);
    const charts = [...CHARTS, ...CHARTS].map(({ id }, place) => `${id}-${place}`);
    const each = (names: readonly string[], forms: readonly string[]) =>
      names.flatMap((name) => forms.map((form) => form.replace('*', name)));
    const forms = ['svg', 'png', 'csv', 'json', 'pdf'].map((form) => `charts/*.${form}`);
    const citations = ['bib', 'json', 'ris', 'txt'].map((form) => `*/citation.${form}`);
    const reports = each(years, ['government/transparency-*.json', 'government/transparency-*.pdf']);
    return [
      ...of(tables, 'data'),
      ...of(reports, 'data', { immutable: true }),
      ...of(each(years, ['economy/mic-history-*.parquet', 'economy/mic-history-*.ndjson']), 'data'),
      ...of(each(charts, forms), 'schema'),
      ...of(each(each(charts, ['charts/*']), citations), 'asset'),
      ...of(each(charts, ['oembed/*.json']), 'asset'),
      ...of(each(each(tables, ['files/*']), citations), 'asset'),
      ...of(['search/index/pagefind-entry.json', '.well-known/security.txt'], 'asset'),
      ...of(['datapackage.json', 'feed.atom', 'robots.txt', 'cathedral.sqlite'], 'schema'),
      ...of(each(charts, ['charts/*/index.html', 'embed/*/index.html']), 'page'),
      ...of(
        schemaFiles(ARTIFACTS, 'https://x.example').map(({ path }) => path),
        'schema',
      ),
    ];
  };

  test('stays within the limits of large static hosts, also in mirrors: 100 rules, lines of 2,000 characters', () => {
    const files = large();
    expect(files.length).toBeGreaterThan(800);
    const mirrored = files.map((one) => ({ ...one, immutable: false }));
    const mirrors = mirrorHeaders({ files: mirrored } as unknown as PublicManifest);
    expect(mirrors).toBe(formatHeadersFile(mirrored));
    for (const text of [formatHeadersFile(files), mirrors]) {
      const lines = text.split('\n');
      const rules = lines.filter((line) => line.startsWith('/'));
      expect(rules.length).toBeGreaterThan(40);
      expect(rules.length).toBeLessThan(90);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(2000);
      // A host that drops excess rules keeps the policies.
      expect(rules.slice(0, 3)).toEqual(['/*', '/search/*', '/_astro/sql-worker*']);
      for (const path of [
        'economy/supply',
        `charts/${CHARTS[0]!.id}-0.svg`,
        'economy/mic-history-2031.parquet',
      ])
        expect(appliedTo(path, text)).toEqual(headersFor(files.find((one) => one.path === path)!));
    }
  });

  test('marks each closed year’s report as immutable', () => {
    const files = large();
    const text = formatHeadersFile(files);
    for (const path of ['government/transparency-2025.json', 'government/transparency-2074.pdf'])
      expect(appliedTo(path, text)).toEqual(headersFor(files.find((one) => one.path === path)!));
  });
});
