import { numberText } from '../../ledger/events/json.ts';

const SURROGATE = /[\ud800-\udfff]/;
/** `repr(float)` has an exponent below 1e-4 and from 1e16 on. */
const MIN_FIXED_EXPONENT = -4;
const MAX_FIXED_EXPONENT = 15;

/**
 * A value of `parseExactJson` as Python's `json.dumps(value, sort_keys=True)` prints it: `{"a": 1.0, "é": [1e-07]}`
 * becomes `{"a": 1.0, "\u00e9": [1e-07]}`. A number written with `.`, `e` or `E` is a float, any other an int.
 */
export function formatPythonJson(value: unknown): string {
  const number = numberText(value);
  if (number !== undefined) return formatNumber(number);
  if (typeof value === 'string') return formatString(value);
  if (Array.isArray(value)) return `[${value.map(formatPythonJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => compareCodePoints(a, b));
  return `{${members.map(([key, member]) => `${formatString(key)}: ${formatPythonJson(member)}`).join(', ')}}`;
}

/** As JSON.stringify, with `ensure_ascii`: one UTF-16 unit at a time, so an astral character is a surrogate pair. */
function formatString(text: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replaceAll(/[^ -~]/g, escaped);
}

/** Python sorts str by code point; JavaScript by UTF-16 unit, which puts 😀 before U+FF5E. */
function compareCodePoints(a: string, b: string): number {
  if (!SURROGATE.test(a) && !SURROGATE.test(b)) return a < b ? -1 : a > b ? 1 : 0;
  const left = Array.from(a, (character) => character.codePointAt(0)!);
  const right = Array.from(b, (character) => character.codePointAt(0)!);
  const at = left.findIndex((point, index) => point !== right[index]);
  return at === -1 ? left.length - right.length : left[at]! - (right[at] ?? -1);
}

function formatNumber(text: string): string {
  if (/[.eE]/.test(text)) return formatFloat(Number(text));
  return text === '-0' ? '0' : text;
}

/** `repr(float)`: the shortest digits that read back as the same number, which JavaScript finds as well. */
function formatFloat(value: number): string {
  if (!Number.isFinite(value)) return value < 0 ? '-Infinity' : 'Infinity';
  if (Object.is(value, -0)) return '-0.0';
  const [mantissa, power] = value.toExponential().split('e') as [string, string];
  const exponent = Number(power);
  if (exponent < MIN_FIXED_EXPONENT || exponent > MAX_FIXED_EXPONENT) {
    const size = Math.abs(exponent).toString().padStart(2, '0');
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  return formatFixed(mantissa.replace('-', '').replace('.', ''), exponent, value < 0 ? '-' : '');
}

/** Digits `12345` with the point behind the digit of 10^exponent. */
function formatFixed(digits: string, exponent: number, sign: string): string {
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}
