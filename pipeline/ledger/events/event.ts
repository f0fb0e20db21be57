import * as z from 'zod/mini';
import { annotated, described } from '../../words/described.ts';
import '../../words/zod-messages.ts';
import { DURATION } from '../../words/duration.ts';
import {
  ALERT_SCOPES,
  CATHEDRALS,
  CycleLabel,
  JURISDICTIONS,
  type Jurisdiction,
  POSITIONS,
  REGIMES,
  SEVERITIES,
  VIRTUES,
} from './vocabulary.ts';

/** Longest line of a ledger file, in bytes without its line end: a tile's entry bundle has 16-bit lengths. */
export const MAX_LINE_BYTES = 65_535;
/** Most levels of objects and arrays in each other in an event that is appended. Indented, a line of 30,000 levels takes gigabytes. */
export const MAX_DEPTH = 512;

// `description`, `unit` and `range` are metadata for docs/events.md, the published JSON Schemas and the pages. Checks ignore them.

/** `2025-12-01T06:00:00Z`, UTC, a fraction allowed; a real calendar date. */
export const Timestamp = annotated(z.iso.datetime({ offset: false, local: false }), {
  unit: 'ISO 8601 date-time',
  range: 'UTC with Z; a fraction of a second is allowed',
});
export const CalendarDate = z.iso.date();
/** What `Amount` accepts, for messages. */
export const AMOUNT =
  'an amount of 0 or more, written like "12.5" and not "012.5", with at most 15 digits before the point and 6 after it';
/** MIC as a decimal string with at most six places, `"12.5"`; never a float, so that sums are exact. */
export const Amount = annotated(z.string().check(z.regex(/^(0|[1-9]\d{0,14})(\.\d{1,6})?$/, AMOUNT)), {
  unit: 'MIC',
  range: 'decimal text: at most 15 digits, then at most 6 places',
});
/**
 * A name of an agent, a sentinel or a deliberation. Names become CSV cells, so they must not begin like a spreadsheet formula or contain
 * control characters, at which some readers end a text. They also become member names, so `__proto__` is excluded.
 */
export const Id = annotated(
  z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(200),
      z.regex(
        /^(?![=+\-@]|__proto__$)[^\p{Cc}\p{Cs}]*$/u,
        'a name other than __proto__, of well-formed Unicode without control characters, that begins with none of = + - @',
      ),
    ),
  {
    unit: 'id',
    range: '1 to 200 characters',
    // The same rule without lookahead and \p, which some languages lack, and without `$`, which in some also matches before a line end.
    pattern: '^[^=+\\-@]',
    not: { anyOf: [{ const: '__proto__' }, { type: 'string', pattern: '[\\x00-\\x1f\\x7f-\\x9f]' }] },
  },
);
/** Whether a schema is `kind`, described for one member: a description makes a copy with the same definition. */
export function isKind(schema: z.ZodMiniType, kind: z.ZodMiniType): boolean {
  return schema.def === kind.def;
}

const SnakeToken = annotated(
  z.string().check(z.regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/, 'a snake_case token')),
  { unit: 'snake_case token' },
);
/** An escape can produce half of a surrogate pair, which has no UTF-8 encoding, so no file could hold it. */
const Text = annotated(z.string().check(z.maxLength(20_000), z.regex(/^\P{Cs}*$/u, 'well-formed Unicode')), {
  range: 'at most 20,000 characters',
});
const Share = annotated(z.number().check(z.gte(0), z.lte(1)), { unit: 'share', range: '0–1' });
const Count = annotated(z.int().check(z.gte(0)), { unit: 'count', range: '≥ 0' });
/** More than the formula gives for any counts; sums of far greater ones would be infinite. */
const MOST_POINTS = 1e18;
const Points = annotated(z.number().check(z.gte(0), z.lte(MOST_POINTS)), {
  unit: 'points',
  range: '0 to 10^18',
});
/** The range of M_c in the reward formula. */
export const Multiplier = annotated(z.number().check(z.gte(1), z.lte(2)), { unit: 'factor', range: '1–2' });

