import { z } from 'zod';
import type { SiteRelease } from './release.ts';
import { formatNumber, formatShare } from './words/number.ts';
import { capitalise, formatToken } from './words/phrase.ts';

export interface Headline {
  label: string;
  value: string;
  unit: string;
  note: string;
  /** The public file that the figure stands in. */
  path: string;
}

/** Reads one figure; `members` are those of the file that it needs. */
type Reader = (release: SiteRelease) => Headline;

function reader<S extends z.ZodType>(
  path: string,
  members: S,
  words: (value: z.output<S>) => Omit<Headline, 'path'>,
): Reader {
  return (release) => ({ path, ...words(release.read(path, members)) });
}

const READERS: Reader[] = [
  reader('economy/supply', z.looseObject({ total_supply: z.number() }), ({ total_supply }) => ({
    label: 'Total supply',
    value: formatNumber(total_supply),
    unit: 'MIC',
    note: 'everything ever minted',
  })),
  reader('economy/supply', z.looseObject({ circulating: z.number() }), ({ circulating }) => ({
    label: 'In circulation',
    value: formatNumber(circulating),
    unit: 'MIC',
    note: 'neither locked nor burned',
  })),
  reader(
    'economy/mii',
    z.looseObject({ mii: z.number().nullable(), threshold: z.number(), minting_active: z.boolean() }),
    ({ mii, threshold, minting_active }) => ({
      label: 'Integrity index',
      value: formatShare(mii),
      unit: 'MII',
      note: `threshold ${formatShare(threshold)}: minting is ${minting_active ? 'active' : 'paused'}`,
    }),
  ),
  reader(
    'academics/sentinel-coordination.json',
    z.looseObject({ average_coordination: z.number() }),
    ({ average_coordination }) => ({
      label: 'Mean coordination',
      value: formatNumber(average_coordination, { min: 1, max: 1 }),
      unit: 'points',
      note: 'of the active sentinels',
    }),
  ),
  reader(
    'government/sentinel-status.json',
    z.looseObject({ system_health: z.string() }),
    ({ system_health }) => ({
      label: 'System health',
      value: capitalise(formatToken(system_health)),
      unit: '',
      note: 'by heartbeats, index and alerts',
    }),
  ),
  reader(
    'philosophy/virtues.json',
    z.looseObject({ overall_compliance: z.number() }),
    ({ overall_compliance }) => ({
      label: 'Virtues',
      value: formatShare(overall_compliance),
      unit: 'of 1',
      note: 'mean of five, last 30 days',
    }),
  ),
];

/** The figures of the home page, each from a public file. */
export function headlines(release: SiteRelease): Headline[] {
  return READERS.map((read) => read(release));
}
