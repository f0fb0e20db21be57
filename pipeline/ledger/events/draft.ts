import { randomFillSync } from 'node:crypto';
import type * as z from 'zod/mini';
import { nearestName } from '../../config/nearest-name.ts';
import { CathedralError, errorOf } from '../../errors.ts';
import { DAY_MS } from '../../words/day.ts';
import { hiddenIn } from '../../words/hidden.ts';
import { formatTimestamp } from '../../words/moment.ts';
import { isPlainName } from '../../words/plain-name.ts';
import { EVENT_DATA, Id, isKind, isKnownType, type LedgerEvent } from './event.ts';
import { assertEvent, MemberFault } from './event-check.ts';
import { cycleOf } from './slot.ts';
import { compareTimestamps, utcTimestamp } from './timestamp.ts';

const disorder = errorOf('ledger_order');

/** An event that is to be appended to a ledger. What is missing is filled in by `completeEvent`. */
export interface EventDraft {
  type: string;
  /** Who reports it. */
  agent: string;
  data: Record<string, unknown>;
  /** With `Z` or an offset, `2026-10-01T08:00:00+02:00`. Missing: the time at which it is appended. */
  timestamp?: string;
  /** Missing: the cycle of the timestamp's UTC day. */
  cycle?: string;
  /** Missing: the next one. */
  seq?: number;
  /** Missing: 16 random bytes. */
  salt?: string;
}

/** The place of the next event in a ledger. */
export interface NextPlace {
  seq: number;
  /** Time of the previous event, or the end of the last sealed slot if that is later; null before the first event. */
  notBefore: string | null;
  /** The clock, Unix ms. */
  now: number;
}

/**
 * A pause after which the clock alone does not decide the time of an event or the end of a slot: no event can be earlier than the ones
 * before it, so a clock that is a year ahead would close the ledger for a year.
 */
export const MAX_PAUSE_MS = 7 * DAY_MS;

/** How much later than the clock an event may be, since the clocks of two machines differ. */
export const MAX_AHEAD_MS = 5 * 60_000;

/**
 * Fills in what a draft lacks, and checks the whole event as a reader of the ledger does, data included. The caller need not check it
 * again. `place` names the event in errors, for example by file and line. Throws `ledger_schema` for a wrong member, and
 * `ledger_order` for a wrong seq, a time before `notBefore` or in the future, and a genesis that is not the first event.
 */
export function completeEvent(
  draft: EventDraft,
  next: NextPlace,
  place: () => string = () => `event ${next.seq}`,
): LedgerEvent {
  const timestamp = draft.timestamp === undefined ? timeOf(next, place) : inUtc(draft.timestamp);
  const event = {
    seq: draft.seq === undefined ? next.seq : draft.seq,
    timestamp,
    cycle: draft.cycle === undefined ? cycleOf(timestamp) : draft.cycle,
    type: draft.type,
    agent: draft.agent,
    data: draft.data,
    salt: draft.salt === undefined ? randomSalt() : draft.salt,
  };
  const wrong = (expected: string, found: string) =>
    new CathedralError('ledger_order', { place: place(), expected, found });
  assertEvent(event, place);
  if (event.seq !== next.seq) throw wrong(`seq ${next.seq}, or none`, `seq ${event.seq}`);
  if (event.type === 'genesis' && event.seq !== 0)
    throw wrong('another type than genesis, which only the first event has', `genesis as event ${event.seq}`);
  if (next.notBefore !== null && compareTimestamps(timestamp, next.notBefore) < 0) {
    const limit = `${next.notBefore}, the time of the previous event or the end of the last sealed slot`;
    throw new MemberFault('ledger_order', 'timestamp', {
      place: place(),
      expected: `timestamp to be at or after ${limit}`,
      found: timestamp,
    });
  }
  if (draft.timestamp !== undefined && Date.parse(timestamp) > next.now + MAX_AHEAD_MS)
    throw wrong(`timestamp to be at most 5 minutes after the clock, ${formatTimestamp(next.now)}`, timestamp);
  return event;
}

