import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { View } from '../../pipeline/artifacts/artifact.ts';
import { readDocuments } from '../../pipeline/artifacts/documents.ts';
import { DOCUMENTS, HISTORIES, YEARLY } from '../../pipeline/artifacts/table.ts';
import { KNOWN_TYPES, type KnownType } from '../../pipeline/ledger/events/event.ts';
import { emptyState } from '../../pipeline/model/empty-state.ts';
import { apply } from '../../pipeline/model/fold.ts';
import { sampleEvents } from '../../pipeline/sample/sample-events.ts';
import { DEMO_COMPANIONS } from '../attestation/demo-companions.ts';
import { TestLedger } from '../model/events.ts';
import { historyRows } from './history-rows.ts';

const documents = await readDocuments(new URL('../../data/documents', import.meta.url).pathname);

/** The event types that each value needs: at least one type of each list. Without them, the value must say that nothing was measured. */
const MEASURED: readonly (readonly [RegExp, ...KnownType[][]])[] = [
  [/\b(mii|mii_score|mii_mean|mii_min|mii_max|mii_baseline|integrity(\.score|\.status)?)$/, ['mii_reading']],
  [/\bthreshold$/, ['genesis', 'mic_mint']],
  [/\bminting_active$/, ['mii_reading'], ['genesis', 'mic_mint']],
  [/\bsystem_health$/, ['mii_reading', 'heartbeat', 'alert_raised']],
  [/\b(consensus_rate|temperance(\.score|\.status)?)$/, ['deliberation_closed'], ['deliberation_opened']],
  [/\bjustice(\.score|\.status)?$/, ['mic_mint'], ['sentinel_registered']],
  [/\bprudence(\.score|\.status)?$/, ['decision_recorded', 'policy_projected']],
  [/\bcourage(\.score|\.status)?$/, ['position_taken']],
  [/\bprinciple_adherence$/, ['decision_recorded']],
  [/\b(compliance_status|compliance\.status|charter_compliance)$/, ['compliance_audited']],
  [/\bjurisdictions\.\w+\.\w+$/, ['compliance_audited']],
  [/\b(average_coordination|mean_coordination|mean_gi_score|gi_score)$/, ['attestation']],
  [/\b(coordination|score|coordination_score)$/, ['attestation', 'mic_mint']],
  [/\b(uptime_days|longest_silence|outages|last_heartbeat)$/, ['heartbeat']],
  [
    /(sentinel-status\.json |operations\.)sentinels\[\]\.status$|sentinels-by-day\.csv .*status$/,
    ['heartbeat'],
  ],
  [/\b(roi|average_roi|projected_supply|projected_threshold)$/, ['mic_mint']],
  [/companions\.json (attestations|unattested)\[\]\.drift$/, ['companion_drift']],
];
/** What the events themselves state, and rules: a multiplier is 1 until it is set; a check is late because of what was attested. */
const STATED =
  /\b(closed|year|multipliers\.\w+|multiplier|severity|scope|position|virtue_tags\[\]|consensus|algorithm|risk_level|drift_threshold|check_late|replaced)$|(apps|packages|papers|attestations)\[\]\.status$|citations/;
/** These compare or average other values of the table. Their own tests say when they are null. */
const DERIVED =
  /\b(overall_compliance|virtue_alignment|drift_score)$|drift-analysis\.json (status|trends\[\]\.\w+)$/;

const NOT_MEASURED = [null, '', 'not_measured', 'no_heartbeat_yet', 'retired', 'not_audited'];

/** Paths like `government/transparency.json operations.sentinels[].status`. */
const nameOf = (file: string, path: readonly string[]) => `${file} ${path.join('.')}`;
const listOf = (path: readonly string[]) => [...path.slice(0, -1), `${path.at(-1) ?? ''}[]`];

function leavesOf(value: unknown, file: string, path: string[] = []): [string, unknown][] {
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, file, listOf(path)));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, member]) => leavesOf(member, file, [...path, name]));
  return [[nameOf(file, path), value]];
}

const EVENTS = [...sampleEvents({ to: '2025-07-16T09:00:00Z', seed: 7 })].flatMap(({ events }) => events);

/** Every public and restricted JSON and CSV of the ledger without these types. */
function valuesWithout(absent: readonly string[]): [string, unknown][] {
  const kept = EVENTS.filter(({ type }) => !absent.includes(type)).map((event, seq) => ({ ...event, seq }));
  const leaves = kept.map((event) => ({ event, hash: '0'.repeat(64) }));
  const state = leaves.reduce(apply, emptyState());
  // Without their context the other events contradict each other, which is measured in any ledger.
  state.findings = { total: 0, recent: [] };
  const view = { state, documents, companions: DEMO_COMPANIONS, baseUrl: 'https://data.example.org' };
  const rows = historyRows(HISTORIES, leaves);
  const histories = HISTORIES.filter(({ path }) => path !== 'government/ledger/export').map((one) => {
    const text = one.head(view as View) + rows[one.path]!.toReversed().join(one.separator) + one.tail;
    return [
      one.path,
      one.mediaType === 'application/json' ? JSON.parse(text) : parse(text, { columns: true }),
    ];
  });
  const whole = [...DOCUMENTS, ...YEARLY]
    .filter(({ area, mediaType }) => area !== 'diplomacy' && mediaType === 'application/json')
    .map((one) => [one.path, JSON.parse(one.render(view, false))]);
  return [...histories, ...whole].flatMap(([path, value]) => leavesOf(value, path));
}

