import { hash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVENT_DATA, isKnownType, type LedgerEvent } from '../../pipeline/ledger/event.ts';
import { EXAMPLE_LEDGER } from '../../pipeline/ledger/event-examples.ts';
import { formatEventLine } from '../../pipeline/ledger/event-line.ts';
import { LEDGER_START } from '../../pipeline/ledger/leaf.ts';
import { DECISIONS, isPublic } from '../../pipeline/ledger/log/public-events.ts';
import { FIRST_SLOT, signer, writeSnapshot } from '../ledger/test-ledger.ts';
import { build } from './run-build.ts';

/**
 * The members of types that stay hashes which some public file shows all the same, often only the last value: their lines are not public
 * because of the other members, or because of their times.
 */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  sentinel_registered: ['sentinel', 'cathedral'],
  sentinel_retired: ['sentinel'],
  attestation: ['gi_score', 'score'],
  alert_cleared: ['alert'],
  app_registered: ['name', 'version', 'status'],
  package_registered: ['name', 'version', 'status'],
  // Statuses are words of a small vocabulary, and the names of jurisdictions and regimes are in the schemas.
  compliance_audited: ['jurisdiction', 'statuses'],
  companion_attested: [
    ...['attestation', 'companion', 'ledger_id', 'scope', 'risk_level', 'expires_at', 'drift_threshold'],
    ...['check_interval', 'previous_attestation'],
  ],
  companion_drift: ['attestation', 'score'],
  companion_revoked: ['attestation', 'reason'],
};

const marked = new Map<string, string>();
/** A text that occurs nowhere else; `what` says of what. */
function marker(what: string): string {
  const text = `planted-${hash('sha256', `${marked.size}`).slice(0, 16)}`;
  marked.set(text, what);
  return text;
}

/** The same value with a marker in place of each text that the schema allows any text for. */
function plant(value: unknown, accepts: (changed: unknown) => boolean, what: string): unknown {
  if (typeof value === 'string') {
    const text = marker(what);
    if (accepts(text)) return text;
    marked.delete(text);
    return value;
  }
  if (Array.isArray(value)) {
    const items = [...value];
    for (const at of items.keys())
      items[at] = plant(items[at], (one) => accepts(items.with(at, one)), `${what}[]`);
    return items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members: Record<string, unknown> = { ...value };
  for (const name of Object.keys(members))
    members[name] = plant(members[name], (one) => accepts({ ...members, [name]: one }), `${what}.${name}`);
  return members;
}

/** An event of a type that stays a hash, with markers wherever no public file shows the member. */
function plantRestricted(event: LedgerEvent): LedgerEvent {
  const { type } = event;
  const schema = EVENT_DATA[type as keyof typeof EVENT_DATA];
  const data: Record<string, unknown> = { ...event.data };
  for (const name of Object.keys(data)) {
    if (SHOWN[type]?.includes(name)) continue;
    const accepts = (one: unknown) => schema.safeParse({ ...data, [name]: one }).success;
    data[name] = plant(data[name], accepts, `${type}.${name}`);
  }
  return withUnknown({ ...event, data });
}

/** The same with members that no schema knows, at any depth. */
function withUnknown(event: LedgerEvent): LedgerEvent {
  const { type } = event;
  const unknown = {
    note: marker(`${type}.note`),
    deep: [{ deeper: { [marker(`${type} name`)]: marker(`${type}.deep`) } }],
  };
  return { ...event, data: { ...event.data, ...unknown } };
}

const saltOf = (seq: number) => hash('md5', `salt ${seq}`, 'base64url');

/** Two events of each public type, the second with unknown members, and one of each other type; and one of an undocumented type. */
function plantedLedger(): LedgerEvent[] {
  const events = EXAMPLE_LEDGER.flatMap((event): LedgerEvent[] => {
    if (event.type === 'genesis')
      return [{ ...event, data: { ...event.data, charter: marker('genesis.charter') } }];
    if (!DECISIONS[event.type].public) return [plantRestricted(event)];
    return [event, withUnknown(event)];
  });
  const last = events.at(-1)!;
  const data = { text: marker('other.text') };
  events.push({ ...last, type: 'something_else', agent: marker('other agent'), data });
  return events.map((event, seq) => ({ ...event, seq, salt: saltOf(seq) }));
}

let folder: string;
const events = plantedLedger();
/** Everything that anybody may read, decompressed, as text, by path. */
const files = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cathedral-planted-'));
  const [ledger, out] = [join(folder, 'ledger'), join(folder, 'out')];
  await writeSnapshot(ledger, FIRST_SLOT.replace('2025-07-03', '2026-02-01'), LEDGER_START, events);
  await build({
    ledger,
    out,
    verifiers: [signer.verifier],
    documents: 'data/documents',
    companions: null,
    baseUrl: 'https://data.example.org',
    software: 'cathedral-data-service/test',
    extras: true,
    charts: true,
    waitMs: 0,
    log: () => {},
  });
  for (const root of ['current/public', 'log'])
    for (const path of await readdir(join(out, root), { recursive: true })) {
      const bytes = await readFile(join(out, root, path)).catch(() => null);
      if (!bytes || path.endsWith('.br')) continue;
      const parts = path.endsWith('.xlsx')
        ? Object.values(unzipSync(bytes))
        : [path.endsWith('.gz') ? gunzipSync(bytes) : bytes];
      files.set(`${root}/${path}`, parts.map((part) => Buffer.from(part).toString('latin1')).join('\n'));
    }
}, 300_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

const placesOf = (text: string) =>
  [...files].filter(([, content]) => content.includes(text)).map(([path]) => path);

describe('whoever searches everything public', () => {
  test('finds the lines of public events, so that the search is one', () => {
    const open = events.filter(isPublic);
    expect(open.length).toBeGreaterThan(10);
    for (const event of open) {
      const line = Buffer.from(formatEventLine(event)).toString('latin1');
      expect([event.type, placesOf(line)]).toEqual([
        event.type,
        expect.arrayContaining([expect.stringMatching(/^log\/public\/v1\/.*\d$/)]),
      ]);
    }
  });

  test('finds no restricted member: none of an event that stays a hash, no unknown one, and no charter', () => {
    const found = [...marked].flatMap(([text, what]) => placesOf(text).map((path) => `${what} in ${path}`));
    expect(found).toEqual([]);
  });

  test('finds no salt of an event that stays a hash, nor its line', () => {
    const closed = events.filter((event) => !isPublic(event));
    expect(new Set(closed.map(({ type }) => type)).size).toBe(Object.keys(DECISIONS).length + 1);
    for (const { seq, type, salt } of closed) expect([seq, type, placesOf(salt)]).toEqual([seq, type, []]);
  });
});

test('every type that stays a hash has members that are looked for, unless it has none', () => {
  const types = new Set([...marked.values()].map((what) => what.split(/[. ]/)[0]!));
  for (const type of Object.keys(DECISIONS))
    expect([type, types.has(type) && isKnownType(type)]).toEqual([type, true]);
});
