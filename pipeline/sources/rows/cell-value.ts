import type * as z from 'zod/mini';
import { errorOf } from '../../errors.ts';
import { NO_VALUE, SHORTENED } from '../../ledger/events/draft.ts';
import {
  AMOUNT,
  Amount,
  CalendarDate,
  EVENT_DATA,
  isKind,
  isKnownType,
  Timestamp,
} from '../../ledger/events/event.ts';
import { EXACT_NUMBER, exactNumber, findInexact, JsonFault, numberText } from '../../ledger/events/json.ts';
import { parseDay, parseTime, TimeFault, type TimeFormat } from './local-time.ts';
import { faultOf, readRowJson } from './row-json.ts';

const misfit = errorOf('ledger_schema');

/** What a cell becomes in an event. `as it is`: a member of no schema. */
export type Kind =
  | 'text'
  | 'number'
  | 'truth'
  | 'amount'
  | 'time'
  | 'day'
  | 'object'
  | 'as it is'
  | { items: Kind };

/** How a table writes values. */
export interface CellFormat extends TimeFormat {
  /** The character before the fraction of a number. Default: the point. */
  decimal?: ',' | '.' | undefined;
  /** The character between groups of three digits. Default: none. */
  thousands?: string | undefined;
  /** What stands before or after an amount of money, `$` or `EUR`. Default: nothing. */
  currency?: string | undefined;
  /** How many places the point of a number moves to the left, 2 for cents. Default: none. */
  scale?: number | undefined;
  /** What separates the items of a list. Default: `|`. */
  separator?: string | undefined;
}

/** A member of an event type's data, from its schema. */
export interface Member {
  kind: Kind;
  /** What an empty cell is where the type needs a value: an empty text or list. Undefined: absent. */
  empty: '' | [] | undefined;
}

const UNKNOWN: Member = { kind: 'as it is', empty: undefined };
const members = new Map<string, Member>();

/** The member at a path of `data`, `statuses.GDPR`. */
export function memberOf(type: string, path: string): Member {
  return members.getOrInsertComputed(`${type} ${path}`, () => findMember(type, path));
}

function findMember(type: string, path: string): Member {
  if (!isKnownType(type)) return UNKNOWN;
  let schemas: z.ZodMiniType[] = [EVENT_DATA[type]];
  for (const name of path.split('.')) schemas = schemas.flatMap((schema) => childrenOf(schema, name));
  const [schema] = schemas;
  if (!schema) return UNKNOWN;
  const isOptional = schema.def.type === 'optional';
  const kind = kindOf(schema);
  const nothing = kind === 'text' ? '' : typeof kind === 'object' ? ([] as []) : undefined;
  const isEnough = nothing !== undefined && !isOptional && schema.safeParse(nothing).success;
  return { kind, empty: isEnough ? nothing : undefined };
}

/** Of a union, such as the jurisdictions of an audit, the member of each of its options. */
function childrenOf(schema: z.ZodMiniType, name: string): z.ZodMiniType[] {
  const { def } = schema as z.ZodMiniObject | z.ZodMiniUnion;
  if (def.type === 'union') return def.options.flatMap((option) => childrenOf(option as z.ZodMiniType, name));
  if (def.type !== 'object' || !Object.hasOwn(def.shape, name)) return [];
  return [def.shape[name] as z.ZodMiniType];
}

function kindOf(schema: z.ZodMiniType): Kind {
  const { def } = schema as
    | z.ZodMiniOptional<z.ZodMiniType>
    | z.ZodMiniArray<z.ZodMiniType>
    | z.ZodMiniObject
    | z.ZodMiniString;
  if (isKind(schema, Amount)) return 'amount';
  if (isKind(schema, Timestamp)) return 'time';
  if (isKind(schema, CalendarDate)) return 'day';
  switch (def.type as z.ZodMiniType['def']['type']) {
    case 'optional':
      return kindOf((def as z.ZodMiniOptional<z.ZodMiniType>['def']).innerType);
    case 'array':
      return { items: kindOf((def as z.ZodMiniArray<z.ZodMiniType>['def']).element) };
    case 'number':
      return 'number';
    case 'boolean':
      return 'truth';
    case 'object':
    case 'record':
    case 'union':
      return 'object';
    default:
      return 'text';
  }
}

/** A value that cannot be what its member needs: what is expected instead of it. */
class CellFault extends Error {
  /** The part of the value that is wrong; null: all of it. */
  readonly part: { path: readonly string[]; text: string } | null;

  constructor(expected: string, part: CellFault['part'] = null) {
    super(expected);
    this.part = part;
  }
}

