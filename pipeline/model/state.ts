import { z } from 'zod';
import { Registered, Unattested } from '../attestation/registered.ts';
import { ALERT_SCOPES, POSITIONS, SEVERITIES, VIRTUES } from '../ledger/events/vocabulary.ts';

/** Integers of 1e-6 MIC: a bigint in memory, a string of digits in the file. */
const Micro = z.codec(z.string().regex(/^-?\d+$/), z.bigint(), {
  decode: (digits) => BigInt(digits),
  encode: (micro) => micro.toString(),
});
const Count = z.int().min(0);
const Time = z.string();
const byName = <T extends z.core.$ZodType>(value: T) => z.record(z.string(), value);

const SentinelState = z.strictObject({
  cathedral: z.string(),
  registered_at: Time,
  retired_at: Time.nullable(),
  /** Since it was registered, after its retirement if it was. Null before the first heartbeat: nobody knows yet whether it is up. */
  last_heartbeat: Time.nullable(),
  /** Time of registration, or of the heartbeat that ended the last silence of more than 24 hours. */
  up_since: Time,
  score: z.number().nullable(),
  gi_score: z.number().nullable(),
  minted: Micro,
  mints: Count,
});

/** Sums over the attestations and mints of one hour. The thirty-day means are computed from them. */
const HourSums = z.strictObject({
  /** Hours since 1970-01-01T00Z. */
  hour: z.int(),
  attestations: Count,
  gi_score: z.number(),
  score: z.number(),
  /** Σ amount ÷ multiplier in MIC, by sentinel. */
  normalised: byName(z.number()),
});

const Reading = z.strictObject({
  timestamp: Time,
  mii: z.number(),
  cycle: z.string(),
  sentinel_count: Count,
});

const Position = z.strictObject({
  id: z.string(),
  position: z.enum(POSITIONS),
  reasoning: z.string(),
  virtue_tags: z.array(z.enum(VIRTUES)),
  taken_at: Time,
  /** Index in the log of the event, as the other two below. */
  event: Count,
});

const Deliberation = z.strictObject({
  id: z.string(),
  topic: z.string(),
  opened_at: Time,
  opened_cycle: z.string(),
  opened_event: Count,
  closed_at: Time.nullable(),
  closed_cycle: z.string().nullable(),
  closed_event: Count.nullable(),
  consensus: z.enum(['reached', 'not_reached']).nullable(),
  outcome: z.string().nullable(),
  positions: z.array(Position),
});

/** The parts of a decision that the virtues need. The decision itself goes into the archive. */
const DecisionMark = z.strictObject({
  id: z.string(),
  timestamp: Time,
  has_lessons: z.boolean(),
  is_principled: z.boolean(),
});

/** An opposing or abstaining position as first taken, even if it changed later. */
const ContraryMark = z.strictObject({ timestamp: Time, has_reasoning: z.boolean() });

const RiskMark = z.strictObject({ timestamp: Time, risks: Count, mitigated: Count });

const Alert = z.strictObject({
  id: z.string(),
  severity: z.enum(SEVERITIES),
  scope: z.enum(ALERT_SCOPES),
  message: z.string(),
  raised_at: Time,
  sentinel: z.string().optional(),
});

const Projection = z.strictObject({
  policy: z.string(),
  projected_at: Time,
  economic_impact: z.strictObject({
    debt_reduction_annual: z.string(),
    gdp_impact: z.string(),
    job_creation: z.string(),
  }),
  social_impact: z.strictObject({
    access_improvement: z.string(),
    equity_impact: z.string(),
    transparency: z.string(),
  }),
  risks: z.array(z.strictObject({ risk: z.string(), severity: z.string(), mitigation: z.string() })),
  timeline: z.string(),
});

const Audit = z.strictObject({ statuses: byName(z.string()), last_audit: z.string() });

const Month = z.strictObject({
  /** `2026-01` */
  month: z.string(),
  minted: Micro,
  burned: Micro,
  total_supply: Micro,
  mints: Count,
  attestations: Count,
  mii_sum: z.number(),
  mii_readings: Count,
  mii_min: z.number().nullable(),
});

const YearSums = z.strictObject({
  year: z.int(),
  from: Time,
  opening_supply: Micro,
  events: Count,
  attestations: Count,
  alerts_raised: Count,
  outages: Count,
  deliberations_opened: Count,
  deliberations_closed: Count,
  consensus_reached: Count,
  /** By id: those recorded in the year. One that is recorded again is a correction, and counts once. */
  decided: byName(z.literal(true)),
  /** The latest twelve records, newest first. */
  recent_decisions: z.array(
    z.strictObject({
      id: z.string(),
      date: z.string(),
      topic: z.string(),
      outcome: z.string(),
      replaced: z.boolean(),
    }),
  ),
  by_cathedral: byName(z.strictObject({ mints: Count, minted: Micro })),
  by_sentinel: byName(Micro),
  months: z.array(Month),
});

