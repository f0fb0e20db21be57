import { formatMoment } from '../../../../pipeline/words/moment.ts';
import { formatNumber, formatScore } from '../../../../pipeline/words/number.ts';
import { capitalise } from '../../../../pipeline/words/phrase.ts';

/** One value that a page shows and that `/live` tells of when it changes. */
export interface LiveValue {
  /** One of the paths that the stream has. */
  path: string;
  /** As the page writes it; null where the file does not have it. `of` names a sentinel. */
  words(file: unknown, of: string): string | null;
}

const POINTS = 1;

/** A value of a sentinel, which the file has in a list. */
function ofSentinel(words: (sentinel: unknown) => string | null): LiveValue {
  return {
    path: 'government/sentinel-status.json',
    words(file, of) {
      const sentinels = member(file, 'sentinels');
      const found = Array.isArray(sentinels) ? sentinels.find((one) => member(one, 'id') === of) : undefined;
      return found === undefined ? null : words(found);
    },
  };
}

/** What can be live on a page, by name. */
export const LIVE_VALUES = {
  'sentinel-status': ofSentinel((one) => asText(member(one, 'status'), capitalise)),
  'sentinel-heartbeat': ofSentinel((one) => asText(member(one, 'last_heartbeat'), formatMoment)),
  'sentinel-uptime': ofSentinel((one) => asNumber(member(one, 'uptime_days'), (days) => formatNumber(days))),
  'sentinel-integrity': ofSentinel((one) =>
    asNumber(member(member(one, 'performance'), 'gi_score'), (score) => formatScore(score)),
  ),
  'sentinel-coordination': ofSentinel((one) =>
    asNumber(member(member(one, 'performance'), 'coordination'), (score) => formatNumber(score, POINTS)),
  ),
} satisfies Record<string, LiveValue>;

export type LiveName = keyof typeof LIVE_VALUES;

export function isLiveName(name: string): name is LiveName {
  return Object.hasOwn(LIVE_VALUES, name);
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** Null is what was not measured: a dash, as the page writes it. */
function asNumber(value: unknown, words: (value: number) => string): string | null {
  if (value === null) return '–';
  return typeof value === 'number' ? words(value) : null;
}

function asText(value: unknown, words: (value: string) => string): string | null {
  return typeof value === 'string' ? words(value) : null;
}
