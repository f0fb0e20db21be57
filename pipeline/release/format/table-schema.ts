import { z } from 'zod';
import type { Artifact } from '../../artifacts/artifact.ts';

/** The members of a JSON Schema that describe a cell. */
const Column = z.object({
  type: z.enum(['string', 'number', 'integer', 'boolean']),
  format: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  unit: z.string().optional(),
  range: z.string().optional(),
  formula: z.string().optional(),
  enum: z.array(z.union([z.string(), z.number()])).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  pattern: z.string().optional(),
});
type Column = z.infer<typeof Column>;

/** Types of Table Schema that JSON Schema expresses by format, or our metadata by unit. */
const TYPES: Readonly<Record<string, string>> = {
  date: 'date',
  'date-time': 'datetime',
  'ISO 8601 date-time': 'datetime',
  'YYYY-MM-DD': 'date',
};

/**
 * Table Schema (Data Package 2) of a CSV artifact. Its columns are the members of the artifact's schema, which describes
 * one row.
 */
export function formatTableSchema({
  title,
  description,
  schema,
}: Pick<Exclude<Artifact, { kind: 'printed' }>, 'title' | 'description' | 'schema'>) {
  const row = z.toJSONSchema(schema, { target: 'draft-2020-12' });
  const required = new Set(row.required);
  const fields = Object.entries(row.properties ?? {}).map(([name, property]) =>
    formatField(name, property, required.has(name)),
  );
  return {
    $schema: 'https://datapackage.org/profiles/2.0/tableschema.json',
    title,
    description,
    fields,
    missingValues: [''],
  };
}

function formatField(name: string, property: unknown, present: boolean) {
  const { nullable, column } = readColumn(property);
  const { type, format, unit, title, description, range, formula } = column;
  return {
    name,
    type: TYPES[format ?? ''] ?? TYPES[unit ?? ''] ?? type,
    ...(title && { title }),
    ...(description && { description }),
    ...(unit && { unit }),
    ...(range && { range }),
    ...(formula && { formula }),
    constraints: { required: present && !nullable, ...constraints(column) },
  };
}

/** `{anyOf: [T, null]}` and `{type: [T, null]}` are cells that may be empty. */
function readColumn(property: unknown): { nullable: boolean; column: Column } {
  const { anyOf, type, ...rest } = property as { anyOf?: { type?: string }[]; type?: string | string[] };
  const choices = anyOf ?? [type].flat().map((name) => ({ type: name }));
  const cells = choices.filter((choice) => choice.type !== 'null');
  // A column with more than one kind of cell has no type here and is refused.
  const cell = cells.length === 1 ? cells[0] : {};
  return { nullable: cells.length < choices.length, column: Column.parse({ ...cell, ...rest }) };
}

function constraints({
  type,
  format,
  minimum,
  maximum,
  minLength,
  maxLength,
  pattern,
  enum: values,
}: Column) {
  const inRange = (limit: number | undefined) =>
    limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
  return {
    ...(values && { enum: values }),
    ...(inRange(minimum) && { minimum }),
    ...(inRange(maximum) && { maximum }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    // A pattern beside a format only repeats the format.
    ...(type === 'string' && pattern && !format && { pattern: asXmlPattern(pattern) }),
  };
}

/**
 * Table Schema uses the patterns of XML Schema: they match the whole cell, and `^` and `$` are literal.
 */
function asXmlPattern(pattern: string): string {
  const body = pattern.replace(/^\^/, '').replace(/\$$/, '');
  const before = pattern.startsWith('^') ? '' : '[\\s\\S]*';
  const after = pattern.endsWith('$') ? '' : '[\\s\\S]*';
  return before || after ? `${before}(${body})${after}` : body;
}