/** The clock's time, unless the ledger is ahead of it. Throws `ledger_order` after a pause that a wrong clock may have made up. */
function timeOf({ notBefore, now }: NextPlace, place: () => string): string {
  if (!isAfterPause({ notBefore, now })) return ownTime({ notBefore, now });
  const expected = `a timestamp, because the clock is more than ${MAX_PAUSE_MS / DAY_MS} days after the ledger's last event or sealed slot, ${notBefore}`;
  throw disorder(place(), expected, `none, and the clock at ${formatTimestamp(now)}`);
}

/**
 * The time of an event that the program itself adds: the clock's, or after a pause the earliest that the ledger allows. With the
 * clock's, rows of that pause that are still to come would get a time that they do not have.
 */
export function ownTime({ notBefore, now }: Pick<NextPlace, 'notBefore' | 'now'>): string {
  const time = formatTimestamp(now);
  if (notBefore === null) return time;
  return isAfterPause({ notBefore, now }) || compareTimestamps(time, notBefore) < 0 ? notBefore : time;
}

function isAfterPause({ notBefore, now }: Pick<NextPlace, 'notBefore' | 'now'>): boolean {
  return notBefore !== null && now - Date.parse(notBefore) > MAX_PAUSE_MS;
}

const OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?[+-]\d{2}:\d{2}$/;

/** A time with an offset in UTC. Any other text is returned as it is, and the check of the event refuses it. */
export function inUtc(timestamp: string): string {
  if (typeof timestamp !== 'string' || timestamp.endsWith('Z') || !OFFSET.test(timestamp)) return timestamp;
  // Date turns 2026-02-30 into March, and reads no 25:00.
  const local = Date.parse(`${timestamp.slice(0, 19)}Z`);
  const isReal = !Number.isNaN(local) && formatTimestamp(local) === `${timestamp.slice(0, 19)}Z`;
  return isReal && !Number.isNaN(Date.parse(timestamp)) ? utcTimestamp(timestamp) : timestamp;
}

const SALT_BYTES = 16;
const pool = Buffer.alloc(512 * SALT_BYTES);
let poolUsed = pool.length;

