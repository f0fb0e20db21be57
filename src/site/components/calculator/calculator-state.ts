import { FIELD_NAMES, FIELDS, type FieldName, parseField, WORK } from './fields.ts';

export type Numbers = Record<FieldName, number>;

/** What a reader has entered; in the page's address, so that a calculation can be linked to. */
export interface CalculatorState {
  /** Whether the score is entered, or follows from the work. */
  from: 'score' | 'work';
  numbers: Numbers;
}

export const DEFAULT_NUMBERS = Object.fromEntries(
  FIELD_NAMES.map((name) => [name, FIELDS[name].default]),
) as Numbers;

/**
 * Of an address's parameters: `?s=57.2&multiplier=2`, `?apps=9&uptime=64`. The score counts where it is there; a value that
 * is not within its limits is the default.
 */
export function parseCalculator(parameters: URLSearchParams, defaults = DEFAULT_NUMBERS): CalculatorState {
  const numbers = { ...defaults };
  for (const name of FIELD_NAMES) {
    const value = parseField(name, parameters.get(name) ?? '');
    if (value !== null) numbers[name] = value;
  }
  const hasWork = WORK.some((name) => parameters.has(name));
  return { from: hasWork && !parameters.has('s') ? 'work' : 'score', numbers };
}

/** Empty, or with its question mark: what differs from the defaults, and what says where the score is from. */
export function formatCalculator({ from, numbers }: CalculatorState, defaults = DEFAULT_NUMBERS): string {
  const parameters = new URLSearchParams();
  for (const name of FIELD_NAMES) {
    if (from === 'work' ? name === 's' : WORK.includes(name)) continue;
    const isKept = numbers[name] !== defaults[name] || (from === 'work' && name === 'apps');
    if (isKept) parameters.set(name, String(numbers[name]));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}
