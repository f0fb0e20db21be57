import * as z from 'zod/mini';
import { described } from '../../words/described.ts';
import { Envelope, EVENT_DATA, KNOWN_TYPES, type KnownType } from './event.ts';
import { EXAMPLE_LEDGER, exampleOf } from './event-examples.ts';
import { JSON_SCHEMA, toJsonSchema } from './json-schema.ts';

/** A JSON Schema (draft 2020-12), or a part of one. */
export type JsonSchema = { [keyword: string]: unknown };

const FOLDER = 'schemas/events';

/** Path of the JSON Schema of a type's data, below the root. */
export function eventSchemaPath(type: KnownType): string {
  return `${FOLDER}/${type}.schema.json`;
}

// No type is named like these: types have no hyphen.
/** Path of the JSON Schema of a line of a ledger. */
export const EVENT_LINE_SCHEMA_PATH = `${FOLDER}/event-line.schema.json`;
/** Path of the JSON Schema of an event that `ledger append` completes. */
export const EVENT_DRAFT_SCHEMA_PATH = `${FOLDER}/event-draft.schema.json`;

/**
 * The JSON Schema of `data` of an event type. It accepts what the check of events accepts, except for half a surrogate pair, which the
 * check refuses: texts of most languages cannot hold one.
 */
export function dataSchema(type: KnownType): JsonSchema {
  return DATA_SCHEMAS.getOrInsertComputed(type, () => portable(EVENT_DATA[type]));
}

/** Three documents have each of them. */
const DATA_SCHEMAS = new Map<KnownType, JsonSchema>();

/** The schemas of all types, of a line and of a draft, by their paths below the root. Each is complete without the others. */
export function eventSchemas(baseUrl: string): Map<string, JsonSchema> {
  const documents: [path: string, title: string, schema: JsonSchema][] = [
    ...KNOWN_TYPES.map((type): [string, string, JsonSchema] => [
      eventSchemaPath(type),
      `Data of a ${type} event`,
      { ...dataSchema(type), examples: [exampleOf(type).data] },
    ]),
    [EVENT_LINE_SCHEMA_PATH, 'Event of a ledger', { ...eventSchema(Envelope), examples: EXAMPLE_LEDGER }],
    [EVENT_DRAFT_SCHEMA_PATH, 'Event to be appended', { ...eventSchema(Draft), examples: [DRAFT_EXAMPLE] }],
  ];
  return new Map(
    documents.map(([path, title, schema]) => [
      path,
      { $schema: JSON_SCHEMA, $id: `${baseUrl}/${path}`, title, ...schema },
    ]),
  );
}

/** A time may have an offset. What is missing is filled in: the next seq, the clock's time, the cycle of that day, a random salt. */
const Draft = z.extend(z.partial(Envelope, { seq: true, timestamp: true, cycle: true, salt: true }), {
  timestamp: z.optional(
    described(
      z.iso.datetime({ offset: true, local: false }),
      'When it happened; the time at which it is appended if absent',
      { unit: 'ISO 8601 date-time', range: 'with Z or an offset' },
    ),
  ),
  id: z.optional(
    described(
      z.union([z.string(), z.number()]),
      'Id of the row that it comes from, each once; it does not enter the ledger',
    ),
  ),
});
const DRAFT_EXAMPLE = { type: 'mii_reading', agent: 'MII', data: exampleOf('mii_reading').data };

/** An event whose data is checked by its type; that of other types is any object. */
function eventSchema(envelope: z.ZodMiniObject): JsonSchema {
  return {
    ...portable(envelope),
    allOf: KNOWN_TYPES.map((type) => ({
      if: { properties: { type: { const: type } }, required: ['type'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; an object, so nothing awaits it
      then: { properties: { data: { $ref: `#/$defs/${type}` } } },
    })),
    $defs: Object.fromEntries(KNOWN_TYPES.map((type) => [type, dataSchema(type)])),
  };
}

function portable(schema: z.ZodMiniType): JsonSchema {
  return toJsonSchema(schema, { io: 'input', override: ({ jsonSchema }) => makePortable(jsonSchema) });
}

/** Patterns have the same meaning in every language: `\d` matches digits of any script in some, and `$` also before a line end. */
function makePortable(schema: JsonSchema): void {
  const { pattern } = schema;
  if (typeof pattern !== 'string') return;
  // Only half a surrogate pair does not match, and texts of most languages cannot hold one.
  if (pattern === '^\\P{Cs}*$') delete schema.pattern;
  else if (pattern.endsWith('$'))
    Object.assign(schema, {
      pattern: pattern.replaceAll('\\d', '[0-9]'),
      not: { type: 'string', pattern: '[^!-~]' },
    });
}
