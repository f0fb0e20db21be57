import { orNull } from '../../errors.ts';
import { DAY_MS } from '../../words/day.ts';

/** How a table writes times. */
export interface TimeFormat {
  /** `excel`, `unix`, `unix-ms`, `unix-us`, or a pattern like `dd.MM.yyyy HH:mm 'Uhr'`; missing: ISO 8601. */
  format?: string | undefined;
  /** IANA time zone of times without an offset, `Europe/Berlin`. */
  zone?: string | undefined;
  /** Of the names of months, a language tag. Missing: English. */
  language?: string | undefined;
  /** Which of two it is when clocks are set back and an hour occurs twice. Missing: such a time is refused. */
  ambiguous?: 'earlier' | 'later' | undefined;
}

/** Why a text is no time: what is expected instead of it. */
export class TimeFault extends Error {}

const WORD = '\\p{L}[\\p{L}\\p{M}\\u200c]*';
/** Thai has points within a short name, ม.ค.; Hebrew and Hindi have a mark of their own at its end. */
const MONTH = `${WORD}(?:\\.\\p{Script=Thai}+)*[.׳॰]?`;
/** Also segunda-feira, two words as Thứ Hai, and in Persian a sign between two letters that nobody sees. */
const WEEKDAY = `${WORD}(?:[ -]${WORD})?\\.?`;
/** The letters of a pattern: a regular expression and the part of a time. Longest first, so that `MM` is not two `M`. */
const LETTERS: readonly (readonly [letters: string, pattern: string])[] = [
  ['yyyy', '(?<year>\\d{4})'],
  ['yy', '(?<year>\\d{2})'],
  ['MMMM', `(?<month>${MONTH})`],
  ['MMM', `(?<month>${MONTH})`],
  ['MM', '(?<month>\\d{2})'],
  ['M', '(?<month>\\d{1,2})'],
  ['EEEE', `(?<weekday>${WEEKDAY})`],
  ['EEE', `(?<weekday>${WEEKDAY})`],
  ['dd', '(?<day>\\d{2})'],
  ['d', '(?<day>\\d{1,2})'],
  ['HH', '(?<hour>\\d{2})'],
  ['H', '(?<hour>\\d{1,2})'],
  ['hh', '(?<half>\\d{2})'],
  ['h', '(?<half>\\d{1,2})'],
  ['mm', '(?<minute>\\d{2})'],
  ['ss', '(?<second>\\d{2})'],
  ['SSSSSS', '(?<fraction>\\d{6})'],
  ['SSS', '(?<fraction>\\d{3})'],
  // Also a.m., and p. m. as in Spanish.
  ['a', '(?<noon>[AaPp]\\.?\\s?[Mm]\\.?)'],
  // Also GMT+2, as forms of Google write it.
  ['XXX', '(?<offset>Z|(?:UTC|GMT)(?:[+-](?:\\d{4}|\\d{1,2}(?::\\d{2})?))?|[+-]\\d{2}(?::?\\d{2})?)'],
  ['T', 'T'],
];

/** What is wrong with a format; null if nothing is. */
export function formatFault(format: string): string | null {
  if (Object.hasOwn(NUMBERS, format)) return null;
  const letters = lettersOf(format);
  if (letters === null)
    return `only the letters ${[...SOURCES.keys()].join(', ')}, and other text in single quotes`;
  const has = (...names: string[]) => letters.some((one) => names.includes(one));
  if (new Set(letters.map(partOf)).size < letters.length) return 'each part of a time once';
  if (!has('yyyy', 'yy') || !has('M', 'MM', 'MMM', 'MMMM')) return 'a year and a month';
  if (!has('d', 'dd') && has('H', 'HH', 'h', 'hh')) return 'a day, where there is an hour';
  return has('h', 'hh') === has('a') ? null : 'h together with a (am or pm)';
}

