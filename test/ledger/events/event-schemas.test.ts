import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CathedralError } from '../../../pipeline/errors.ts';
import { completeEvent } from '../../../pipeline/ledger/events/draft.ts';
import { EVENT_DATA, KNOWN_TYPES, type LedgerEvent } from '../../../pipeline/ledger/events/event.ts';
import { assertEvent } from '../../../pipeline/ledger/events/event-check.ts';
import { EXAMPLE_LEDGER, exampleOf } from '../../../pipeline/ledger/events/event-examples.ts';
import { formatEventLine, parseEventLine } from '../../../pipeline/ledger/events/event-line.ts';
import {
  EVENT_DRAFT_SCHEMA_PATH,
  EVENT_LINE_SCHEMA_PATH,
  eventSchemaPath,
  eventSchemas,
} from '../../../pipeline/ledger/events/event-schemas.ts';
import { emptyState } from '../../../pipeline/model/empty-state.ts';
import { apply } from '../../../pipeline/model/fold.ts';
import { JSON_EVENTS, objectRow } from '../../../pipeline/sources/rows/json-rows.ts';
import { annotationsOf } from '../../../pipeline/words/described.ts';
import { mutated, placesOf } from './mutated-event.ts';

const BASE = 'https://data.example.org';
const SCHEMAS = eventSchemas(BASE);
// The patterns repeat the formats, so validators that ignore formats are as strict as others.
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false });
ajv.addVocabulary(['x-unit', 'x-range', 'x-formula', 'x-effect']);
const validate = new Map([...SCHEMAS].map(([path, schema]) => [path, ajv.compile(schema as AnySchema)]));
const accepts = (path: string, value: unknown) => validate.get(path)!(value) as boolean;

function isValid(event: unknown): boolean {
  try {
    assertEvent(event, () => 'here');
    return true;
  } catch {
    return false;
  }
}

describe('the examples', () => {
  test('are one of each type and, in order of time, a ledger without findings', () => {
    expect(EXAMPLE_LEDGER.map(({ type }) => type).sort()).toEqual(Object.keys(EVENT_DATA).sort());
    const lines = EXAMPLE_LEDGER.map(formatEventLine);
    expect(lines.map((line) => parseEventLine(Buffer.from(line), () => 'here'))).toEqual(EXAMPLE_LEDGER);
    const now = Date.parse('2026-02-01T00:00:00Z');
    let notBefore: string | null = null;
    let state = emptyState();
    for (const [seq, event] of EXAMPLE_LEDGER.entries()) {
      expect(completeEvent(event, { seq, notBefore, now })).toEqual(event);
      notBefore = event.timestamp;
      state = apply(state, { event, hash: '' });
    }
    expect(state.findings.recent).toEqual([]);
  });

  test.each(EXAMPLE_LEDGER)('$type: as JSON Schema accepts it, whole and its data', (event) => {
    expect(accepts(EVENT_LINE_SCHEMA_PATH, event)).toBe(true);
    expect(accepts(EVENT_DRAFT_SCHEMA_PATH, event)).toBe(true);
    expect(accepts(eventSchemaPath(event.type), event.data)).toBe(true);
    expect(SCHEMAS.get(eventSchemaPath(event.type))).toMatchObject({ examples: [event.data] });
  });
});

describe('a schema', () => {
  test.each([...SCHEMAS])('%s has its address, and a description of each member', (path, schema) => {
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `${BASE}/${path}`,
      title: expect.any(String),
    });
    expect(ajv.validateSchema(schema as AnySchema)).toBe(true);
    const unnamed: string[] = [];
    JSON.parse(JSON.stringify(schema), (key, value) => {
      if (key !== 'properties') return value;
      for (const [name, member] of Object.entries<{ description?: string; const?: string; $ref?: string }>(
        value,
      ))
        if (!member.description && !member.$ref && !(member.const && name === 'type')) unnamed.push(name);
      return value;
    });
    expect(unnamed).toEqual([]);
  });

  test.each(KNOWN_TYPES)('of %s says what the event records, and its effect', (type) => {
    const { description, effect } = annotationsOf(EVENT_DATA[type]);
    expect(description).toMatch(/^[A-Z].*\.$/);
    expect(effect).toMatch(/^[A-Z].*\.$/);
  });

  test('no type has the name of another schema', () => {
    expect(SCHEMAS.size).toBe(KNOWN_TYPES.length + 2);
  });
});

/** Half a surrogate pair: texts of most languages cannot hold one, so the schemas do not mention it. */
const isBeyondSchema = (event: unknown) => /\\ud[89a-f]/.test(JSON.stringify(event));