/** Sums over one UTC day. They become rows of the files by day when the day is over. */
const DaySums = z.strictObject({
  /** `2026-01-15` */
  date: z.string(),
  /** By type, in order of first appearance. Types unknown to the fold count as `other`. */
  events: byName(Count),
  /** By cathedral. */
  minted: byName(z.strictObject({ mints: Count, minted: Micro })),
  readings: Count,
  mii_sum: z.number(),
  mii_min: z.number().nullable(),
  mii_max: z.number().nullable(),
  /** By sentinel. */
  heartbeats: byName(Count),
  /** By sentinel, the longest silence in ms that a heartbeat of this day ended. */
  silences: byName(z.int()),
});

/** The eight metrics whose change since the first thirty days is drift. Null if there was nothing to measure. */
const Metrics = z.record(z.string(), z.number().nullable());

/**
 * Raised by one with every change that makes a resumed run differ from a rebuild: of the state's members, of the fold, of an event type,
 * of the rows of a history, or of the decisions which events are public. The next run then rebuilds by itself.
 */
export const STATE_VERSION = 2;

const StateFile = z.strictObject({
  format: z.literal(`cathedral-state/${STATE_VERSION}`),
  /** Timestamp of the last folded event, and of everything published from the state. */
  asOf: Time,
  /** Timestamp of the first event. */
  since: Time,
  cycle: z.string(),
  events: Count,
  events_by_type: byName(Count),
  charter: z.string().nullable(),
  supply: z.strictObject({ total: Micro, locked: Micro, burned: Micro }),
  /** Locked amount by contract. Contracts with nothing left are dropped. */
  contracts: byName(Micro),
  mii: z.number().nullable(),
  /** MII at the start of the current cycle. Null without an earlier reading. */
  mii_baseline: z.number().nullable(),
  /** Readings of the last thirty days, oldest first. */
  readings: z.array(Reading),
  sentinels: byName(SentinelState),
  /** By cathedral, then by sentinel: the totals of mints that name both. */
  rewards: byName(byName(z.strictObject({ minted: Micro, mints: Count }))),
  multipliers: byName(z.number()),
  /** The hours of the last thirty days with attestations or mints, oldest first. */
  hours: z.array(HourSums),
  apps: byName(z.strictObject({ version: z.string(), status: z.string(), registered_at: Time })),
  packages: byName(z.strictObject({ version: z.string(), status: z.string(), registered_at: Time })),
  /** Open deliberations and those closed in the last ninety days, in order of opening. */
  deliberations: z.array(Deliberation),
  decisions: z.array(DecisionMark),
  contrary: z.array(ContraryMark),
  risks: z.array(RiskMark),
  projections: z.array(Projection),
  audits: byName(Audit),
  scheduled_audits: byName(z.string()),
  /** Alerts raised and not cleared, oldest first. */
  alerts: z.array(Alert),
  /** Contradictions in the ledger: the newest hundred of the last thirty days, and the total so far. */
  findings: z.strictObject({ total: Count, recent: z.array(Alert) }),
  /** What a ledger may leave blank. Until it states one, nothing can be measured by how often it is stated. */
  stated: z.record(z.enum(['reasoning', 'lessons', 'mitigation', 'frameworks', 'sentinels']), z.boolean()),
  companions: byName(Registered),
  /** Revocations and drift scores that arrived before their attestation. */
  unattested: byName(Unattested),
  /** Revocations (without reasons) and drift scores dropped from the other two. They are never forgotten. */
  remembered: byName(Unattested),
  /** The metrics of the first thirty days. Null until these are over. */
  baseline: Metrics.nullable(),
  year: YearSums,
  day: DaySums,
});

export type State = z.output<typeof StateFile>;
export type SentinelState = z.output<typeof SentinelState>;
export type HourSums = z.output<typeof HourSums>;
export type Deliberation = z.output<typeof Deliberation>;
export type Alert = z.output<typeof Alert>;
export type YearSums = z.output<typeof YearSums>;
export type DaySums = z.output<typeof DaySums>;
export type Month = z.output<typeof Month>;
export type Metrics = z.output<typeof Metrics>;

/** The state as JSON text. The same state always gives the same bytes. */
export function formatState(state: State): string {
  return `${JSON.stringify(z.encode(StateFile, state))}\n`;
}

/** Reads a parsed state file. Throws a ZodError if it is invalid. */
export function parseState(json: unknown): State {
  return z.decode(StateFile, json as z.input<typeof StateFile>);
}
