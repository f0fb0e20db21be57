import fc from 'fast-check';
import { z } from 'zod';
import type { Artifact } from '../../pipeline/artifacts/artifact.ts';
import { chartCsv } from '../../pipeline/charts/chart-table.ts';
import { CATHEDRALS } from '../../pipeline/ledger/events/vocabulary.ts';

interface JsonSchema {
  type?: string;
  enum?: string[];
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | false;
  items?: JsonSchema;
  minimum?: number;
  maximum?: number;
  format?: string;
  unit?: string;
  range?: string;
}

/** Numbers that break drawings: none, equal ones, huge ones, hairs; below zero where the schema allows it. */
function numbers({ type, minimum = -1e15, maximum = 1e15 }: JsonSchema): fc.Arbitrary<number> {
  const odd = [0, 1, 0.5, 1e-9, 1e6, 1e15, -1, -1e15].filter((value) => value >= minimum && value <= maximum);
  const some = fc.double({ min: minimum, max: maximum, noNaN: true, noDefaultInfinity: true });
  const value = fc
    .oneof(fc.constantFrom(...odd, Math.max(minimum, 0)), some)
    .map((one) => (one === 0 ? 0 : one));
  return type === 'integer' ? value.map((one) => Math.min(Math.round(Math.abs(one)), 2 ** 50)) : value;
}

/** Names as a ledger may have them; none that a CSV of ours refuses. */
const name = fc.oneof(
  fc.constantFrom('ATLAS', 'constructor', 'a & <b> "c"', '漢字の名前', '_'.repeat(200), 'é\u0000\u202e'),
  fc.constantFrom(...CATHEDRALS),
  // A name that looks like a number that is none would be taken for one by `assertDrawn`.
  fc
    .string({ minLength: 1, maxLength: 30 })
    .filter((text) => /^[^=+\-@\t\r\n]/.test(text) && !/NaN|undefined|Infinity|\[object|="null/.test(text)),
);
const day = fc
  .integer({ min: 0, max: 40_000 })
  .map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10));

function values(schema: JsonSchema, field: string): fc.Arbitrary<unknown> {
  const { anyOf, type, properties, additionalProperties, items, format, unit } = schema;
  if (anyOf) return fc.oneof(...anyOf.map((one) => values(one, field)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'number' || type === 'integer') return numbers(schema);
  if (type === 'array') return fc.array(values(items!, field), { maxLength: 25 });
  if (properties) {
    return fc.record(
      Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, values(one, key)])),
    );
  }
  if (additionalProperties)
    return fc.dictionary(
      name.filter((key) => key !== '__proto__'),
      values(additionalProperties, field),
      { maxKeys: 6 },
    );
  if (format === 'date') return day;
  if (unit === 'ISO 8601 date-time') return day.map((date) => `${date}T12:00:00Z`);
  if (field === 'cycle') return fc.constant('C-1');
  return unit === 'snake_case token' || field === 'reason'
    ? fc.constantFrom('genesis', 'mic_mint', 'policy_projected', 'x')
    : name;
}

/** A published file of any content that its schema allows: JSON, or CSV with the newest day first. */
export function arbitraryFile(artifact: Exclude<Artifact, { kind: 'printed' }>): fc.Arbitrary<string> {
  const schema = z.toJSONSchema(artifact.schema, { unrepresentable: 'any' }) as JsonSchema;
  if (artifact.mediaType === 'application/json') {
    return values(schema, '').map((value) => JSON.stringify(value));
  }
  const columns = Object.keys(schema.properties!).map((column) => ({ name: column, title: '', unit: '' }));
  const row = values(schema, '') as fc.Arbitrary<Record<string, string | number | boolean | null>>;
  return fc.array(row, { maxLength: 30 }).map((rows) => {
    const time = (one: (typeof rows)[number]) => String(one.date ?? one.timestamp);
    const sorted = rows.toSorted((a, b) => (time(a) < time(b) ? 1 : -1));
    const cells = sorted.map((one) =>
      columns.map(({ name }) => (typeof one[name] === 'boolean' ? String(one[name]) : one[name]!)),
    );
    return chartCsv({ columns, rows: cells });
  });
}
