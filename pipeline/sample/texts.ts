import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../attestation/limited-json.ts';
import { PROJECT } from '../config/project.ts';
import type { Jurisdiction, Virtue } from '../ledger/events/vocabulary.ts';
import type { SentinelId } from '../model/sentinel-profiles.ts';

/** data/sample/README.md describes the members; the tests check the files. */
export interface Topic {
  question: string;
  virtues: Virtue[];
  /** Share of sentinels that tend to oppose. */
  contested: number;
  for: Record<SentinelId, string>;
  against: Partial<Record<SentinelId, string>>;
  conditions: string[];
  unknowns: string[];
  adopted: string;
  declined: string;
  open: string;
  frameworks: string[];
  reasoning: string[];
  lessons: string[];
}

export interface RecurringTopic extends Topic {
  /** Words for the places in the texts, one set for each time that the topic returns. */
  subjects: Record<string, string>[];
}

interface Voice {
  virtue: Virtue;
  conditions: string[];
  abstentions: string[];
  supports: string[];
  opposes: string[];
  yields: string;
}

/** A number that grows from quarter to quarter, in a text with the place `{n}`. */
export interface Figure {
  text: string;
  first: number;
  per_quarter: number;
  /** Standard deviation. */
  error: number;
  /** Number of decimals. */
  places: number;
}

export interface Policy extends Record<'debt' | 'gdp' | 'jobs' | 'access', Figure> {
  policy: string;
  equity: string;
  transparency: string;
  risks: { risk: string; severity: 'low' | 'medium' | 'high'; mitigation: string }[];
  timeline: string;
}

export interface CompanionRequest {
  scope: string[];
  risk_level: 'low' | 'medium' | 'high';
  risk_justification: string;
  request_context: string;
  /** The justification, as the document has it. */
  epicon_ej: JsonObject;
}

export interface Release {
  name: string;
  /** Days from genesis to the first release. */
  day: number;
  version: string;
}

/** A contract that holds locked MIC. */
export interface Contract {
  name: string;
  /** Days from genesis to the first lock, and its amount in MIC. Later movements are shares. */
  day: number;
  first: number;
  /** Days between two movements, at least and at most. */
  every: [number, number];
  /** Share of the movements that lock; the others unlock. */
  locks: number;
  /** Amount of one lock, in millionths of the circulating supply. */
  lock: [number, number];
  /** Amount of one unlock, in millionths of the contract's balance. */
  unlock: [number, number];
}

interface Audit {
  /** Statuses of its regimes in a routine audit without findings. */
  statuses: Record<string, string>;
  /** Days from the first audit, on the first day, to the second one. Later audits are a quarter apart. */
  second_day: number;
}

export interface SampleTexts {
  charter: string;
  /** The topics that return, in groups that are shuffled one by one. */
  topics: RecurringTopic[][];
  raiseMultiplier: Topic;
  lowerMultiplier: Topic;
  voices: Record<SentinelId, Voice>;
  policies: Policy[];
  requests: CompanionRequest[];
  software: { apps: Release[]; packages: Release[] };
  contracts: Contract[];
  audits: Record<Jurisdiction, Audit>;
  reasons: {
    retirement: string[];
    revocation: string[];
    raise_multiplier: string[];
    lower_multiplier: string[];
    /** What a regime asks in a review. */
    review: Record<string, string>;
  };
}

const FOLDER = join(PROJECT, 'data/sample');

let cached: SampleTexts | undefined;

/** The project's own texts and rates, read once for each process. */
export function sampleTexts(): SampleTexts {
  cached ??= readSampleTexts();
  return cached;
}

function readSampleTexts(): SampleTexts {
  const text = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
  const json = (name: string) => JSON.parse(text(`${name}.json`));
  const order: string[][] = json('topic-order');
  return {
    charter: text('charter.txt').trimEnd(),
    topics: order.map((names) => names.map((name) => json(`topics/${name}`))),
    raiseMultiplier: json('topics/raise-multiplier'),
    lowerMultiplier: json('topics/lower-multiplier'),
    voices: json('voices'),
    policies: json('policies'),
    requests: json('companion-requests'),
    software: json('software'),
    contracts: json('contracts'),
    audits: json('audits'),
    reasons: json('reasons'),
  };
}