/**
 * A cell's value → the value of a member. A text (of CSV, or of a database's text column) is converted; a value that has the right
 * type stays as it is. No number changes: one that a double does not hold is refused, unless the member takes its digits as a text.
 * Throws `ledger_schema`, and `ledger_corrupt` for JSON in a text; `place` names row and column, `name` the member.
 */
export function convertCell(
  value: unknown,
  kind: Kind,
  how: CellFormat,
  name: string,
  place: () => string,
): unknown {
  try {
    return convert(value, kind, how);
  } catch (fault) {
    if (fault instanceof JsonFault) throw faultOf(fault, `${value}`, place());
    if (!(fault instanceof CellFault || fault instanceof TimeFault)) throw fault;
    const { path, text } = (fault instanceof CellFault && fault.part) || {
      path: [],
      text: JSON.stringify(value) ?? typeof value,
    };
    throw misfit(place(), `${[name, ...path].join('.')} to be ${fault.message}`, text.slice(0, 200));
  }
}

function convert(value: unknown, kind: Kind, how: CellFormat): unknown {
  if (typeof kind === 'object') return toItems(value, kind.items, how);
  return CONVERSIONS[kind](value, how);
}

const CONVERSIONS: Record<Exclude<Kind, object>, (value: unknown, how: CellFormat) => unknown> = {
  'as it is': exact,
  text: (value) => numberText(value) ?? value,
  number: toNumber,
  truth: (value) => {
    if (typeof value !== 'string') return value;
    if (!/^(true|false)$/i.test(value.trim()))
      throw new CellFault('TRUE or FALSE, or "values" in the mapping file for other words');
    return value.trim().toLowerCase() === 'true';
  },
  amount: toAmount,
  time: (value, how) => onText(value, (text) => parseTime(text, how)),
  day: (value, how) => onText(value, (text) => parseDay(text, how)),
  object: (value) => (typeof value === 'string' ? exact(parseJson(value, 'a JSON object')) : exact(value)),
};

/** JSON has Unix times as numbers. */
function onText(value: unknown, parse: (text: string) => string): unknown {
  const text = typeof value === 'string' ? value.trim() : numberText(value);
  return text === undefined ? value : parse(text);
}

/** A value in which each number is exact. */
function exact(value: unknown): unknown {
  const inexact = findInexact(value);
  if (inexact) throw new CellFault(EXACT_NUMBER, inexact);
  return value;
}

function toItems(value: unknown, kind: Kind, how: CellFormat): unknown {
  const items = typeof value === 'string' ? splitItems(value, how.separator ?? '|') : value;
  // What is no list is refused by the schema of the event.
  return Array.isArray(items) ? items.map((item) => convert(item, kind, how)) : items;
}

