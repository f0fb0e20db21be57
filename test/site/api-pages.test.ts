import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SpecData, Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, test } from 'vitest';
import { PROBLEMS, type ProblemCode } from '../../src/api/problem.ts';
import { readQuery } from '../../src/api/query/query.ts';
import { GROUPS, queryOf, ROUTES, routeAt } from '../../src/api/routes/table.ts';
import type { OpenApiDocument } from '../api/openapi/operation.ts';
import { ORGANISATION } from '../organisation.ts';
import { type Built, buildFixture, RESTRICTED_APART } from './build-fixture.ts';
import { BASE_URL } from './fixture-release.ts';

let built: Built;
let document: OpenApiDocument;

beforeAll(async () => {
  built = await buildFixture();
  document = JSON.parse(await read('openapi.json'));
});

const read = (path: string) => readFile(join(built.out, path), 'utf8');
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

describe('/openapi.json', () => {
  test('is valid, names this service, and has examples of this release', async () => {
    expect(await new Validator().validate(structuredClone(document) as unknown as SpecData)).toMatchObject({
      valid: true,
    });
    expect(document.servers).toEqual([{ url: BASE_URL }]);
    expect(document.info).toMatchObject({ version: '1.0.0', contact: { email: ORGANISATION.contact } });
    const supply = JSON.parse(await readFile(join(built.release, 'public/economy/supply'), 'utf8'));
    const { content } = document.paths['/economy/supply']!.get!.responses['200'] as unknown as {
      content: Record<string, { examples: Record<string, { value: unknown }> }>;
    };
    expect(content['application/json']!.examples.example!.value).toEqual(supply);
  });

  test('has nothing of what restricted files hold', async () => {
    const text = JSON.stringify(document);
    const restricted = await readFile(
      join(built.release, RESTRICTED_APART, 'government/policy-impact.json'),
      'utf8',
    );
    const policies = JSON.parse(restricted).projections.map(({ policy }: { policy: string }) => policy);
    expect(policies.length).toBeGreaterThan(1);
    for (const policy of policies) expect(text).not.toContain(policy);
    for (const { sha256 } of built.draft.files.filter((file) => file.restricted))
      expect(text).not.toContain(sha256);
  });
});

describe('the reference', () => {
  test.each(GROUPS)('of %s asks this service for what it takes', async (group) => {
    const html = await read(`api/${group}/index.html`);
    const rows = ROUTES.filter((route) => route.group === group);
    const requests = [...html.matchAll(/<code>curl [^<]*?&quot;(http[^<]*?)&quot;<\/code>/g)].map(
      ([, url]) => new URL(url!.replaceAll('&amp;', '&')),
    );
    expect(requests).toHaveLength(rows.length);
    for (const { origin, pathname, search } of requests) {
      expect(origin).toBe(BASE_URL);
      const query = queryOf(routeAt(pathname.slice(1)))!;
      expect(() => readQuery(query, search.slice(1)), pathname).not.toThrow();
    }
  });
});

test('/asyncapi.json names this service and where its simulation is', async () => {
  const { servers, info, channels } = JSON.parse(await read('asyncapi.json'));
  expect(servers.service.host).toBe(new URL(BASE_URL).host);
  expect(info).toMatchObject({ version: '1.0.0', contact: { email: ORGANISATION.contact } });
  expect(channels.simulation.address).toBe('/philosophy/simulation');
});

describe('the page of a problem', () => {
  test.each(Object.keys(PROBLEMS) as ProblemCode[])(
    'says of %s what it means and what to do',
    async (code) => {
      const { status, title, meaning, remedy, detail } = PROBLEMS[code];
      const html = await read(`problems/${code}/index.html`);
      const written = JSON.stringify(detail);
      for (const text of [`${status} `, title, meaning, remedy, written])
        expect(html).toContain(escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>'));
      expect(html).toContain('href="/api/"');
    },
  );

  test('is where the document’s type leads', () => {
    for (const { value } of Object.values(document.components.examples)) {
      const { type, code } = value as { type: string; code: string };
      expect(type).toBe(`/problems/${code}/`);
    }
  });
});

describe('/.well-known', () => {
  test('has the contact for security reports, which ends within a year of the data', async () => {
    const text = await read('.well-known/security.txt');
    const fields = Object.fromEntries(
      text
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/: (.*)/, 2)),
    );
    expect(fields).toMatchObject({
      Contact: `mailto:${ORGANISATION.contact}`,
      Canonical: `${BASE_URL}/.well-known/security.txt`,
    });
    const days = (Date.parse(fields.Expires!) - Date.parse(built.draft.timestamp)) / 86_400_000;
    expect(days).toBeGreaterThanOrEqual(270);
    expect(days).toBeLessThan(365);
    // It changes with the quarter, not with the release.
    expect(fields.Expires).toMatch(/-(01|04|07|10)-01T00:00:00Z$/);
  });

  test('has a catalogue that leads to the description, the reference and the status', async () => {
    const { linkset } = JSON.parse(await read('.well-known/api-catalog'));
    const [catalogue, api] = linkset;
    expect(catalogue).toEqual({
      anchor: `${BASE_URL}/.well-known/api-catalog`,
      item: [{ href: `${BASE_URL}/` }],
    });
    expect(api).toMatchObject({
      anchor: `${BASE_URL}/`,
      'service-desc': [
        { href: `${BASE_URL}/openapi.json`, type: 'application/json' },
        { href: `${BASE_URL}/asyncapi.json`, type: 'application/json' },
      ],
      'service-doc': [
        { href: `${BASE_URL}/api/`, type: 'text/html' },
        { href: `${BASE_URL}/philosophy/simulation/protocol/`, type: 'text/html' },
      ],
      status: [{ href: `${BASE_URL}/status.json`, type: 'application/json' }],
    });
  });
});
