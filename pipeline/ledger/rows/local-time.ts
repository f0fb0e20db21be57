import { DAY_MS } from '../../words/day.ts';
import { utcTimestamp } from '../timestamp.ts';

/** How a table writes times. */
export interface TimeFormat {
  /** `excel`, `unix`, `unix-ms`, or a pattern like `dd.MM.yyyy HH:mm`; missing: ISO 8601. */
  format?: string | undefined;
  /** IANA time zone of times without an offset, `Europe/Berlin`. */
  zone?: string | undefined;
  /** Which of two it is when clocks are set back and an hour occurs twice. Missing: such a time is refused. */
  ambiguous?: 'earlier' | 'later' | undefined;
}

/** Why a text is no time. */
export class TimeFault extends Error {
  readonly expected: string;

  constructor(expected: string) {
    super(expected);
    this.expected = expected;
  }
}

/** The letters of a pattern: a regular expression and the part of a time. Longest first, so that `MM` is not two `M`. */
const LETTERS: readonly (readonly [letters: string, pattern: string])[] = [
  ['yyyy', '(?<year>\\d{4})'],
  ['MM', '(?<month>\\d{2})'],
  ['M', '(?<month>\\d{1,2})'],
  ['dd', '(?<day>\\d{2})'],
  ['d', '(?<day>\\d{1,2})'],
  ['HH', '(?<hour>\\d{2})'],
  ['H', '(?<hour>\\d{1,2})'],
  ['hh', '(?<half>\\d{2})'],
  ['h', '(?<half>\\d{1,2})'],
  ['mm', '(?<minute>\\d{2})'],
  ['ss', '(?<second>\\d{2})'],
  ['SSS', '(?<fraction>\\d{3})'],
  ['a', '(?<noon>[AaPp][Mm])'],
  ['XXX', '(?<offset>Z|[+-]\\d{2}:\\d{2})'],
  ['T', 'T'],
];

const NAMED = ['excel', 'unix', 'unix-ms'];

/** What is wrong with a format; null if nothing is. A day without a time is midnight. */
export function formatFault(format: string): string | null {
  if (NAMED.includes(format)) return null;
  const letters = lettersOf(format);
  if (letters === null) return `only the letters ${[...SOURCES.keys()].join(', ')}`;
  const has = (...names: string[]) => letters.some((one) => names.includes(one));
  if (new Set(letters.map(partOf)).size < letters.length) return 'each part of a time once';
  if (!has('yyyy') || !has('M', 'MM') || !has('d', 'dd')) return 'a year of four digits, a month and a day';
  return has('h', 'hh') === has('a') ? null : 'h together with a (am or pm)';
}

/** Whether times of this format state their offset from UTC, so that no zone is needed. */
export function hasOffset(format: string): boolean {
  return format === 'unix' || format === 'unix-ms' || (lettersOf(format)?.includes('XXX') ?? false);
}

/** The parts of a pattern that stand for a value; null if a letter is none of them. */
function lettersOf(format: string): string[] | null {
  const words = format.match(/[A-Za-z]+/g) ?? [];
  const isKnown = words.every((word) => word.match(TOKENS)?.join('') === word);
  return isKnown ? words.flatMap((word) => word.match(TOKENS)!).filter((letters) => letters !== 'T') : null;
}

const TOKENS = new RegExp(LETTERS.map(([letters]) => letters).join('|'), 'g');
const SOURCES = new Map(LETTERS);
const PATTERNS = new Map<string, RegExp>();

function partOf(letters: string): string {
  return /<(\w+)>/.exec(SOURCES.get(letters)!)![1]!;
}

function patternOf(format: string): RegExp {
  return PATTERNS.getOrInsertComputed(format, () => {
    const parts = format.split(/([A-Za-z]+)/);
    const source = parts.map((part) =>
      /^[A-Za-z]/.test(part) ? part.replace(TOKENS, (letters) => SOURCES.get(letters)!) : RegExp.escape(part),
    );
    return new RegExp(`^${source.join('')}$`);
  });
}

const ISO =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:[T ](?<time>\d{2}:\d{2}(?::\d{2})?)(?<fraction>\.\d{1,9})?(?<offset>Z|[+-]\d{2}(?::?\d{2})?)?)?$/;

/**
 * A time as a table writes it → the ledger's form, `2025-12-01T06:00:00Z`; a fraction of a second is kept.
 * Throws TimeFault for another format, a time without a zone, and one that clocks skip or show twice.
 */