function claimsOf(absent: readonly string[]): string[] {
  return valuesWithout(absent).flatMap(([path, value]) => {
    const needs = MEASURED.find(([pattern]) => pattern.test(path))?.slice(1) as KnownType[][] | undefined;
    const isMeasured = needs?.every((types) => types.some((type) => !absent.includes(type))) ?? true;
    return isMeasured || NOT_MEASURED.includes(value as null) ? [] : [`${path}: ${value}`];
  });
}

test.each(KNOWN_TYPES)('without %s, no value is claimed that only such events measure', (type) => {
  expect([...new Set(claimsOf([type]))]).toEqual([]);
});

test('without any set of types, no value is claimed that only these measure', () => {
  fc.assert(
    fc.property(fc.subarray(KNOWN_TYPES.filter((type) => type !== 'cycle_opened')), (absent) => {
      expect([...new Set(claimsOf(absent))]).toEqual([]);
    }),
    { numRuns: 6 },
  );
});

interface JsonSchema {
  type?: string;
  unit?: string;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
}

const COUNTS = [
  'count',
  'index in the log',
  'ISO 8601 date-time',
  'MIC, exact to 6 decimal places',
  'YYYY-MM-DD',
];

/** The members that hold a measured number or a verdict. Counts and sums of events are what the ledger says: 0 is true. */
function membersOf(schema: JsonSchema, file: string, path: string[] = []): string[] {
  if (schema.anyOf)
    return schema.anyOf.flatMap((one) =>
      membersOf({ ...schema, anyOf: undefined, ...one } as never, file, path),
    );
  if (schema.properties)
    return Object.entries(schema.properties).flatMap(([name, one]) => membersOf(one, file, [...path, name]));
  if (schema.items) return membersOf(schema.items, file, listOf(path));
  if (typeof schema.additionalProperties === 'object')
    return membersOf(schema.additionalProperties, file, [
      ...path,
      path.at(-1) === 'virtues' ? 'justice' : 'USA',
    ]);
  const isText = schema.type === 'string' && !schema.enum && !/status|health/.test(path.at(-1) ?? '');
  return schema.type === 'null' || isText || COUNTS.includes(schema.unit ?? '') ? [] : [nameOf(file, path)];
}

test('the table above has every member that is a measured number or a verdict', () => {
  const known = [...MEASURED.map(([pattern]) => pattern), STATED, DERIVED];
  const members = [...DOCUMENTS, ...YEARLY, ...HISTORIES]
    .filter(({ area }) => area !== 'diplomacy')
    .flatMap(({ schema, path }) =>
      membersOf(z.toJSONSchema(schema, { unrepresentable: 'any' }) as JsonSchema, path),
    );
  expect(members.filter((path) => !known.some((pattern) => pattern.test(path)))).toEqual([]);
});

test('a source without a column for reasons, lessons, mitigations or frameworks measures no virtue by it', () => {
  const G = '2025-07-03T00:00:00Z';
  const ledger = new TestLedger();
  const vote = (agent: string, position: 'support' | 'oppose', reasoning = '') =>
    ledger.add(G, 'position_taken', agent, { deliberation: 'd', position, reasoning, virtue_tags: [] });
  const decide = (lessons_learned = '', frameworks_applied: string[] = []) =>
    ledger.add(G, 'decision_recorded', 'COUNCIL', {
      decision: `d-${ledger.leaves.length}`,
      topic: 't',
      frameworks_applied,
      sentinels_involved: ['A'],
      reasoning: '',
      outcome: 'o',
      lessons_learned,
    });
  const virtues = () => {
    const state = ledger.leaves.reduce(apply, emptyState());
    const view = { state, documents, companions: DEMO_COMPANIONS, baseUrl: '' };
    const read = (path: string) => JSON.parse(DOCUMENTS.find((one) => one.path === path)!.render(view));
    const { courage, prudence } = read('philosophy/virtues.json').virtues;
    const { principle_adherence } = read('philosophy/drift-analysis.json').analysis;
    return [courage.score, courage.status, prudence.score, prudence.status, principle_adherence];
  };
  ledger.add(G, 'deliberation_opened', 'C', { deliberation: 'd', topic: 't' });
  vote('A', 'oppose');
  vote('B', 'support', ' ');
  decide();
  expect(virtues()).toEqual([null, 'not_measured', null, 'not_measured', null]);
  // From the first one on, those without count.
  vote('B', 'support', 'For a reason.');
  decide('A lesson.', ['a framework']);
  expect(virtues()).toEqual([0, 'breached', 0.5, 'breached', 0.5]);
});
