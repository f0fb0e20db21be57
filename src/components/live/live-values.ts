import { formatMoment } from '../words/moment.ts';
import { formatNumber, formatShare } from '../words/number.ts';
import { capitalise } from '../words/phrase.ts';

/** One value that a page shows and that `/live` tells of when it changes. */
export interface LiveValue {
  /** One of the paths that the stream has. */
  path: string;
  /** As the page writes it; null where the file does not have it. `of` names a sentinel. */
  words(file: unknown, of: string): string | null;
}

const POINTS = { min: 1, max: 1 };

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

function ofSupply(name: string): LiveValue {
  return {
    path: 'economy/supply',
    words: (file) => asNumber(member(file, name), (value) => formatNumber(value)),
  };
}

/**
 * What can be live on a page, by name. The stream has no `economy/mii`: the virtue integrity is the index by definition, so
 * it is read there.
 */
export const LIVE_VALUES = {
  'supply-total': ofSupply('total_supply'),
  'supply-circulating': ofSupply('circulating'),
  'supply-locked': ofSupply('locked'),
  'supply-burned': ofSupply('burned'),
  mii: {
    path: 'philosophy/virtues.json',
    words: (file) => asNumber(member(member(member(file, 'virtues'), 'integrity'), 'score'), formatShare),
  },
  'virtues-overall': {
    path: 'philosophy/virtues.json',
    words: (file) => asNumber(member(file, 'overall_compliance'), formatShare),
  },
  'system-health': {
    path: 'government/sentinel-status.json',
    words: (file) => asText(member(file, 'system_health'), capitalise),
  },
  'sentinel-status': ofSentinel((one) => asText(member(one, 'status'), capitalise)),
  'sentinel-heartbeat': ofSentinel((one) => asText(member(one, 'last_heartbeat'), formatMoment)),
  'sentinel-uptime': ofSentinel((one) => asNumber(member(one, 'uptime_days'), (days) => formatNumber(days))),
  'sentinel-integrity': ofSentinel((one) =>
    asNumber(member(member(one, 'performance'), 'gi_score'), formatShare),
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

function asNumber(value: unknown, words: (value: number) => string): string | null {
  return typeof value === 'number' ? words(value) : null;
}

function asText(value: unknown, words: (value: string) => string): string | null {
  return typeof value === 'string' ? words(value) : null;
}