/** Whether times of this format need a zone: they neither state their offset from UTC nor are days without a time. */
export function needsZone(format: string): boolean {
  if (Object.hasOwn(NUMBERS, format)) return format === 'excel';
  const letters = lettersOf(format) ?? [];
  return !letters.includes('XXX') && letters.some((one) => /^h/i.test(one));
}

/** The parts of a pattern that stand for a value; null if a letter is none of them. */
function lettersOf(format: string): string[] | null {
  const words = format.replaceAll(QUOTED, ' ').match(/[A-Za-z]+/g) ?? [];
  const isKnown = words.every((word) => word.match(TOKENS)?.join('') === word);
  return isKnown ? words.flatMap((word) => word.match(TOKENS)!).filter((letters) => letters !== 'T') : null;
}

const QUOTED = /'([^']*)'/g;
const TOKENS = new RegExp(LETTERS.map(([letters]) => letters).join('|'), 'g');
const SOURCES = new Map(LETTERS);
const PATTERNS = new Map<string, RegExp>();

function partOf(letters: string): string {
  return /<(\w+)>/.exec(SOURCES.get(letters)!)![1]!;
}

function patternOf(format: string): RegExp {
  return PATTERNS.getOrInsertComputed(format, () => {
    const parts = format.split(/('[^']*'|[A-Za-z]+)/);
    const source = parts.map((part) =>
      /^[A-Za-z]/.test(part)
        ? part.replace(TOKENS, (letters) => SOURCES.get(letters)!)
        : literal(part.replaceAll(QUOTED, '$1')),
    );
    return new RegExp(`^${source.join('')}$`, 'u');
  });
}

/** A space stands for every kind of space, since browsers write a narrow one before PM, and for several: SQL Server writes `Oct  1 2026`. */
function literal(text: string): string {
  return text.split(/ +/).map(RegExp.escape).join('\\s+');
}

const ISO =
  /^(?<date>\d{4}-\d{2}-\d{2})(?:[T ](?<time>\d{2}:\d{2}(?::\d{2})?)(?<fraction>\.\d{1,9})? ?(?<offset>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** A time as it is written: that of a clock somewhere. */
interface Written {
  /** In whole seconds. */
  local: Temporal.PlainDateTime;
  /** Of a second, with its point and the digits that were written; or empty. */
  fraction: string;
  /** `Z`, `UTC`, `+02`; undefined: that of a zone. */
  offset: string | undefined;
  /** A day without a time. */
  isDay: boolean;
}

/**
 * A time as a table writes it → the ledger's form, `2025-12-01T06:00:00Z`; a fraction of a second is kept. A day without a time is 00:00
 * UTC of that day, whatever the zone: midnight in Berlin would be published as the day before, and noon in Auckland as well.
 * Throws TimeFault for another format, a time without a zone, and one that clocks skip or show twice.
 */
export function parseTime(text: string, how: TimeFormat): string {
  const [, day, time] = (how.format === undefined && PLAIN_UTC.exec(text)) || [];
  if (day !== undefined && isRealDay(day)) return `${day}T${time}Z`;
  const { local, fraction, offset, isDay } = readTime(text, how);
  const utc = isDay
    ? local
    : inCalendar(() => inUtc(local, offset === 'Z' ? 'UTC' : (offset ?? how.zone), how));
  if (utc.year < 0 || utc.year > 9999) throw new TimeFault(NO_DAY);
  return `${utc.toString({ smallestUnit: 'second' })}${fraction}Z`;
}

/** What databases and programs write for nearly all times: with Temporal, reading them would take longer than all else about a row. */
const PLAIN_UTC = /^(\d{4}-\d\d-\d\d)[T ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?)(?:Z|\+00)$/;

let lastDay = '';

/** Thousands of rows are of one day, so the last one is kept. */
function isRealDay(text: string): boolean {
  if (text === lastDay) return true;
  // Date turns 30 February into March.
  const time = Date.parse(`${text}T00:00Z`);
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(text)) return false;
  if (isOtherCalendar(new Date(time).getUTCFullYear())) return false;
  lastDay = text;
  return true;
}

/** A day as a table writes it → `2025-12-01`; of a time, its day where it was written. Throws TimeFault. */
export function parseDay(text: string, how: TimeFormat): string {
  return readTime(text, how).local.toPlainDate().toString();
}

function readTime(text: string, { format, language }: TimeFormat): Written {
  const written =
    format === undefined
      ? readIso(text)
      : Object.hasOwn(NUMBERS, format)
        ? readNumber(text, format)
        : readPattern(text, format, language);
  if (isOtherCalendar(written.local.year))
    throw new TimeFault('a year of the Gregorian calendar, and not of the Persian or the Islamic one');
  return written;
}

/** Spreadsheets of Iran and Saudi Arabia write 1405 and 1448 for 2026, and no ledger is that old. */
function isOtherCalendar(year: number): boolean {
  return year >= 1300 && year < 1500;
}

const NO_DAY = 'a time that exists in the calendar';

/** Throws TimeFault where Temporal throws a RangeError: for 30 February, for an offset of 25 hours. */
function inCalendar<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) throw new TimeFault(NO_DAY);
    throw error;
  }
}

