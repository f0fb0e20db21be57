import * as z from 'zod/mini';
import { errorOf } from '../../errors.ts';
import { EVENT_DATA, isKnownType, type KnownType, type LedgerEvent } from '../events/event.ts';

const invalid = errorOf('log_invalid');

/** What happens to the events of a type: their lines are published, or only their hashes. */
export type Decision =
  | {
      public: true;
      /** The members of `data` that a published line may have. An event with any other member stays a hash. */
      members: readonly string[];
      reason: string;
    }
  | { public: false; reason: string };

/**
 * The version of the decisions below. It is part of the bundles’ addresses, so a bundle never changes at its address. Raise it, and
 * STATE_VERSION with it, whenever `public` or `members` of a type change; a test compares them with the version.
 */
export const PUBLIC_VERSION = 2;

/**
 * Which events are published as lines. A line can only be hashed whole, so with it go its time, its agent and its salt. A type is public if
 * a public file shows each member of its events, or if a public number is the sum of them: otherwise nobody could check that number.
 */
export const DECISIONS: Readonly<Record<KnownType, Decision>> = {
  genesis: {
    public: true,
    members: ['allocation', 'multipliers', 'charter'],
    reason:
      'The allocation is the first supply, cathedral-multipliers.csv shows the multipliers, and charter.json the charter.',
  },
  cycle_opened: { public: false, reason: 'It says nothing but its time; its number is public.' },
  sentinel_registered: { public: false, reason: 'No public file shows the role or the time.' },
  sentinel_retired: { public: false, reason: 'No public file shows the reason or the time.' },
  heartbeat: { public: false, reason: 'Public files show the last heartbeat of a sentinel, and not each.' },
  attestation: {
    public: false,
    reason: 'Public files show the last scores of a sentinel and daily means, and not what they follow from.',
  },
  mic_mint: {
    public: true,
    members: ['sentinel', 'cathedral', 'coordination_score', 'multiplier', 'amount'],
    reason: 'mic-history.csv shows each mint, and cathedral-multipliers.csv the multiplier at its time.',
  },
  mic_burn: {
    public: true,
    members: ['amount', 'reason'],
    reason: 'The published supply is the sum of all burns, and nobody could check it without each of them.',
  },
  mic_lock: {
    public: true,
    members: ['amount', 'contract'],
    reason: 'The published supply is the sum of all locks, and nobody could check it without each of them.',
  },
  mic_unlock: {
    public: true,
    members: ['amount', 'contract'],
    reason: 'The published supply is the sum of all locks, and nobody could check it without each of them.',
  },
  multiplier_set: {
    public: true,
    members: ['cathedral', 'multiplier', 'reason'],
    reason: 'cathedral-multipliers.csv shows each.',
  },
  mii_reading: { public: true, members: ['mii'], reason: 'mii-timeline.csv shows each.' },
  deliberation_opened: {
    public: true,
    members: ['deliberation', 'topic'],
    reason: 'deliberations.json and deliberation-archive.json show each.',
  },
  position_taken: {
    public: true,
    members: ['deliberation', 'position', 'reasoning', 'virtue_tags'],
    reason:
      'deliberations.json shows each until another replaces it, and deliberation-archive.json the last.',
  },
  deliberation_closed: {
    public: true,
    members: ['deliberation', 'consensus', 'outcome'],
    reason: 'deliberations.json and deliberation-archive.json show each.',
  },
  decision_recorded: {
    public: true,
    members: [
      'decision',
      'topic',
      'frameworks_applied',
      'sentinels_involved',
      'reasoning',
      'outcome',
      'lessons_learned',
      'deliberation',
    ],
    reason: 'decisions.json shows each. The deliberation that it follows from is public as well.',
  },
  compliance_audited: {
    public: false,
    reason: 'compliance-report.json is restricted; public files show the worst status of a jurisdiction.',
  },
  audit_scheduled: {
    public: true,
    members: ['jurisdiction', 'date'],
    reason: 'transparency.json shows each until the audit or another date.',
  },
  policy_projected: { public: false, reason: 'policy-impact.json is restricted.' },
  alert_raised: {
    public: true,
    members: ['alert', 'severity', 'scope', 'message', 'sentinel'],
    reason: 'sentinel-status.json shows each until it is cleared.',
  },
  alert_cleared: { public: false, reason: 'No public file shows when an alert was cleared.' },
  app_registered: {
    public: false,
    reason: 'dataset.json shows the last version of an app only.',
  },
  package_registered: {
    public: false,
    reason: 'dataset.json shows the last version of a package only.',
  },
  companion_attested: {
    public: false,
    reason:
      'companions.json shows an attestation until 90 days after it has expired, and never its document.',
  },
  companion_drift: { public: false, reason: 'companions.json shows the last score of an attestation only.' },
  companion_revoked: { public: false, reason: 'companions.json forgets the reason after 180 days.' },
};