export function parseTime(text: string, how: TimeFormat): string {
  const { format } = how;
  if (format === undefined) return parseIso(text, how);
  if (NAMED.includes(format)) return parseNumber(text, format, how);
  const found = patternOf(format).exec(text)?.groups;
  if (!found) throw new TimeFault(`a time in the format ${format}`);
  const { year, month, day, half, noon, minute = '00', second = '00', fraction, offset } = found;
  const hour = half === undefined ? (found.hour ?? '00') : hourOf(half, noon!);
  const local = `${year}-${pad(month)}-${pad(day)}T${pad(hour)}:${minute}:${second}`;
  return inUtc(local, fraction === undefined ? '' : `.${fraction}`, offset, how);
}

/** A day as a table writes it → `2025-12-01`. Throws TimeFault. */
export function parseDay(text: string, { format }: TimeFormat): string {
  const utc = parseTime(text, { format, zone: 'UTC' });
  return utc.slice(0, 10);
}

function parseIso(text: string, how: TimeFormat): string {
  const found = ISO.exec(text)?.groups;
  if (!found) throw new TimeFault(hintFor(text));
  const { day, time = '00:00', fraction = '', offset } = found;
  if (found.time === undefined && how.zone === undefined) throw new TimeFault(NO_ZONE);
  return inUtc(`${day}T${time.length === 5 ? `${time}:00` : time}`, fraction, offset, how);
}

const NO_ZONE = 'a time with Z or an offset from UTC, or a "zone" in the mapping file';
const UTC_TIME = 'a UTC time like 2026-10-01T06:00:00Z';

/** What to do about the usual times of spreadsheets. */
function hintFor(text: string): string {
  if (/^\d{5}([.,]\d+)?$/.test(text))
    return `${UTC_TIME}; for the day numbers of Excel, "format": "excel" and a "zone" in the mapping file`;
  if (/^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b/.test(text))
    return `${UTC_TIME}; for another form, which may be read in two ways, a "format" and a "zone" in the mapping file`;
  return `${UTC_TIME}, or a "format" and a "zone" in the mapping file`;
}

/** Day 0 of Excel's calendar, in which 1900 is a leap year: days from 1 March 1900 on count from here. */
const EXCEL_START = Date.UTC(1899, 11, 30);

function parseNumber(text: string, format: string, how: TimeFormat): string {
  const number = /^\d+([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN;
  const ms =
    format === 'excel'
      ? EXCEL_START + Math.round(number * DAY_MS)
      : Math.round(number * (format === 'unix' ? 1000 : 1));
  // Before March 1900 Excel counts a day that did not exist; such a cell is no time of a ledger.
  const isTime = Math.abs(ms) < 8.64e15 && (format !== 'excel' || number >= 61);
  if (!isTime) throw new TimeFault(format === 'excel' ? 'a day number of Excel like 46296.25' : 'Unix time');
  const [local, fraction] = new Date(ms).toISOString().slice(0, -1).split('.');
  const offset = format === 'excel' ? undefined : 'Z';
  return inUtc(local!, fraction === '000' ? '' : `.${fraction}`, offset, how);
}

function hourOf(half: string, noon: string): string {
  const hour = Number(half);
  if (hour < 1 || hour > 12) throw new TimeFault('an hour from 1 to 12 with am or pm');
  return String((hour % 12) + (noon.toLowerCase() === 'pm' ? 12 : 0));
}

function pad(part: string | undefined): string {
  return String(part).padStart(2, '0');
}

function inUtc(local: string, fraction: string, offset: string | undefined, how: TimeFormat): string {
  const ms = Date.parse(`${local}Z`);
  // Date turns 30 February into March.
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(local))
    throw new TimeFault('a time that exists in the calendar');
  if (offset !== undefined) return utcTimestamp(`${local}${fraction}${fullOffset(offset)}`);
  const { zone, ambiguous = 'reject' } = how;
  if (zone === undefined) throw new TimeFault(NO_ZONE);
  const plain = Temporal.PlainDateTime.from(local);
  const [earlier, later] = (['earlier', 'later'] as const).map((disambiguation) =>
    plain.toZonedDateTime(zone, { disambiguation }).toInstant(),
  );
  const isGap = !plain.equals(earlier!.toZonedDateTimeISO(zone).toPlainDateTime());
  if (isGap) throw new TimeFault(`a time that exists in ${zone}: clocks were set forward over this one`);
  if (!earlier!.equals(later!) && ambiguous === 'reject')
    throw new TimeFault(
      `a time that occurs once in ${zone}, or "ambiguous": "earlier" or "later" in the mapping file`,
    );
  const instant = ambiguous === 'later' ? later! : earlier!;
  return `${new Date(instant.epochMilliseconds).toISOString().slice(0, 19)}${fraction}Z`;
}

/** `+02` and `+0200` → `+02:00` */
function fullOffset(offset: string): string {
  if (offset === 'Z') return offset;
  const digits = offset.slice(1).replace(':', '').padEnd(4, '0');
  return `${offset[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

/** Whether this is a time zone: `Europe/Berlin`, `UTC`. */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
