import { type SpecData, Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse as parseCsv } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { supply } from '../../../pipeline/artifacts/economy/supply.ts';
import { ledgerExport } from '../../../pipeline/artifacts/government/ledger-export.ts';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import { PROBLEMS } from '../../../src/api/problem.ts';
import { EXPORT_MEDIA_TYPES, type FormName } from '../../../src/api/query/export-query.ts';
import { LedgerExport } from '../../../src/api/routes/files.ts';
import { FORMS } from '../../../src/sidecar/export/export-rows.ts';
import { goldenDocument, goldenFiles } from './golden-document.ts';
import type { Answer, Content, Example } from './operation.ts';
import { isReference, operationsIn } from './operations-in.ts';

const document = goldenDocument();
const operations = operationsIn(document.paths).map(({ path, operation }) => [path, operation] as const);

/** Resolves `#/components/…`; throws if there is no such component. */
function resolve<T extends object>(value: T | { $ref: string }): T {
  if (!isReference(value)) return value as T;
  const found = value.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], document);
  if (found === undefined) throw new Error(`${value.$ref} leads nowhere`);
  return found as T;
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}

/** Every response of an operation or component, once, with each of its contents. */
function contents(): [place: string, content: Content][] {
  const own = operations.flatMap(([path, { responses }]) =>
    Object.entries(responses).map(([status, response]) => [`${path} ${status}`, response] as const),
  );
  const answers = [...own, ...Object.entries(document.components.responses)];
  return answers.flatMap(([place, answer]) =>
    isReference(answer)
      ? []
      : Object.entries(answer.content ?? {}).map(([mediaType, content]): [string, Content] => [
          `${place} as ${mediaType.replace(/;.*/, '')}`,
          content,
        ]),
  );
}

const parse = (value: unknown) => structuredClone(value) as SpecData;

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1 for an independent validator', async () => {
    expect(await new Validator().validate(parse(document))).toMatchObject({ valid: true });
    const broken = { ...document, info: { title: 'no version' } };
    expect((await new Validator().validate(parse(broken))).valid).toBe(false);
  });

  test('refers to components that exist, and has no unused ones', () => {
    const referred = new Set(referencesIn(document));
    for (const $ref of referred) expect(() => resolve({ $ref })).not.toThrow();
    const { securitySchemes: _, ...components } = document.components;
    const there = Object.entries(components).flatMap(([kind, all]) =>
      Object.keys(all).map((name) => `#/components/${kind}/${name}`),
    );
    expect(there.filter((reference) => !referred.has(reference))).toEqual([]);
  });

  test('has every published path, those of closed years, the export and those of the server', () => {
    const files = ARTIFACTS.map(({ path }) => `/${path}`);
    expect(operations.map(([path]) => path).sort()).toEqual(
      [
        ...files,
        '/government/transparency-{year}.json',
        '/government/transparency-{year}.pdf',
        '/export',
        ...['{id}.svg', '{id}.png', '{id}.pdf', '{id}.csv', '{id}.json'].map((name) => `/charts/${name}`),
        '/{area}/{table}.ndjson',
        '/{area}/{table}.xlsx',
        '/{area}/{table}-{year}.{form}',
        ...'/cathedral.sqlite /oembed /attestations/verify /attestations/{id}/status /log/checkpoint'.split(
          ' ',
        ),
        ...'/log/cosigned/{size} /log/public/policy.json /log/public/{version}/{tile}'.split(' '),
        ...'/log/tile/{level}/{tile} /log/tile/entries/{tile} /events/days/{month}.json /latest.json'.split(
          ' ',
        ),
        ...'/ledger.vkey /access-log.vkey /manifest.json /manifest.json.sig /publisher.vkey'.split(' '),
        ...'/snapshots/index.json /snapshots/index.json.sig /snapshots/{snapshot}/index.json'.split(' '),
        ...'/snapshots/{snapshot}/{area}/{file} /live /status.json /healthz /readyz /rotation'.split(' '),
        ...'/metrics'.split(' '),
      ].sort(),
    );
  });

  test('gives each operation a unique id that is a valid function name', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]*$/);
  });

  test.each(operations)(
    'says of %s what it is, where it belongs and what may come back',
    (path, operation) => {
      expect(operation.summary).not.toMatch(/\.$/);
      expect(operation.description.length).toBeGreaterThan(15);
      expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0]);
      const statuses = Object.keys(operation.responses);
      expect(statuses).toEqual(expect.arrayContaining(['405', 'default']));
      expect(statuses.some((status) => /^20[0124]$/.test(status))).toBe(true);
      const artifact = ARTIFACTS.find((one) => `/${one.path}` === path);
      if (!artifact) return;
      const expected = ['400', '401', '503', ...(artifact.area === 'diplomacy' ? [] : ['403'])];
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(expected));
      expect(operation.security.some((one) => Object.keys(one).length === 0)).toBe(!artifact.restricted);
    },
  );

  test('has an example of each problem code', () => {
    expect(Object.keys(document.components.examples)).toEqual(Object.keys(PROBLEMS));
    const listed = Object.values(document.components.responses).flatMap(
      (one) => one['x-problem-codes'] ?? [],
    );
    expect([...new Set(listed)].sort()).toEqual(Object.keys(PROBLEMS).sort());
  });

  test('lists only problems with that status under each status', () => {
    for (const [path, { responses }] of operations)
      for (const [status, response] of Object.entries(responses)) {
        if (status === 'default') continue;
        for (const code of resolve<Answer>(response)['x-problem-codes'] ?? [])
          expect([path, code, String(PROBLEMS[code].status)]).toEqual([path, code, status]);
      }
  });
});