export const Cathedral = z.enum(CATHEDRALS);
export type Cathedral = z.infer<typeof Cathedral>;

const AuditStatus = annotated(SnakeToken, {
  range:
    'compliant, compatible, utility_token, high_risk_compliant, under_review, non_compliant; another counts as under_review',
});

const release = (what: string) => ({
  name: described(Id, `Name of the ${what}`),
  version: described(Text.check(z.minLength(1), z.maxLength(100)), 'Its version', {
    range: '1 to 100 characters',
  }),
  status: described(SnakeToken, 'Its status, such as active or beta'),
});

/** The schema of an event's data. `records`: what the event says; `effect`: what follows from it. */
function dataOf<Shape extends z.core.$ZodShape>(records: string, effect: string, members: Shape) {
  return described(z.looseObject(members), records, { effect });
}

/**
 * Schemas of `data` by event type. Unknown members are kept and ignored: a ledger cannot be rewritten, so a writer that adds a member
 * must not block publication.
 */
export const EVENT_DATA = {
  genesis: dataOf(
    'The founding of the ledger, and its first event.',
    'Sets the initial supply and the multipliers. The allocation counts as supply, but not as a mint.',
    {
      allocation: described(Amount, 'MIC that exist before the first mint'),
      multipliers: described(
        z.partialRecord(Cathedral, Multiplier),
        'Multiplier M_c of each cathedral, by its name; 1 for one without a member',
        { unit: 'factor', range: '1–2 each' },
      ),
      charter: z.optional(described(Text, 'The rules that the ledger was founded on')),
    },
  ),
  cycle_opened: dataOf(
    'The beginning of a cycle, at 00:00 UTC.',
    'None beyond the count: the member cycle of each event says which cycle it belongs to.',
    {},
  ),
  sentinel_registered: dataOf(
    'A sentinel joins, returns or moves to another cathedral.',
    'The sentinel is active from now on, and its uptime starts; it is published from the first heartbeat on. It keeps the scores and the MIC that it already has.',
    {
      sentinel: described(Id, 'Id of the sentinel'),
      cathedral: described(Cathedral, 'Cathedral that it belongs to from now on'),
      role: z.optional(described(Text, 'What it does')),
    },
  ),
  sentinel_retired: dataOf(
    'A sentinel leaves.',
    'It is no longer active: it stays listed as retired, and means over active sentinels leave it out.',
    {
      sentinel: described(Id, 'Id of the sentinel'),
      reason: z.optional(described(Text, 'Why it leaves')),
    },
  ),
  heartbeat: dataOf(
    'The sentinel that the event names as its agent is up.',
    'Ends a silence. Before its first heartbeat, a sentinel is neither up nor offline. More than 12 hours without a heartbeat count as degraded, more than 24 as offline; the heartbeat that ends 24 hours of silence starts the uptime again.',
    {},
  ),
  attestation: dataOf(
    'The work of the sentinel that the event names as its agent, and its score.',
    'Sets the coordination score and the general integrity score of the sentinel, and counts in the means of the last 30 days.',
    {
      apps: described(Count, 'Number of apps'),
      packages: described(Count, 'Number of packages'),
      workflows: described(Count, 'Number of workflows'),
      drift: described(
        z.number().check(z.gte(0), z.lte(10)),
        'Drift from its reference behaviour; 0 is none',
        { unit: 'points', range: '0–10' },
      ),
      uptime_days: described(
        z.number().check(z.gte(0)),
        'Time since registration or since its last outage ended',
        { unit: 'days', range: '≥ 0; less than 1 counts as 1' },
      ),
      gi_score: described(Share, 'General integrity score'),
      score: described(Points, 'Coordination score, which follows from the other members to within 0.0001', {
        formula: 'score = (0.4×apps + 0.3×packages + 0.2×workflows + 0.1×(10-drift)) × (1 + log(uptime))',
      }),
    },
  ),
  mic_mint: dataOf(
    'A reward is minted for a sentinel.',
    'Adds the amount to the supply, and to the rewards of the sentinel and of its cathedral. It counts in justice for 30 days.',
    {
      sentinel: described(Id, 'Sentinel that is rewarded'),
      cathedral: described(Cathedral, 'Its cathedral'),
      coordination_score: described(Points, 'Coordination score s that the reward is for'),
      multiplier: described(Multiplier, 'Multiplier M_c of the cathedral at this moment'),
      amount: described(Amount, 'The reward, to within 0.000001 MIC of the formula', {
        formula: 'R = L ÷ (1 + e^(−k·(s − x0))) × M_c, L = 1000, k = 0.05, x0 = 50',
      }),
    },
  ),
  mic_burn: dataOf(
    'Circulating MIC are burned.',
    'Moves the amount from circulating to burned. The total supply stays.',
    {
      amount: described(Amount, 'MIC that are burned'),
      reason: described(SnakeToken, 'Why they are burned'),
    },
  ),
  mic_lock: dataOf(
    'Circulating MIC are locked in a contract.',
    'Moves the amount from circulating to locked. The total supply stays.',
    {
      amount: described(Amount, 'MIC that are locked'),
      contract: described(Id, 'Contract that holds them from now on'),
    },
  ),
  mic_unlock: dataOf(
    'A contract returns MIC.',
    'Moves the amount from locked to circulating. The total supply stays.',
    {
      amount: described(Amount, 'MIC that are returned'),
      contract: described(Id, 'Contract that held them'),
    },
  ),
  multiplier_set: dataOf(
    'The multiplier of a cathedral is set.',
    'Every later mint of the cathedral uses the new multiplier.',
    {
      cathedral: described(Cathedral, 'Cathedral whose multiplier is set'),
      multiplier: described(Multiplier, 'Its new multiplier M_c'),
      reason: described(SnakeToken, 'Why it is set'),
    },
  ),
  mii_reading: dataOf(
    'A reading of the integrity index.',
    'Sets the index, which is also the score of integrity. Minting is active while it is at or above the threshold.',
    { mii: described(Share, 'The integrity index') },
  ),
  deliberation_opened: dataOf(
    'A deliberation begins.',
    'The deliberation is open, and sentinels can take positions.',
    {
      deliberation: described(Id, 'Id of the deliberation; that of one that is closed may be used again'),
      topic: described(Text, 'The question'),
    },
  ),
  position_taken: dataOf(
    'The sentinel that the event names as its agent takes a position.',
    'Replaces its earlier position in this deliberation. One that opposes or abstains counts in courage for 30 days.',
    {
      deliberation: described(Id, 'Id of an open deliberation'),
      position: described(z.enum(POSITIONS), 'The position'),
      reasoning: described(
        Text,
        'The reasons; empty if the sentinel gives none, which lowers the score of courage once the ledger has given any',
      ),
      virtue_tags: described(z.array(z.enum(VIRTUES)), 'Virtues that the reasons appeal to; may be empty', {
        range: VIRTUES.join(', '),
      }),
    },
  ),
  deliberation_closed: dataOf(
    'A deliberation ends.',
    'The deliberation is closed, and counts for 30 days in the consensus rate and in temperance. One that is opened again with its id counts for each closing.',
    {
      deliberation: described(Id, 'Id of an open deliberation'),
      consensus: described(z.enum(['reached', 'not_reached']), 'Whether there is a consensus'),
      outcome: described(Text, 'What it led to'),
    },
  ),
  decision_recorded: dataOf(
    'A decision.',
    'Is published with all decisions, and counts for 30 days in prudence and in the adherence to principles. One that is recorded again with its id counts once, as the newest event says; pages, the report and feeds mark the earlier one as replaced.',
    {
      decision: described(Id, 'Id of the decision; a later event with the same id corrects it'),
      topic: described(Text, 'What is decided on'),
      frameworks_applied: described(z.array(Text), 'Frameworks that the decision is based on; may be empty'),
      sentinels_involved: described(z.array(Id), 'Sentinels that took part, by their ids; may be empty'),
      reasoning: described(Text, 'Why it is decided in this way'),
      outcome: described(Text, 'What is decided'),
      lessons_learned: described(
        Text,
        'What was learned; empty if nothing was recorded, which lowers the score of prudence once the ledger has recorded any',
      ),
      deliberation: z.optional(described(Id, 'Id of the deliberation that it follows from')),
    },
  ),
  compliance_audited: described(
    z.discriminatedUnion('jurisdiction', [
      audited('USA'),
      audited('EU'),
      audited('UK'),
      audited('International'),
    ]),
    'The result of an audit in one jurisdiction.',
    {
      effect:
        'Replaces the statuses of the jurisdiction, and ends the announcement of an audit that was scheduled for this day or earlier.',
    },
  ),
  audit_scheduled: dataOf(
    'The next audit of a jurisdiction is announced.',
    'Replaces the announcement of the jurisdiction, until an audit on that day or later.',
    {
      jurisdiction: described(z.enum(JURISDICTIONS), 'Jurisdiction that is to be audited'),
      date: described(CalendarDate, 'Day of the audit', { unit: 'YYYY-MM-DD' }),
    },
  ),
  policy_projected: dataOf(
    'A projection of the impact of a policy.',
    'Replaces the earlier projection of the policy, and counts in prudence for 30 days.',
    {
      policy: described(Text, 'The policy; its text identifies it'),
      economic_impact: described(
        z.looseObject({
          debt_reduction_annual: described(Text, 'Expected reduction of debt in a year'),
          gdp_impact: described(Text, 'Expected change of the gross domestic product'),
          job_creation: described(Text, 'Jobs that it is expected to create'),
        }),
        'What it is expected to change in the economy, in words or figures',
      ),
      social_impact: described(
        z.looseObject({
          access_improvement: described(Text, 'What becomes easier to reach, and for whom'),
          equity_impact: described(Text, 'Whom it favours'),
          transparency: described(Text, 'What it makes public'),
        }),
        'What it is expected to change in society, in words or figures',
      ),
      risks: described(
        z.array(
          z.looseObject({
            risk: described(Text, 'What may go wrong'),
            severity: described(Text, 'Severity if it happens'),
            mitigation: described(
              Text,
              'What limits it; empty if nothing does, which lowers the score of prudence once the ledger has stated any',
            ),
          }),
        ),
        'Risks; may be empty',
      ),
      timeline: described(Text, 'What happens when'),
    },
  ),
  alert_raised: dataOf(
    'An alert is raised.',
    'The alert is open until it is cleared, and counts in the health of the system.',
    {
      alert: described(Id, 'Id of the alert; one that is already raised is replaced'),
      severity: described(
        z.enum(SEVERITIES),
        'A warning makes the system degraded, a critical alert makes it critical',
      ),
      scope: described(z.enum(ALERT_SCOPES), 'What it concerns'),
      message: described(Text, 'What is wrong, for people; it is public'),
      sentinel: z.optional(described(Id, 'Id of the sentinel that it concerns')),
    },
  ),
  alert_cleared: dataOf('An alert is cleared.', 'Removes the alert from the open ones.', {
    alert: described(Id, 'Id of an open alert'),
  }),
  app_registered: dataOf(
    'An app, or a new version of it.',
    'Replaces what was registered under the name. The number of apps is published.',
    release('app'),
  ),
  package_registered: dataOf(
    'A package, or a new version of it.',
    'Replaces what was registered under the name. The number of packages is published.',
    release('package'),
  ),
  companion_attested: dataOf(
    'A companion attestation is registered.',
    'The attestation is active until it expires or is revoked. If it renews another one, that one is superseded.',
    {
      attestation: described(Id, 'Id of the document: the SHA-256 of its canonical bytes', {
        range: '64 hex digits',
      }),
      companion: described(Id, 'Companion that signed it, attested_by of the document'),
      ledger_id: described(z.guid(), 'The entity that requests authority, as in the document', {
        unit: 'UUID of any version',
      }),
      scope: described(z.array(Id).check(z.minLength(1)), 'The permissions requested, as in the document', {
        range: 'at least one',
      }),
      risk_level: described(z.enum(['low', 'medium', 'high', 'critical']), 'The risk, as in the document'),
      expires_at: described(Timestamp, 'When it expires; at most 90 days after the event'),
      drift_threshold: z.optional(
        described(Share, 'Drift score at or above which it is revoked; absent if drift is not monitored'),
      ),
      check_interval: z.optional(
        described(
          z.string().check(z.regex(DURATION, 'an ISO 8601 duration like P1D')),
          'How often drift is to be checked; P1D if absent',
          { unit: 'ISO 8601 duration' },
        ),
      ),
      previous_attestation: z.optional(
        described(Id, 'The attestation that this one renews, by its id or its UUID'),
      ),
      document: z.optional(described(z.looseObject({}), 'The document as signed, if the ledger received it')),
    },
  ),
  companion_drift: dataOf(
    'The drift of an attested companion is checked.',
    'Sets the drift score. At or above drift_threshold it revokes the attestation.',
    {
      attestation: described(Id, 'Id or UUID of the attestation'),
      score: described(Share, 'The drift score; 0 is none'),
    },
  ),
  companion_revoked: dataOf(
    'A companion attestation is revoked.',
    'Ends the attestation for good, even if the revocation comes before the attestation itself.',
    {
      attestation: described(Id, 'Id or UUID of the attestation'),
      reason: described(Text, 'Why; it is public'),
    },
  ),
} as const;