/** Types that are not documented are never public. */
const UNKNOWN_TYPES: Decision = { public: false, reason: 'Nothing is known about its content.' };

export function decisionOf(type: string): Decision {
  return isKnownType(type) ? DECISIONS[type] : UNKNOWN_TYPES;
}

/** Whether the line of a checked event is published: its type is public, and it has no member that no public file shows. */
export function isPublic({ type, data }: Pick<LedgerEvent, 'type' | 'data'>): boolean {
  if (!isKnownType(type)) return false;
  const decision = DECISIONS[type];
  if (!decision.public) return false;
  return (
    Object.keys(data).every((member) => decision.members.includes(member)) &&
    isDescribed(EVENT_DATA[type], data)
  );
}

/** Whether a value that fits a schema has, at any depth, only members that the schema names. */
function isDescribed(schema: z.core.$ZodType, value: unknown): boolean {
  if (typeof value !== 'object') return true;
  if (schema instanceof z.ZodMiniOptional) return isDescribed(schema.def.innerType, value);
  if (schema instanceof z.ZodMiniUnion)
    return schema.def.options.some((one) => fits(one, value) && isDescribed(one, value));
  if (schema instanceof z.ZodMiniArray)
    return (value as unknown[]).every((item) => isDescribed(schema.def.element, item));
  if (schema instanceof z.ZodMiniRecord)
    return Object.entries(value as object).every(
      ([name, member]) => fits(schema.def.keyType, name) && isDescribed(schema.def.valueType, member),
    );
  if (schema instanceof z.ZodMiniObject)
    return Object.entries(value as object).every(
      ([name, member]) => Object.hasOwn(schema.shape, name) && isDescribed(schema.shape[name]!, member),
    );
  return false;
}

function fits(schema: z.core.$ZodType, value: unknown): boolean {
  return z.safeParse(schema, value).success;
}

const PublishedDecisions = z.strictObject({
  /** Version of the decisions, which the addresses of the bundles have: `public/v1/000`. */
  version: z.int().check(z.gte(1)),
  /** By event type; types that it does not name are not public. */
  types: z.record(
    z.string(),
    z.discriminatedUnion('public', [
      z.strictObject({ public: z.literal(true), members: z.array(z.string()), reason: z.string() }),
      z.strictObject({ public: z.literal(false), reason: z.string() }),
    ]),
  ),
});
export type PublishedDecisions = z.infer<typeof PublishedDecisions>;

/** Path below the log's address. */
export const POLICY_PATH = 'public/policy.json';
export const MAX_POLICY_BYTES = 65_536;

/** The table as it is published. */
export function formatPolicy(): string {
  return `${JSON.stringify({ version: PUBLIC_VERSION, types: DECISIONS }, null, 2)}\n`;
}

/** Throws log_invalid; `place` names the file. */
export function parsePolicy(text: string, place: string): PublishedDecisions {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw invalid(place, 'JSON', JSON.stringify(text.slice(0, 80)), cause);
  }
  const { data, error } = PublishedDecisions.safeParse(json);
  if (data) return data;
  const { path, message } = error.issues[0]!;
  throw invalid(place, 'the decisions about public events', `${path.join('.')}: ${message}`);
}