function splitItems(text: string, separator: string): unknown {
  if (text.startsWith('[')) return parseJson(text, 'a JSON array, or a list of another separator');
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function parseJson(text: string, expected: string): unknown {
  try {
    return readRowJson(text);
  } catch (fault) {
    if (!(fault instanceof JsonFault) || fault.code !== 'not_json') throw fault;
    throw new CellFault(`${expected}, with ${fault.expectedHere}`);
  }
}

/** Of an amount, or of a number of smallest units. Any other may be a measurement, which has no more digits. */
function assertWhole(value: unknown): void {
  if (typeof value === 'string' && SHORTENED.test(value.trim()))
    throw new CellFault(
      'a number with all its digits: give the column of the spreadsheet the number format 0, and export it again',
    );
}

function toNumber(value: unknown, how: CellFormat): unknown {
  if (how.scale !== undefined) assertWhole(value);
  const written = readNumber(value, how);
  if (written === null) return exact(value);
  const { sign, whole, fraction, power } = written;
  const parts = [whole || '0', fraction && `.${fraction}`, power === 0 ? '' : `e${power}`];
  const number = exactNumber(sign + parts.join(''));
  if (number === null) throw new CellFault(EXACT_NUMBER);
  return number;
}

/** Beyond it no number is an amount. */
const MAX_POWER = 30;

function toAmount(value: unknown, how: CellFormat): unknown {
  assertWhole(value);
  const written = readNumber(value, how);
  if (written === null) return value;
  const { sign, whole, fraction, power } = written;
  if (sign === '-' || Math.abs(power) > MAX_POWER) throw new CellFault(AMOUNT);
  const digits = `${'0'.repeat(MAX_POWER)}${whole}${fraction.padEnd(Math.max(power, 0), '0')}`;
  const point = MAX_POWER + whole.length + power;
  // A column numeric(18,8) writes 12.50000000. Zeros at the end add nothing; any other seventh place is refused.
  const places = digits.slice(point).replace(/^(.{6})0+$/, '$1');
  const text = `${digits.slice(0, point).replace(/^0+(?=\d)/, '')}${places && `.${places}`}`;
  if (!Amount.safeParse(text).success) throw new CellFault(AMOUNT);
  return text;
}

/** Databases write `.5`, R writes `1e+05`, and mainframes write zeros in front. */
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/** The parts of a number as it is written: `-1.50e3` → `-`, `1`, `50`, 3; null for what is no number. */
function readNumber(value: unknown, { scale = 0, ...how }: CellFormat) {
  const written = typeof value === 'string' ? value : numberText(value);
  if (written === undefined) return null;
  // Scandinavian spreadsheets write the minus sign of typography.
  const text = typeof value === 'string' ? plainNumber(value.trim().replace('\u2212', '-'), how) : written;
  const [, sign = '', whole = '', fraction = '', power = '0'] = NUMBER.exec(text) ?? [];
  if (whole === '' && fraction === '') throw new CellFault(numberHint(written, how));
  return { sign, whole, fraction, power: Number(power) - scale };
}

/** The same number with a point, without groups and currency, `€ 1.234,5` → `1234.5`. */
function plainNumber(text: string, { decimal = '.', thousands, currency }: CellFormat): string {
  const number = currency === undefined ? text : withoutCurrency(text, RegExp.escape(currency));
  const point = RegExp.escape(decimal);
  const group = groupOf(thousands);
  // In threes, or as in India 12,34,567. No program writes a zero in front of groups: 0.500 is a half of another country's table.
  const groups = `([1-9]\\d{0,2}(${group}\\d{3})+|[1-9]\\d?(${group}\\d{2})*${group}\\d{3})`;
  const isGrouped = group !== '' && new RegExp(`^[+-]?${groups}(${point}\\d+)?$`).test(number);
  const ungrouped = isGrouped ? number.replaceAll(new RegExp(group, 'g'), '') : number;
  if (decimal === '.') return ungrouped;
  // A point is not a decimal here, and without its group character nothing else.
  return ungrouped.includes('.') ? '' : ungrouped.replace(decimal, '.');
}

/** A pattern: programs write several kinds of space and of apostrophe. */
function groupOf(thousands: string | undefined): string {
  if (thousands === undefined) return '';
  if (/\s/.test(thousands)) return '\\s';
  return /['’]/.test(thousands) ? "['’]" : RegExp.escape(thousands);
}

function withoutCurrency(text: string, currency: string): string {
  const before = text.replace(new RegExp(`^([+-]?)\\s*${currency}\\s*`), '$1');
  return before === text ? text.replace(new RegExp(`\\s*${currency}$`), '') : before;
}

/** `$5`, `-R$ 5`, `5 €`, `EUR 5`, `5 kr`; and not `TRUE`. */
const MONEY = (() => {
  const currency = '(\\p{Lu}{0,3}\\p{Sc}|[A-Z]{3}|kr|zł|Kč)';
  return new RegExp(`^[+-]?\\s*${currency}\\s*[+-]?\\d|\\d\\s*${currency}$`, 'u');
})();

function numberHint(value: string, { decimal = '.', currency }: CellFormat): string {
  const text = value.trim();
  const example = `a number like ${decimal === ',' ? '1,5' : '1.5'}`;
  if (NO_VALUE.test(text))
    return `${example}; "missing": [${JSON.stringify(text)}] in the mapping file makes it an empty cell`;
  if (/[%‰]$/.test(text))
    return `${example} without a percent sign, since 5% may mean 5 or 0.05: "currency": "%" in the mapping file for 5, and "scale": 2 as well for 0.05`;
  // In tables of results, a number in brackets is an error of measurement and not negative.
  if (/^\(.*\)$|\d-$/.test(text))
    return `${example}, with the sign of a negative one in front: give the column another number format and export it again`;
  const sign = MONEY.exec(text);
  if (sign && currency === undefined)
    return `${example}, or "currency": ${JSON.stringify(sign[1] ?? sign[2])} in the mapping file`;
  if (/\d[.,'’\s]\d{3}(?!\d)/.test(text))
    return `${example}, or "thousands" and "decimal" in the mapping file for numbers like 1,234.5`;
  const isComma = decimal === '.' && /^[+-]?\d*,\d+$/.test(text);
  return isComma ? `${example}, or "decimal": "," in the mapping file` : example;
}
