import type { Artifact } from '../../artifacts/artifact.ts';
import { type Field, fieldsIn, type JsonSchema } from '../../artifacts/data-dictionary.ts';
import { toJsonSchema } from '../../ledger/events/json-schema.ts';

/** Types of Table Schema that JSON Schema expresses by format, or the data dictionary by unit. */
const TYPES: Readonly<Record<string, string>> = {
  date: 'date',
  'date-time': 'datetime',
  'ISO 8601 date-time': 'datetime',
  'YYYY-MM-DD': 'date',
};

/** What a cell may be. */
const CELLS = /^(string|number|integer|boolean)( or null)?$/;

/**
 * Table Schema (Data Package 2) of a CSV artifact. Its columns are the fields of the artifact's schema, which describes
 * one row. Throws for a column with another kind of cell, or more than one.
 */
export function formatTableSchema({
  title,
  description,
  schema,
}: Pick<Exclude<Artifact, { kind: 'printed' }>, 'title' | 'description' | 'schema'>) {
  const fields = fieldsIn(toJsonSchema(schema) as JsonSchema);
  return {
    $schema: 'https://datapackage.org/profiles/2.0/tableschema.json',
    title,
    description,
    fields: fields.map(formatField),
    missingValues: [''],
  };
}

function formatField({ name, required, type, description, unit, formula, schema }: Field) {
  const [, cell, orNull] = CELLS.exec(type) ?? [];
  if (cell === undefined) throw new Error(`column ${name}: expected one kind of cell, found ${type}`);
  const { title, format = '', 'x-range': range } = schema;
  return {
    name,
    type: TYPES[format] ?? TYPES[unit] ?? cell,
    ...(title && { title }),
    ...(description && { description }),
    ...(unit && { unit }),
    ...(range && { range }),
    ...(formula && { formula }),
    constraints: { required: required && orNull === undefined, ...constraints(schema, cell) },
  };
}

function constraints(
  { format, minimum, maximum, minLength, maxLength, pattern, enum: values }: JsonSchema,
  cell: string,
) {
  const inRange = (limit: number | undefined) =>
    limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
  return {
    ...(values && { enum: values }),
    ...(inRange(minimum) && { minimum }),
    ...(inRange(maximum) && { maximum }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    // A pattern beside a format only repeats the format.
    ...(cell === 'string' && pattern && !format && { pattern: asXmlPattern(pattern) }),
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