/** Year, month, day, hour, minute and second as a time. Throws TimeFault. */
function localTime(parts: readonly (string | number | undefined)[]): Temporal.PlainDateTime {
  const [year = 0, month, day, hour, minute, second] = parts.map(Number);
  return inCalendar(() => new Temporal.PlainDateTime(year, month!, day!, hour, minute, second));
}

/** Of a year of two digits: no ledger is older. */
const CENTURY = '20';

function readPattern(text: string, format: string, language = 'en'): Written {
  const found = patternOf(format).exec(text)?.groups;
  if (!found) throw new TimeFault(`a time in the format ${format}`);
  const { month, day = 1, half, noon, minute = 0, second = 0, fraction, offset } = found;
  const year = found.year!.padStart(4, CENTURY);
  const hour = half === undefined ? (found.hour ?? 0) : hourOf(half, noon!);
  return {
    local: localTime([year, monthNumber(month!, language), day, hour, minute, second]),
    fraction: fraction === undefined ? '' : `.${fraction}`,
    offset,
    isDay: found.hour === undefined && half === undefined,
  };
}

/** Language → name of a month → its number, or those of all months that have this name without accents. */
const MONTHS = new Map<string, ReadonlyMap<string, ReadonlySet<number>>>();
/** Accents, and what else may be left out of a word: the points of Hebrew, and the dot below letters of Hindi and its neighbours (nukta). */
const MAY_LACK = /[\p{Script=Inherited}\u0591-\u05c7\u093c\u09bc\u0a3c\u0abc\u0b3c]/gu;
/**
 * In lower case, without points and without accents, which old programs leave out. The signs of vowels in Bengali or Tamil are none. The
 * Turkish ı is I in capitals, which any other language makes an i.
 */
const plainMonth = (name: string) =>
  name.normalize('NFKD').replaceAll(MAY_LACK, '').toLowerCase().replaceAll('ı', 'i').replaceAll(/[.׳॰]/g, '');
const SHORTEST_MONTH = 3;

/** By its name, or by so much of one that it can be no other: September is Sep or Sept in one language. Throws TimeFault. */
function monthNumber(text: string, language: string): number {
  if (/^\d/.test(text)) return Number(text);
  const months = MONTHS.getOrInsertComputed(language, monthsOf);
  const name = plainMonth(text);
  const begun = () => [...months].filter(([one]) => name.length >= SHORTEST_MONTH && one.startsWith(name));
  const [number, other] = months.get(name) ?? new Set(begun().flatMap(([, numbers]) => [...numbers]));
  if (number !== undefined && other === undefined) return number;
  throw new TimeFault(`a month, such as ${[...months.keys()].slice(0, 2).join(' or ')}`);
}