describe('the schema of a line and the check of events agree', () => {
  test('about each example with any wrong value in any place, or without a member', () => {
    const seen = { accepted: 0, refused: 0 };
    for (const example of EXAMPLE_LEDGER) {
      const event = structuredClone<LedgerEvent>(example);
      for (const [parent, name, wrong] of placesOf(event)) {
        const before = parent[name];
        for (const value of wrong) {
          if (value === undefined) delete parent[name];
          else parent[name] = value;
          const accepted = accepts(EVENT_LINE_SCHEMA_PATH, event);
          if (accepted !== isValid(event)) expect([example.type, name, value]).toEqual(accepted);
          seen[accepted ? 'accepted' : 'refused'] += 1;
        }
        parent[name] = before;
      }
    }
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(1000);
  });

  test('about events with several changes, and about their data', () => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(mutated, (event) => {
        const valid = isValid(event);
        const accepted = accepts(EVENT_LINE_SCHEMA_PATH, event);
        if (isBeyondSchema(event)) return expect([accepted, valid]).not.toEqual([false, true]);
        expect(accepted).toBe(valid);
        const schema = validate.get(eventSchemaPath(event.type as never));
        if (valid && schema) expect(schema(event.data)).toBe(true);
        seen[valid ? 'accepted' : 'refused'] += 1;
      }),
      { numRuns: 600 },
    );
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(40);
  });

  test.each([null, true, 1, 'text', [], [{}], {}])('that %j is no event', (value) => {
    expect([accepts(EVENT_LINE_SCHEMA_PATH, value), isValid(value)]).toEqual([false, false]);
  });

  test('except about half a surrogate pair, which only the check refuses', () => {
    const event = { ...exampleOf('heartbeat'), agent: '\ud800' };
    expect([accepts(EVENT_LINE_SCHEMA_PATH, event), isValid(event)]).toEqual([true, false]);
  });

  test.each([
    [200, true],
    [201, false],
  ])('and count %i characters outside the BMP as so many', (length, expected) => {
    const event = { ...exampleOf('heartbeat'), agent: '😀'.repeat(length) };
    expect([accepts(EVENT_LINE_SCHEMA_PATH, event), isValid(event)]).toEqual([expected, expected]);
  });
});

describe('the schema of a line in other languages', () => {
  const text = JSON.stringify(SCHEMAS.get(EVENT_LINE_SCHEMA_PATH));

  test('has no pattern with lookaround, and none that depends on the alphabet', () => {
    const patterns = [...text.matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)].map(([, found]) =>
      JSON.parse(`"${found}"`),
    );
    expect(patterns.length).toBeGreaterThan(50);
    expect(patterns.filter((pattern) => /\(\?[^:]|\\[bdDpPsSwW]/.test(pattern))).toEqual([]);
  });

  test('refuses a final line end, even where $ matches before it, as in Python, Java and Perl', () => {
    const elsewhere = ajv.compile(
      JSON.parse(text.replace(/"\$id":"/, '$&elsewhere-').replaceAll('$"', '\\\\n?$"')),
    );
    for (const example of EXAMPLE_LEDGER) {
      expect(elsewhere(example)).toBe(true);
      const event = structuredClone<LedgerEvent>(example);
      for (const [parent, name] of placesOf(event).filter(
        ([one, member]) => typeof one[member] === 'string',
      )) {
        const before = parent[name];
        parent[name] += '\n';
        expect([name, elsewhere(event)]).toEqual([name, isValid(event)]);
        parent[name] = before;
      }
    }
  });

  test('names only the type of a value of another type', () => {
    const all = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
    const check = all.compile(JSON.parse(text));
    expect(check({ ...exampleOf('heartbeat'), agent: 1, salt: 1 })).toBe(false);
    expect(check.errors!.map(({ keyword }) => keyword)).toEqual(['type', 'type']);
  });
});

describe('the schema of a draft and its completion agree', () => {
  const NEXT = { notBefore: null, now: Date.parse('9999-12-31T23:59:59Z') };

  /** Null for what a schema of one event cannot say: the order of events, and the clock. */
  function completes(draft: unknown): boolean | null {
    try {
      const here = () => 'here';
      const row = objectRow(draft, here);
      JSON_EVENTS.idOf(row, here);
      const own = JSON_EVENTS.events(row, here)[0]!;
      completeEvent(own, { ...NEXT, seq: typeof own.seq === 'number' ? own.seq : 0 });
      return true;
    } catch (error) {
      return (error as CathedralError).code === 'ledger_order' ? null : false;
    }
  }

  test('about events without what is filled in, and with several changes', () => {
    const seen = { accepted: 0, refused: 0 };
    const left = fc.subarray(['seq', 'timestamp', 'cycle', 'salt', 'agent'] as const);
    fc.assert(
      fc.property(mutated, left, (event, names) => {
        const draft = Object.fromEntries(
          Object.entries(event).filter(([name]) => !names.includes(name as never)),
        );
        const completed = completes(draft);
        fc.pre(completed !== null && !isBeyondSchema(draft));
        expect(accepts(EVENT_DRAFT_SCHEMA_PATH, draft)).toBe(completed);
        seen[completed ? 'accepted' : 'refused'] += 1;
      }),
      { numRuns: 400 },
    );
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(20);
  });

  test.each([
    ['row-7', true],
    [7, true],
    [null, false],
    [['7'], false],
  ])('about the row id %j', (id, expected) => {
    const draft = { ...exampleOf('heartbeat'), id };
    expect([accepts(EVENT_DRAFT_SCHEMA_PATH, draft), completes(draft)]).toEqual([expected, expected]);
  });

  test.each([
    ['2026-10-01T08:00:00+02:00', true],
    ['2026-10-01T08:00:00.25-11:30', true],
    ['2026-02-30T08:00:00+02:00', false],
    ['2026-10-01T24:00:00+02:00', false],
    ['2026-10-01T08:00:00+24:00', false],
    ['2026-10-01T08:00:00+0200', false],
    ['2026-10-01 08:00:00Z', false],
    ['2026-10-01', false],
  ])('about the time %s', (timestamp, expected) => {
    const draft = { ...exampleOf('heartbeat'), timestamp };
    expect([accepts(EVENT_DRAFT_SCHEMA_PATH, draft), completes(draft)]).toEqual([expected, expected]);
  });
});
