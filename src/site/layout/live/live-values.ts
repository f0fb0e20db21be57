import type { LiveValue } from '../../../../pipeline/artifacts/artifact.ts';
import { formatMoment } from '../../../../pipeline/words/moment.ts';
import { formatNumber, formatScore } from '../../../../pipeline/words/number.ts';
import { capitalise, formatToken } from '../../../../pipeline/words/phrase.ts';

/** How pages write a value; undefined for a value of another type than in its schema. */
const FORMATS: Readonly<Record<LiveValue['format'], (value: unknown) => string | undefined>> = {
  word: text((value) => capitalise(formatToken(value))),
  time: text(formatMoment),
  integer: number((value) => formatNumber(value)),
  score: number((value) => formatScore(value)),
  points: number((value) => formatNumber(value, 1)),
};

/** A value of the row `id` as the page writes it: a dash for null, which was not measured; null if the file does not have it. */
export function liveText(file: unknown, { list, members, format }: LiveValue, id: string): string | null {
  const rows = member(file, list);
  const row = Array.isArray(rows) ? rows.find((one) => member(one, 'id') === id) : undefined;
  const value = members.reduce(member, row);
  return value === null ? '–' : (FORMATS[format](value) ?? null);
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function text(write: (value: string) => string): (value: unknown) => string | undefined {
  return (value) => (typeof value === 'string' ? write(value) : undefined);
}

function number(write: (value: number) => string): (value: unknown) => string | undefined {
  return (value) => (typeof value === 'number' ? write(value) : undefined);
}
