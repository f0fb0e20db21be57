import type { Cathedral } from '../ledger/events/event.ts';

/** A sentinel's initial attributes. The demo ledger registers these ten, and simulations start with them. */
export interface SentinelProfile {
  cathedral: Cathedral;
  role: string;
  /** Apps, packages and workflows that the sentinel maintains in the long run. */
  apps: number;
  packages: number;
  workflows: number;
  /** Long-run means of drift (0–10) and gi_score (0–1). */
  drift: number;
  gi: number;
  /** Tendency to disagree, relative to a mean of 1. */
  dissent: number;
}

export const SENTINEL_PROFILES = {
  ATLAS: {
    cathedral: 'FOR-GOVERNMENTS',
    role: 'Keeps the audit trail of public bodies: records, retention, and the answer to every request for a document.',
    apps: 9,
    packages: 5,
    workflows: 27,
    drift: 0.9,
    gi: 0.974,
    dissent: 0.8,
  },
  HERMES: {
    cathedral: 'FOR-GOVERNMENTS',
    role: 'Carries notices between jurisdictions and sees to it that nobody learns of a duty after it has begun.',
    apps: 8,
    packages: 4,
    workflows: 22,
    drift: 1.1,
    gi: 0.968,
    dissent: 0.7,
  },
  ZEUS: {
    cathedral: 'FOR-GOVERNMENTS',
    role: 'Watches over the use of exceptional powers: who invoked them, on what ground, and when they lapse.',
    apps: 7,
    packages: 5,
    workflows: 19,
    drift: 1.6,
    gi: 0.957,
    dissent: 1.4,
  },
  AUREA: {
    cathedral: 'FOR-ECONOMISTS',
    role: 'Models the price side of MIC: what minting, burning and locking do to those who hold it.',
    apps: 8,
    packages: 5,
    workflows: 21,
    drift: 0.7,
    gi: 0.971,
    dissent: 0.9,
  },
  ZENITH: {
    cathedral: 'FOR-ECONOMISTS',
    role: 'Looks after long horizons: reserves, tail risks, and what a rule does in its tenth year.',
    apps: 6,
    packages: 4,
    workflows: 18,
    drift: 1,
    gi: 0.966,
    dissent: 1.2,
  },
  DAEDALUS: {
    cathedral: 'FOR-ECONOMISTS',
    role: 'Builds and tests mechanisms, contracts and thresholds, and looks for the way out before the way in.',
    apps: 7,
    packages: 5,
    workflows: 24,
    drift: 1.3,
    gi: 0.963,
    dissent: 1,
  },
  ECHO: {
    cathedral: 'FOR-ACADEMICS',
    role: 'Replicates published figures from the raw ledger and answers questions of people who could not.',
    apps: 7,
    packages: 4,
    workflows: 16,
    drift: 0.8,
    gi: 0.97,
    dissent: 0.9,
  },
  URIEL: {
    cathedral: 'FOR-ACADEMICS',
    role: 'Reviews methods: what a measure measures, how uncertain it is, and what it must not be used for.',
    apps: 6,
    packages: 5,
    workflows: 14,
    drift: 0.6,
    gi: 0.976,
    dissent: 1.3,
  },
  EVE: {
    cathedral: 'FOR-PHILOSOPHERS',
    role: 'Speaks for those who are affected and not in the room, and asks what they would have been told.',
    apps: 6,
    packages: 3,
    workflows: 13,
    drift: 1.2,
    gi: 0.965,
    dissent: 1.3,
  },
  JADE: {
    cathedral: 'FOR-PHILOSOPHERS',
    role: 'Keeps the decision archive and the memory of reasons; speaks for measure and for waiting.',
    apps: 5,
    packages: 3,
    workflows: 15,
    drift: 0.9,
    gi: 0.969,
    dissent: 1.1,
  },
} as const satisfies Record<string, SentinelProfile>;

export type SentinelId = keyof typeof SENTINEL_PROFILES;
export const SENTINEL_IDS = Object.keys(SENTINEL_PROFILES) as SentinelId[];

export const GENESIS_MULTIPLIERS = {
  'FOR-GOVERNMENTS': 2,
  'FOR-ECONOMISTS': 1.5,
  'FOR-ACADEMICS': 1.2,
  'FOR-PHILOSOPHERS': 1,
} as const satisfies Partial<Record<Cathedral, number>>;
/** Cathedrals with sentinels. */
export const SENTINEL_CATHEDRALS = Object.keys(GENESIS_MULTIPLIERS) as (keyof typeof GENESIS_MULTIPLIERS)[];