/** 16 random bytes in base64url. A request for each salt would cost more than everything else about an event. */
function randomSalt(): string {
  if (poolUsed === pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  poolUsed += SALT_BYTES;
  return pool.toString('base64url', poolUsed - SALT_BYTES, poolUsed);
}

/** Something in an event that is allowed and probably a mistake. `ledger append --strict` refuses it. */
export interface EventWarning {
  /** One word for each kind, by which many warnings are counted. */
  kind: 'type' | 'member' | 'cycle' | 'id' | 'name' | 'value' | 'quote';
  expected: string;
  found: string;
}

/** What is probably a mistake in a complete event: a misspelt type or member, a cycle of another day, an unusual id. */
export function warningsOf(event: LedgerEvent): EventWarning[] {
  const warnings: EventWarning[] = [];
  const warn = (kind: EventWarning['kind'], expected: string, found: string) =>
    warnings.push({ kind, expected, found });
  const cycle = cycleOf(event.timestamp);
  // Without the time of day, which would make another warning of each event.
  if (event.cycle !== cycle)
    warn('cycle', `cycle ${cycle}, that of ${event.timestamp.slice(0, 10)}`, event.cycle);
  warnAboutValues(event.timestamp, 'timestamp', warn);
  warnAboutValues(event.agent, 'agent', warn);
  warnAboutValues(event.data, 'data', warn);
  warnAboutNames(event, warn);
  if (isKnownType(event.type)) warnAboutMembers(event, MEMBERS[event.type]!, warn);
  else {
    const near = nearType(event.type);
    if (near !== null) warn('type', `the type ${near}`, `${event.type}, which the service does not know`);
  }
  return warnings;
}

/**
 * What spreadsheets write for an error, in any language (`#REF!`, `#¡REF!`, `#NV`, `#N/D`), and programs for a missing value: all that data
 * frames of pandas and R read as one, so that a sentinel `NA` would have rows without a sentinel.
 */
export const NO_VALUE =
  /^(-|NA|N\/A|n\/a|n\.a\.|<NA>|NULL|null|None|-?NaN|-?nan|-?1\.#(IND|QNAN)|NaT|undefined|\\N|#N\/A.*|#NA|#NV|#\p{Lu}\/\p{Lu}|#{2,}|#[¡¿]?[\p{Lu}\d/_]+[!?]|#(YOK|HIÁNYZIK|NENÍ_K_DISPOZICI|NEDOSTUPNÝ|GETTING_DATA)|Err:\d{3}|[(<[](NULL|null)[)>\]]|\[object Object\])$/u;

/** A spreadsheet shows a number of more than eleven digits, and saves it, as 1.23457E+11 or 1.23456789012346E+018: the other digits are gone. */
export const SHORTENED = /^[+-]?\d([.,]\d+)?E\+0?(1[1-9]|[2-9]\d)$/;

/**
 * What a missing time becomes: the first moments of .NET and Go, Windows, SQL Server, Excel and Unix, and the zero date of MySQL, where a day alone
 * may be someone's birthday.
 */
const NO_TIME =
  /^(000[01]-0[01]-0[01]([T ].*)?|(1601-01-01|1753-01-01|1899-12-3[01]|190[04]-01-01|1970-01-01)[T ]00:00(:00)?(\.0+)?(Z|\+00(:?00)?)?)$/;
const LONGEST_NO_TIME = 35;
/** Programs fill a year of two digits up with zeros: 0026 for 2026. A ledger of such an event begins two thousand years ago. */
const SHORT_YEAR = /^00\d\d-\d\d-\d\d([T ]|$)/;

/** `Ã¤` for ä, `Å¾` for ž, `Ð°` for а, `Â°` for °, `â€“` for a dash. Guillemets may follow a letter. */
export const MISREAD = /Ã[\xa0-\xbfŸ„–œ]|[ÄÅÐÑ][\xa1-\xaa\xac-\xba\xbc-\xbfŸ]|Â[\xa0-\xbf]|â€/;
/** Programs write it for what they could not read. */
const LOST = '\ufffd';

function isMissing(text: string): boolean {
  return (
    (text.length < 20 && NO_VALUE.test(text.trim())) || (text.length < LONGEST_NO_TIME && NO_TIME.test(text))
  );
}

function warnAboutValues(value: unknown, path: string, warn: Warn): void {
  if (typeof value === 'string' && isMissing(value))
    warn(
      'value',
      `${path} to be a value, which programs do not read as a missing one; a mapping file can make such a cell empty ("missing")`,
      JSON.stringify(value),
    );
  else if (typeof value === 'string' && SHORT_YEAR.test(value))
    warn(
      'value',
      `${path} to have a year of four digits ("format" in the mapping file reads years of two)`,
      JSON.stringify(value.slice(0, 80)),
    );
  else if (typeof value === 'string' && SHORTENED.test(value))
    warn(
      'value',
      `${path} to be a text with all its digits; format the column as text in the spreadsheet, and export it again`,
      JSON.stringify(value),
    );
  else if (typeof value === 'string' && MISREAD.test(value))
    warn(
      'value',
      `${path} to be a text in its own encoding ("encoding" in the mapping file is that of files that are not UTF-8)`,
      `${JSON.stringify(value.slice(0, 80))}, as if UTF-8 had been read as Windows-1252`,
    );
  else if (typeof value === 'string' && value.includes(LOST))
    warn(
      'value',
      `${path} to be a text of which nothing was lost; export it again, in UTF-8`,
      `${JSON.stringify(value.slice(0, 80))}, where U+FFFD stands for what another program could not read`,
    );
  else if (typeof value === 'object' && value !== null)
    // Also the items of a list, for which for … in takes twice as long.
    for (const [name, one] of Object.entries(value)) warnAboutValues(one, `${path}.${name}`, warn);
}

/** The names of an event, with their members: two that look alike are probably the same. */
export function namesOf({ type, agent, data }: LedgerEvent): [member: string, name: string][] {
  const ids = isKnownType(type) ? MEMBERS[type]!.ids : [];
  const own = ids.map((member): [string, unknown] => [`data.${member}`, data[member]]);
  return [['agent', agent], ...own.filter((one): one is [string, string] => typeof one[1] === 'string')];
}

type Warn = (kind: EventWarning['kind'], expected: string, found: string) => void;

interface Members {
  known: ReadonlySet<string>;
  /** Members that are ids. */
  ids: readonly string[];
}

/** The members of each type's data. */
const MEMBERS: Readonly<Record<string, Members>> = Object.fromEntries(
  Object.entries(EVENT_DATA).map(([type, schema]) => {
    const shape: Record<string, z.ZodMiniType> =
      'shape' in schema ? schema.shape : schema.def.options[0]!.shape;
    const ids = Object.keys(shape).filter((name) => isKind(shape[name]!, Id));
    return [type, { known: new Set(Object.keys(shape)), ids }];
  }),
);

/** Ids that are in the address of a page. */
const ON_PAGES = new Set(['data.sentinel', 'data.deliberation', 'data.decision']);

function warnAboutNames(event: LedgerEvent, warn: Warn): void {
  for (const [member, name] of namesOf(event)) {
    const expected = `${member} to be an id that`;
    const hidden = hiddenIn(name);
    if (hidden !== null) warn('id', `${expected} everybody can see`, `${hidden} in ${JSON.stringify(name)}`);
    if (changesInSpreadsheets(name))
      warn('id', `${expected} spreadsheets keep as it is`, `${JSON.stringify(name)}, which they convert`);
    else if (ON_PAGES.has(member) && !isPageName(name))
      warn('id', `${expected} can be part of an address`, JSON.stringify(name));
  }
}

function warnAboutMembers({ data }: LedgerEvent, { known }: Members, warn: Warn): void {
  for (const name in data) {
    if (known.has(name)) continue;
    const near = nearestName(
      name,
      [...known].filter((one) => !Object.hasOwn(data, one)),
    );
    if (near !== null) warn('member', `data.${near}`, `data.${name}, which the service ignores`);
  }
}

/** Letters of any script are fine: the page's name is then derived from the id. */
function isPageName(id: string): boolean {
  return (
    isPlainName(id) ||
    isPlainName(id.replaceAll(/[\p{L}\p{M}\p{N}]/gu, (letter) => (letter < '\x7f' ? letter : 'x')))
  );
}

/** `007`, `1e5`, `12345678901234567`, `3-4`, `TRUE`, ` x`: what spreadsheets read as a number, a date or a truth value. */
const CONVERTED =
  /^(\s.*|.*\s|0\d+|\d+([.,]\d+)?e[+-]?\d+|\d{16,}|\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?|true|false)$/i;

function changesInSpreadsheets(id: string): boolean {
  return CONVERTED.test(id);
}

const TYPES = Object.keys(EVENT_DATA);
/** Unknown types repeat, and finding a near one costs more than everything else about an event. */
const nearTypes = new Map<string, string | null>();
const MOST_REMEMBERED = 1000;

/** The known type that was probably meant by an unknown one, `mic_mint` by `mint`; null if none is near. */
function nearType(type: string): string | null {
  if (nearTypes.size >= MOST_REMEMBERED) nearTypes.clear();
  return nearTypes.getOrInsertComputed(
    type,
    () => nearestName(type, TYPES) ?? TYPES.find((one) => one.endsWith(`_${type}`)) ?? null,
  );
}