/** The names that are used alone and beside a day, which differ in Slavic languages; long and short ones. */
function monthsOf(language: string): Map<string, Set<number>> {
  const months = new Map<string, Set<number>>();
  const isGerman = /^de\b/.test(language);
  // January is Jänner in Austria.
  for (const tag of isGerman ? [language, 'de-AT'] : [language])
    for (const month of ['long', 'short'] as const)
      for (const day of [undefined, 'numeric'] as const) {
        // Of the other calendars of Persian and Arabic, months are no months of this one.
        const format = new Intl.DateTimeFormat(tag, { month, day, timeZone: 'UTC', calendar: 'gregory' });
        for (let at = 0; at < 12; at += 1) {
          const name = format
            .formatToParts(Date.UTC(2024, at, 15))
            .find(({ type }) => type === 'month')!.value;
          months.getOrInsertComputed(plainMonth(name), () => new Set()).add(at + 1);
        }
      }
  // In Excel.
  if (isGerman) months.set('mrz', new Set([3]));
  return months;
}

/** Whether the names of months are known in this language: `de`, `pt-BR`. */
export function isLanguage(tag: string): boolean {
  return orNull(() => Intl.DateTimeFormat.supportedLocalesOf(tag))?.length === 1;
}

function readIso(text: string): Written {
  const found = ISO.exec(text)?.groups;
  if (!found) throw new TimeFault(hintFor(text));
  const { date, time, fraction = '', offset } = found;
  const local = localTime([...date!.split('-'), ...(time ?? '00:00').split(':')]);
  return { local, fraction, offset, isDay: time === undefined };
}

const NO_ZONE = 'a time with Z or an offset from UTC, or a "zone" in the mapping file';
const UTC_TIME = 'a UTC time like 2026-10-01T06:00:00Z';

/** What to do about the usual times of spreadsheets. */
function hintFor(text: string): string {
  if (/^\d{5}([.,]\d+)?$/.test(text))
    return `${UTC_TIME}; for the day numbers of Excel, "format": "excel" and a "zone" in the mapping file`;
  if (/^\d{4}-\d\d$/.test(text))
    return `${UTC_TIME}; for months, "format": "yyyy-MM" in the mapping file, which makes it the first day of each`;
  if (/^\d{9,}(\.\d+)?$/.test(text))
    return `${UTC_TIME}; for Unix times, "format": "unix", "unix-ms" or "unix-us" in the mapping file`;
  if (/^\d{4}-\d\d-\d\d[T ].*[\p{L}\]]$/u.test(text) && !text.endsWith('Z'))
    return `${UTC_TIME}, or one with an offset like +01:00 and no name of a zone; the mapping file may name the "zone" of all times`;
  if (/^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b/.test(text))
    return `${UTC_TIME}; for another form, which may be read in two ways, a "format" and a "zone" in the mapping file`;
  if (/\d/.test(text) && /\p{L}{3}/u.test(text))
    return `${UTC_TIME}; for the names of months, a "format" like d MMM yyyy in the mapping file`;
  return `${UTC_TIME}, or a "format" and a "zone" in the mapping file`;
}

/** Day 0 of Excel's calendar, in which 1900 is a leap year: days from 1 March 1900 on count from here. */
const EXCEL_START = Temporal.PlainDateTime.from('1899-12-30T00:00');
const UNIX_START = Temporal.PlainDateTime.from('1970-01-01T00:00');

/**
 * Digits of a day's fraction that tell its milliseconds. Excel saves five of a cell in no format of a time: 46296.08333 is 02:00, and not 288 ms before
 * it, which is a day before it in UTC.
 */
const MS_DIGITS = 8;

/** How many digits a number has before its point: one of another unit would be a day of 1970, or of the year 58000. */
const NUMBERS: Readonly<Record<string, [whole: RegExp, expected: string]>> = {
  // Before March 1900 Excel counts a day that did not exist; such a cell is no time of a ledger.
  excel: [/^(6[1-9]|[7-9]\d|\d{3,7})$/, 'a day number of Excel like 46296.25'],
  // A day as 20261001 would be one of 1970.
  unix: [/^\d{9,11}$/, 'Unix time in seconds, of 9 to 11 digits'],
  'unix-ms': [/^\d{12,14}$/, 'Unix time in milliseconds, of 12 to 14 digits'],
  'unix-us': [/^\d{15,17}$/, 'Unix time in microseconds, of 15 to 17 digits'],
};

