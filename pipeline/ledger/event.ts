import { z } from 'zod';
import { DURATION } from '../words/duration.ts';

/** Longest line of a ledger file, in bytes without its line end: a tile's entry bundle has 16-bit lengths. */
export const MAX_LINE_BYTES = 65_535;

/** `2025-12-01T06:00:00Z`, UTC, a fraction allowed; a real calendar date. */
export const Timestamp = z.iso.datetime({ offset: false, local: false });
export const CalendarDate = z.iso.date();
export const CycleLabel = z.string().regex(/^C-(0|[1-9]\d*)$/, 'a cycle label like C-151');
/** MIC as a decimal string with at most six places, `"12.5"`; never a float, so that sums are exact. */
export const Amount = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})(\.\d{1,6})?$/, 'a decimal string with at most 6 places');
/**
 * A name of an agent, a sentinel or a deliberation. Names become CSV cells, so they must not begin like a spreadsheet formula or contain
 * control characters, at which some readers end a text. They also become member names, so `__proto__` is excluded.
 */
const Id = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^(?![=+\-@]|__proto__$)[^\p{Cc}\p{Cs}]*$/u,
    'a name that begins with none of = + - @ and has no control character',
  );
const SnakeToken = z.string().regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/, 'a snake_case token');
/** An escape can produce half of a surrogate pair, which has no UTF-8 encoding, so no file could hold it. */
const Text = z
  .string()
  .max(20_000)
  .regex(/^\P{Cs}*$/u, 'well-formed Unicode');
const Share = z.number().min(0).max(1);
const Count = z.int().min(0);
/** The range of M_c in the reward formula. */
export const Multiplier = z.number().min(1).max(2);

export const CATHEDRALS = [
  'FOR-GOVERNMENTS',
  'FOR-ECONOMISTS',
  'FOR-ACADEMICS',
  'FOR-PHILOSOPHERS',
  'DIPLOMACY',
] as const;
export const Cathedral = z.enum(CATHEDRALS);
export type Cathedral = z.infer<typeof Cathedral>;

export const POSITIONS = ['support', 'support_with_conditions', 'oppose', 'abstain'] as const;
export const VIRTUES = ['integrity', 'temperance', 'justice', 'prudence', 'courage'] as const;
export type Virtue = (typeof VIRTUES)[number];
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export const ALERT_SCOPES = ['system', 'sentinel', 'economy', 'compliance', 'drift', 'ledger'] as const;

/** The audited regimes by jurisdiction, in the order of publication. */
export const REGIMES = {
  USA: ['SEC', 'CFTC', 'Federal_Reserve_Act'],
  EU: ['GDPR', 'AI_Act', 'MiCA'],
  UK: ['FCA', 'Data_Protection_Act'],
  International: ['Basel_III', 'FATF'],
} as const;
export type Jurisdiction = keyof typeof REGIMES;
export const JURISDICTIONS = Object.keys(REGIMES) as Jurisdiction[];

const Release = { name: Id, version: Text.min(1).max(100), status: SnakeToken };

/**
 * Schemas of `data` by event type. Unknown members are kept and ignored: a ledger cannot be rewritten, so a writer that adds a member
 * must not block publication.
 */