export type KnownType = keyof typeof EVENT_DATA;
export const KNOWN_TYPES = Object.keys(EVENT_DATA) as KnownType[];

export function isKnownType(type: string): type is KnownType {
  return Object.hasOwn(EVENT_DATA, type);
}

function audited<J extends Jurisdiction>(jurisdiction: J) {
  return z.looseObject({
    jurisdiction: described(z.literal(jurisdiction), 'Jurisdiction that was audited', {
      range: jurisdiction,
    }),
    statuses: described(
      regimeStatuses(jurisdiction),
      'Status under each regime of the jurisdiction, all of them',
    ),
  });
}

function regimeStatuses<J extends Jurisdiction>(jurisdiction: J) {
  const names = REGIMES[jurisdiction] as readonly (typeof REGIMES)[J][number][];
  const statusOf = (name: string) =>
    described(
      AuditStatus,
      `Status under ${name.replaceAll('_', ' ')}, if the jurisdiction is ${jurisdiction}`,
    );
  return z.looseObject(
    Object.fromEntries(names.map((name) => [name, statusOf(name)])) as Record<
      (typeof names)[number],
      typeof SnakeToken
    >,
  );
}

/** The members of every event. A line holds exactly these; `data` is validated by type. */
export const Envelope = z.strictObject({
  seq: described(z.int().check(z.gte(0)), 'Number of the event: 0 for the first, then one more each time', {
    range: '≥ 0',
  }),
  timestamp: described(Timestamp, 'When it happened; never before the previous event'),
  cycle: described(CycleLabel, 'The cycle: C- and the days since 2025-07-03', { unit: 'C-<number>' }),
  type: described(SnakeToken.check(z.maxLength(100)), 'What happened, by the name of a type'),
  agent: described(Id, 'Who reports it: a sentinel, or an institution such as TREASURY'),
  data: described(z.record(z.string(), z.unknown()), 'The members of the type'),
  salt: described(
    z.string().check(z.regex(/^[A-Za-z0-9_-]{21}[AQgw]$/, '16 random bytes in base64url')),
    'New random bytes, so that nobody can guess an event from its hash',
    { unit: '16 bytes in base64url, without padding' },
  ),
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