function readNumber(text: string, format: string): Written {
  const [, whole = '', fraction = ''] = /^(\d+)(?:[.,](\d{1,12}))?$/.exec(text) ?? [];
  const [digitsOf, expected] = NUMBERS[format]!;
  if (!digitsOf.test(whole)) throw new TimeFault(expected);
  if (format === 'excel') {
    const step = 10 ** Math.min(Math.max(MS_DIGITS - fraction.length, 0), 3);
    const milliseconds = Math.round((Number(`${whole}.${fraction}`) * DAY_MS) / step) * step;
    const local = inCalendar(() => EXCEL_START.add({ milliseconds }));
    const digits = fractionOf(`${local.millisecond}`.padStart(3, '0'));
    return { local, fraction: digits, offset: undefined, isDay: /^0*$/.test(fraction) };
  }
  const point = whole.length - { unix: 0, 'unix-ms': 3, 'unix-us': 6 }[format]!;
  const [seconds, digits] = [Number(whole.slice(0, point)), whole.slice(point) + fraction];
  const local = inCalendar(() => UNIX_START.add({ seconds }));
  return { local, fraction: fractionOf(digits), offset: 'Z', isDay: false };
}

function fractionOf(digits: string): string {
  const some = digits.replace(/0+$/, '');
  return some === '' ? '' : `.${some}`;
}

function hourOf(half: string, noon: string): number {
  const hour = Number(half);
  if (hour < 1 || hour > 12) throw new TimeFault('an hour from 1 to 12 with am or pm');
  return (hour % 12) + (noon.toLowerCase().startsWith('p') ? 12 : 0);
}

const OFFSET = /^(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?$/;

/** `zone`: a time zone or an offset, `+02`, `+0200` or `GMT+2`. */
function inUtc(
  local: Temporal.PlainDateTime,
  zone: string | undefined,
  { ambiguous }: TimeFormat,
): Temporal.PlainDateTime {
  if (zone === undefined) throw new TimeFault(NO_ZONE);
  if (zone === 'UTC') return local;
  const [, sign, hours = '', minutes = '00'] = OFFSET.exec(zone) ?? [];
  if (sign) {
    const offset = `${sign}${hours.padStart(2, '0')}:${minutes}`;
    return local.toZonedDateTime(offset).withTimeZone('UTC').toPlainDateTime();
  }
  const earlier = local.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const later = local.toZonedDateTime(zone, { disambiguation: 'later' });
  if (!earlier.toPlainDateTime().equals(local))
    throw new TimeFault(
      `a time that exists in ${zone}: clocks were set forward over this one. Correct it, or name the "zone" of the clock that showed it, such as Etc/GMT-1 for UTC+1`,
    );
  if (!earlier.equals(later) && ambiguous === undefined)
    throw new TimeFault(
      `a time that occurs once in ${zone}, or "ambiguous": "earlier" or "later" in the mapping file`,
    );
  return (ambiguous === 'later' ? later : earlier).withTimeZone('UTC').toPlainDateTime();
}

/**
 * Whether this is a time zone: `Europe/Berlin`, `UTC`. EST and MST are zones without a summer time, which hardly anyone means who writes them: all
 * times of a summer would be an hour off.
 */
export function isTimeZone(zone: string): boolean {
  if (/^[EM]ST$/i.test(zone)) return false;
  // Intl also knows PST, and Temporal takes the zone of a whole time, 2026-10-01T08:00+02:00.
  const isKnown = () => [
    new Intl.DateTimeFormat('en', { timeZone: zone }),
    Temporal.Now.zonedDateTimeISO(zone),
  ];
  return orNull(isKnown) !== null;
}
