import { describe, expect, test } from 'vitest';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import { mirrorHeaders } from '../../pipeline/mirror/mirror-headers.ts';
import type { ManifestFile } from '../../pipeline/release/format/manifest.ts';
import { mediaTypeOf } from '../../pipeline/release/format/media-types.ts';
import type { PublicManifest } from '../../pipeline/release/format/public-manifest.ts';
import {
  ALLOWED_HEADERS,
  formatHeadersFile,
  headersFor,
} from '../../pipeline/release/format/response-headers.ts';
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

describe('the _headers file', () => {
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
    const reports = each(years, ['government/transparency-*.json', 'government/transparency-*.pdf']);
    return [
      ...of(tables, 'data'),
      ...of(reports, 'data', { immutable: true }),
      ...of(each(years, ['economy/mic-history-*.parquet', 'economy/mic-history-*.ndjson']), 'data'),
      ...of(each(charts, forms), 'schema'),
      ...of(each(charts, ['oembed/*.json']), 'asset'),
      ...of(['search/index/entries.json', '.well-known/security.txt'], 'asset'),
      ...of(['datapackage.json', 'feed.atom', 'robots.txt', 'cathedral.sqlite'], 'schema'),
      ...of(each(charts, ['charts/*/index.html', 'embed/*/index.html']), 'page'),
      ...of(
        schemaFiles('https://x.example').map(({ path }) => path),
        'schema',
      ),
    ];
  };

  test('stays within the limits of large static hosts, also in mirrors: 100 rules, lines of 2,000 characters', () => {
    const files = large();
    expect(files.length).toBeGreaterThan(500);
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
      expect(rules.slice(0, 3)).toEqual(['/*', '/_astro/duckdb-*', '/embed/*']);
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