/** Every schema with its examples: of contents, components, parameters, headers and bodies that are sent. */
function schemasIn(value: object, place = '#'): [place: string, schema: object, examples: unknown[]][] {
  const own = 'schema' in value && !isReference(value.schema as object) ? value.schema : null;
  const { example, examples = {} } = value as { example?: unknown; examples?: Record<string, Example> };
  const shown = [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples).map((one) => one.value),
  ];
  const inner = Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'object' && member !== null && !['schema', 'examples'].includes(name)
      ? schemasIn(member, `${place}/${name}`)
      : [],
  );
  return own ? [[place, own, shown], ...inner] : inner;
}

test('has only members in its schemas that every tool knows or may ignore, and examples that fit', () => {
  const strict = new Ajv2020({ strictTypes: false, strictRequired: false, validateFormats: false });
  strict.addVocabulary(['x-unit', 'x-range', 'x-formula']);
  const { schemas, ...components } = document.components;
  const named = Object.entries(schemas).map(([name, schema]) => [name, schema, []] as const);
  const found = [...named, ...schemasIn({ ...document, components })];
  expect(found.length).toBeGreaterThan(100);
  for (const [place, schema, examples] of found) {
    const validate = strict.compile(schema);
    for (const example of examples) expect([place, validate(example)]).toEqual([place, true]);
  }
});

describe('an example', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'https://data.example.org/openapi.json', ...document });

  test.each(contents())('of %s fits its schema', (place, { schema, examples = {} }) => {
    const local = isReference(schema) ? `https://data.example.org/openapi.json${schema.$ref}` : null;
    const validate = local ? ajv.compile({ $ref: local }) : ajv.compile(schema);
    for (const example of Object.values(examples)) {
      const { value } = resolve<{ value: unknown }>(example);
      expect([place, validate(value), validate.errors]).toEqual([place, true, null]);
    }
    // The same check fails for an invalid document.
    if (local) expect(validate({ surprise: true })).toBe(false);
  });

  test('exists for every text response', () => {
    const without = contents().filter(([, { examples }]) => !examples);
    expect(without.map(([place]) => place)).toEqual([
      '/government/transparency.pdf 200 as application/pdf',
      '/government/transparency-{year}.pdf 200 as application/pdf',
      '/{area}/{table}.ndjson 200 as application/x-ndjson',
      '/{area}/{table}.xlsx 200 as application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      '/{area}/{table}-{year}.{form} 200 as application/vnd.apache.parquet',
      '/{area}/{table}-{year}.{form} 200 as application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      '/cathedral.sqlite 200 as application/vnd.sqlite3',
      '/charts/{id}.svg 200 as image/svg+xml',
      '/charts/{id}.png 200 as image/png',
      '/charts/{id}.pdf 200 as application/pdf',
      '/log/tile/entries/{tile} 200 as application/octet-stream',
      '/log/tile/{level}/{tile} 200 as application/octet-stream',
      '/log/public/{version}/{tile} 200 as application/octet-stream',
      '/snapshots/{snapshot}/{area}/{file} 200 as */*',
      'PartOfFile as */*',
      'PartOfFile.counted.versions as */*',
      'PartOfFile.versions as */*',
      'PartOfFile.log as */*',
    ]);
  });

  test('is taken from the release for a public file, and invented for a restricted one', () => {
    const exampleAt = (path: string) => {
      const { content } = document.paths[path]!.get!.responses['200'] as Answer;
      return Object.values(Object.values(content!)[0]!.examples!)[0] as Example;
    };
    expect(exampleAt('/economy/supply').value).toEqual(goldenFiles.read(supply));
    const mints = exampleAt('/economy/mic-history.csv').value as string;
    expect(goldenFiles.head('economy/mic-history.csv', 16_384).startsWith(mints)).toBe(true);
    expect(mints.split('\n')).toHaveLength(5);
    for (const artifact of ARTIFACTS)
      expect(artifact.example !== undefined, artifact.path).toBe(artifact.restricted);
  });

  test('of the export has the format of exports', () => {
    const given = { from: '2025-12-01', to: null, filter: null };
    const none = JSON.parse(`${FORMS.json.head(given)}${FORMS.json.tail(0)}`);
    expect(LedgerExport.parse(none)).toEqual({ ...given, events: [], count: 0, complete: true });
    const { content = {} } = document.paths['/export']!.get!.responses['200'] as Answer;
    expect(Object.keys(content)).toEqual(
      ['json', 'csv', 'ndjson'].map((name) => EXPORT_MEDIA_TYPES[name as FormName]),
    );
    const { value } = content[EXPORT_MEDIA_TYPES.csv]!.examples!.example as Example;
    const [row] = parseCsv(value as string, { columns: true }) as Record<string, string>[];
    expect(ledgerExport.schema.safeParse(row).success).toBe(true);
  });
});