export const EVENT_DATA = {
  genesis: z.looseObject({
    /** MIC that exists before the first mint. */
    allocation: Amount,
    multipliers: z.partialRecord(Cathedral, Multiplier),
    charter: Text.optional(),
  }),
  cycle_opened: z.looseObject({}),
  sentinel_registered: z.looseObject({ sentinel: Id, cathedral: Cathedral, role: Text.optional() }),
  sentinel_retired: z.looseObject({ sentinel: Id, reason: Text.optional() }),
  /** The agent is the sentinel that is alive. */
  heartbeat: z.looseObject({}),
  /** The agent is the sentinel that attests. */
  attestation: z.looseObject({
    apps: Count,
    packages: Count,
    workflows: Count,
    drift: z.number().min(0).max(10),
    uptime_days: z.number().min(0),
    gi_score: Share,
    score: z.number().min(0),
  }),
  mic_mint: z.looseObject({
    sentinel: Id,
    cathedral: Cathedral,
    coordination_score: z.number().min(0),
    multiplier: Multiplier,
    amount: Amount,
  }),
  mic_burn: z.looseObject({ amount: Amount, reason: SnakeToken }),
  mic_lock: z.looseObject({ amount: Amount, contract: Id }),
  mic_unlock: z.looseObject({ amount: Amount, contract: Id }),
  multiplier_set: z.looseObject({ cathedral: Cathedral, multiplier: Multiplier, reason: SnakeToken }),
  mii_reading: z.looseObject({ mii: Share }),
  deliberation_opened: z.looseObject({ deliberation: Id, topic: Text }),
  /** The agent is the sentinel that takes the position. An empty reasoning is allowed, and measured (courage). */
  position_taken: z.looseObject({
    deliberation: Id,
    position: z.enum(POSITIONS),
    reasoning: Text,
    virtue_tags: z.array(z.enum(VIRTUES)),
  }),
  deliberation_closed: z.looseObject({
    deliberation: Id,
    consensus: z.enum(['reached', 'not_reached']),
    outcome: Text,
  }),
  decision_recorded: z.looseObject({
    decision: Id,
    topic: Text,
    frameworks_applied: z.array(Text),
    sentinels_involved: z.array(Id),
    reasoning: Text,
    outcome: Text,
    /** Empty where none were recorded (measured by prudence). */
    lessons_learned: Text,
    deliberation: Id.optional(),
  }),
  compliance_audited: z.discriminatedUnion('jurisdiction', [
    z.looseObject({ jurisdiction: z.literal('USA'), statuses: regimeStatuses('USA') }),
    z.looseObject({ jurisdiction: z.literal('EU'), statuses: regimeStatuses('EU') }),
    z.looseObject({ jurisdiction: z.literal('UK'), statuses: regimeStatuses('UK') }),
    z.looseObject({ jurisdiction: z.literal('International'), statuses: regimeStatuses('International') }),
  ]),
  audit_scheduled: z.looseObject({ jurisdiction: z.enum(JURISDICTIONS), date: CalendarDate }),
  policy_projected: z.looseObject({
    policy: Text,
    economic_impact: z.looseObject({ debt_reduction_annual: Text, gdp_impact: Text, job_creation: Text }),
    social_impact: z.looseObject({ access_improvement: Text, equity_impact: Text, transparency: Text }),
    /** An empty mitigation is allowed, and measured (prudence). */
    risks: z.array(z.looseObject({ risk: Text, severity: Text, mitigation: Text })),
    timeline: Text,
  }),
  alert_raised: z.looseObject({
    alert: Id,
    severity: z.enum(SEVERITIES),
    scope: z.enum(ALERT_SCOPES),
    message: Text,
    sentinel: Id.optional(),
  }),
  alert_cleared: z.looseObject({ alert: Id }),
  app_registered: z.looseObject(Release),
  package_registered: z.looseObject(Release),
  /** A Companion Attestation took effect: `attestation` is the SHA-256 of its canonical bytes, hex. */
  companion_attested: z.looseObject({
    attestation: Id,
    companion: Id,
    /** Schema version of the document, any. */
    ledger_id: z.guid(),
    scope: z.array(Id).min(1),
    risk_level: z.enum(['low', 'medium', 'high', 'critical']),
    expires_at: Timestamp,
    /** Drift score at or above which the grant is revoked; absent where drift is not monitored. */
    drift_threshold: Share.optional(),
    /** How often drift is to be checked; absent: P1D. */
    check_interval: z.string().regex(DURATION, 'an ISO 8601 duration like P1D').optional(),
    previous_attestation: Id.optional(),
    /** The signed document, if the ledger received it; `attestation` is its id. */
    document: z.looseObject({}).optional(),
  }),
  companion_drift: z.looseObject({ attestation: Id, score: Share }),
  companion_revoked: z.looseObject({ attestation: Id, reason: Text }),
} as const;

export type KnownType = keyof typeof EVENT_DATA;

export function isKnownType(type: string): type is KnownType {
  return Object.hasOwn(EVENT_DATA, type);
}

function regimeStatuses<J extends Jurisdiction>(jurisdiction: J) {
  const names = REGIMES[jurisdiction] as readonly (typeof REGIMES)[J][number][];
  return z.looseObject(
    Object.fromEntries(names.map((name) => [name, SnakeToken])) as Record<
      (typeof names)[number],
      typeof SnakeToken
    >,
  );
}

/** The members of every event. A line holds exactly these; `data` is validated by type. */
export const Envelope = z.strictObject({
  seq: z.int().min(0),
  timestamp: Timestamp,
  cycle: CycleLabel,
  type: SnakeToken.max(100),
  agent: Id,
  data: z.record(z.string(), z.unknown()),
  salt: z.string().regex(/^[A-Za-z0-9_-]{21}[AQgw]$/, '16 random bytes in base64url'),
});

interface Base<T extends string, D> {
  seq: number;
  timestamp: string;
  cycle: string;
  type: T;
  agent: string;
  data: D;
  salt: string;
}

/** An event of a known type: a discriminated union over `type`. */
export type KnownEvent = { [T in KnownType]: Base<T, z.infer<(typeof EVENT_DATA)[T]>> }[KnownType];
/** An event of one known type, `EventOf<'mic_mint'>`. */
export type EventOf<T extends KnownType> = Extract<KnownEvent, { type: T }>;
/** A verified event. Events of unknown types appear in the audit trail; the fold ignores them. */
export type LedgerEvent = Base<string, Record<string, unknown>>;
