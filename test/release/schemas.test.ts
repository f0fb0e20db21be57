import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import { ATTESTATION_SCHEMA_PATH } from '../../pipeline/attestation/json-schema.ts';
import { formPath, TABLES } from '../../pipeline/forms/tables.ts';
import { eventSchemas } from '../../pipeline/ledger/event-schemas.ts';
import { lineSchemaPath, schemaFiles, schemaPath } from '../../pipeline/release/format/schemas.ts';
import { formatTableSchema } from '../../pipeline/release/format/table-schema.ts';

const BASE = 'https://data.example.org';
const files = schemaFiles(ARTIFACTS, BASE);
const jsonOf = (path: string) => JSON.parse(String(files.find((file) => file.path === path)?.content));

describe('schemas', () => {
  test('exist for every JSON and CSV file of the service, and for the lines of histories', () => {
    const wanted = ARTIFACTS.filter(({ mediaType }) => /json|csv/.test(mediaType)).map((artifact) =>
      schemaPath(artifact),
    );
    const lines = ARTIFACTS.map(lineSchemaPath).filter((path) => path !== null);
    expect(lines).toEqual(
      TABLES.filter(({ grows }) => grows).map((table) => `schemas/${formPath(table, '.ndjson')}.schema.json`),
    );
    const listed = [...wanted, ...lines, ATTESTATION_SCHEMA_PATH, ...eventSchemas(BASE).keys()];
    expect(files.map(({ path }) => path).sort()).toEqual(listed.sort());
    expect(wanted).toContain('schemas/economy/supply.schema.json');
    expect(wanted).toContain('schemas/academics/mii-timeline.csv.table.json');
    expect(wanted).toContain('schemas/government/ledger/export.table.json');
  });

  test.each(ARTIFACTS.filter(({ mediaType }) => mediaType === 'application/json'))(
    '$path: a JSON Schema with its own address',
    (artifact) => {
      const path = schemaPath(artifact)!;
      const schema = jsonOf(path);
      expect(schema).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: `${BASE}/${path}`,
        title: artifact.title,
        description: artifact.description,
        type: 'object',
        additionalProperties: false,
      });
      if (artifact.kind === 'printed') throw new Error('a PDF is no JSON');
      const again = z.fromJSONSchema(schema);
      expect(again.safeParse({ no: 'such member' }).success).toBe(false);
    },
  );

  test.each(ARTIFACTS.filter(({ mediaType }) => mediaType.startsWith('text/csv')))(
    '$path: a Table Schema with its columns in order',
    (artifact) => {
      if (artifact.kind === 'printed') throw new Error('a PDF is no table');
      const table = jsonOf(schemaPath(artifact)!);
      const { shape } = artifact.schema as z.ZodObject;
      const columns = Object.keys(shape);
      expect(table.fields.map(({ name }: { name: string }) => name)).toEqual(columns);
      for (const field of table.fields) {
        expect(['string', 'number', 'integer', 'boolean', 'date', 'datetime']).toContain(field.type);
        expect(field.description).toEqual(expect.any(String));
        const mayBeEmpty = z.safeParse(shape[field.name]!, null).success;
        expect(field.constraints.required).toBe(!mayBeEmpty);
      }
      const { name, type } = table.fields[0];
      expect([`${name} ${type}`]).toEqual([columns[0] === 'date' ? 'date date' : 'timestamp datetime']);
    },
  );
});

test('a JSON Schema has only keywords that strict validators know, and members with x-', () => {
  const ajv = new Ajv2020({ strictTypes: false, validateFormats: false });
  ajv.addVocabulary(['x-unit', 'x-range', 'x-formula', 'x-effect']);
  const schemas = files.filter(({ path }) => !path.endsWith('.table.json'));
  for (const { path } of schemas) expect(() => ajv.compile(jsonOf(path)), path).not.toThrow();
  expect(String(schemas.map(({ content }) => content))).toContain('"x-unit"');
});

describe('a pattern in a schema', () => {
  const patterns = files.flatMap(({ content }) => {
    const found: string[] = [];
    JSON.parse(String(content), (key, value) => {
      if (key === 'pattern' && typeof value === 'string') found.push(value);
      return value;
    });
    return found;
  });

  // JSON Schema 2020-12, core, 6.4: a pattern should keep to what all languages have. Of `re` in Python this is the rest.
  test('is one that other languages can compile: no classes by property, no look-behind, no names', () => {
    expect(patterns.length).toBeGreaterThan(20);
    expect(patterns.filter((pattern) => /\\[pPkKhHRXAzZQEG]|\(\?<|\(\?[a-z]/.test(pattern))).toEqual([]);
    for (const pattern of patterns) expect(() => new RegExp(pattern, 'u'), pattern).not.toThrow();
  });
});

describe('a column of a Table Schema', () => {
  const field = (type: z.ZodType) =>
    formatTableSchema({ title: '', description: '', schema: z.strictObject({ x: type }) }).fields[0];

  test('has the type, limits and metadata of its member', () => {
    const share = z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'd', unit: 'share', range: '0–1', formula: 'a ÷ b' });
    expect(field(share)).toEqual({
      name: 'x',
      type: 'number',
      description: 'd',
      unit: 'share',
      range: '0–1',
      formula: 'a ÷ b',
      constraints: { required: true, minimum: 0, maximum: 1 },
    });
    expect(field(z.int().min(0))).toMatchObject({
      type: 'integer',
      constraints: { required: true, minimum: 0 },
    });
    expect(field(z.int())?.constraints).toEqual({ required: true });
    expect(field(z.iso.date())).toEqual({ name: 'x', type: 'date', constraints: { required: true } });
    expect(field(z.enum(['a', 'b']))?.constraints).toEqual({ required: true, enum: ['a', 'b'] });
  });

  test('may be empty where the member may be null or left out', () => {
    expect(field(z.number().nullable())).toMatchObject({ type: 'number', constraints: { required: false } });
    expect(field(z.iso.date().nullable())).toMatchObject({ type: 'date', constraints: { required: false } });
    expect(field(z.string().nullable())).toMatchObject({ type: 'string', constraints: { required: false } });
    expect(field(z.string().optional())).toMatchObject({ type: 'string', constraints: { required: false } });
  });

  test('has a pattern that matches the whole cell, as XML Schema does', () => {
    expect(field(z.string().regex(/^C-\d+$/))?.constraints).toMatchObject({ pattern: 'C-\\d+' });
    expect(field(z.string().regex(/^[^=+]/))?.constraints).toMatchObject({ pattern: '([^=+])[\\s\\S]*' });
  });

  test('is refused where it is not a cell', () => {
    expect(() => field(z.array(z.string()))).toThrow();
    expect(() => field(z.union([z.string(), z.number()]))).toThrow();
  });
});
