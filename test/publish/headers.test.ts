import { describe, expect, test } from 'vitest';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import {
  CACHE_CONTROL,
  COMMON_HEADERS,
  formatHeadersFile,
  headersFor,
} from '../../pipeline/publish/headers.ts';
import type { ManifestFile } from '../../pipeline/publish/manifest.ts';
import { schemaFiles } from '../../pipeline/publish/schemas.ts';

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
const closed = file('government/transparency-2025.json', { immutable: true });
const gated = file('government/policy-impact.json', { restricted: true });
const data = file('economy/supply');
const schema = file('schemas/economy/supply.schema.json', {
  kind: 'schema',
  media_type: 'application/schema+json',
});

/**
 * The headers that a static host gives a path: those of every rule that matches, a name in two of them
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
  return headers;
}

describe('headers', () => {
  test('let any page on the web read public data and schemas, and nothing else', () => {
    const origins = [data, closed, schema, page, hashed, gated].map(
      (file) => headersFor(file)['Access-Control-Allow-Origin'],
    );
    expect(origins).toEqual(['*', '*', '*', undefined, undefined, undefined]);
  });

  test('tell how long a file is fresh', () => {
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

  test('lets nothing in from elsewhere, and neither script nor style in the page itself', () => {
    const { 'Content-Security-Policy': policy } = headersFor(page);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; ");
    expect(policy).not.toContain('unsafe');
  });

  test('lets the search compile its index’s program, and run no text as a script', () => {
    const search = file('search/index.html', { kind: 'page', media_type: 'text/html; charset=utf-8' });
    const worker = file('search/index/pagefind-worker.js', { kind: 'asset', media_type: 'text/javascript' });
    for (const one of [search, worker]) {
      const { 'Content-Security-Policy': policy } = headersFor(one);
      expect(policy).toContain("; script-src 'self' 'wasm-unsafe-eval'; ");
      expect(policy).not.toContain("'unsafe-eval'");
    }
  });

  test('can be another one for a folder, which differs in nothing else', () => {
    const { 'Content-Security-Policy': policy } = headersFor(embed, { exceptions });
    const { 'Content-Security-Policy': common } = headersFor(page, { exceptions });
    expect(policy).toBe(common!.replace("frame-ancestors 'none'", 'frame-ancestors *'));
    const text = formatHeadersFile([page, embed], exceptions);
    expect(appliedTo('embed/supply/', text)['Content-Security-Policy']).toBe(policy);
    expect(appliedTo('economy/', text)['Content-Security-Policy']).toBe(common);
  });
});

describe('the _headers file', () => {
  const text = formatHeadersFile([data, closed, schema, page, hashed, gated]);

  test.each([data, closed, schema])('gives $path what headersFor says', (file) => {
    expect(appliedTo(file.path, text)).toEqual(headersFor(file));
  });

  test('gives a hashed asset all but the type, which its ending has', () => {
    const { 'Content-Type': _, ...rest } = headersFor(hashed);
    expect(appliedTo(hashed.path, text)).toEqual(rest);
  });

  test('leaves type and freshness of a page to the host', () => {
    expect(appliedTo('economy/', text)).toEqual(COMMON_HEADERS);
  });

  test('does not name gated files', () => {
    expect(text).not.toContain(gated.path);
  });

  test('has fewer than the 100 rules that some hosts read, with every artifact and ten closed years', () => {
    const closedYears = Array.from({ length: 10 }, (_, i) => [
      `government/transparency-${2025 + i}.json`,
      `government/transparency-${2025 + i}.pdf`,
    ]);
    const paths = [
      ...ARTIFACTS.map(({ path }) => path),
      ...closedYears.flat(),
      ...schemaFiles(ARTIFACTS, 'https://x.example').map(({ path }) => path),
    ];
    const rules = formatHeadersFile(paths.map((path) => file(path)))
      .split('\n')
      .filter((line) => line.startsWith('/'));
    expect(rules.length).toBeGreaterThan(40);
    expect(rules.length).toBeLessThan(100);
  });
});
