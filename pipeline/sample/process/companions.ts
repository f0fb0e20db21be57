import { DEMO_LEDGER_IDS, demoCompanionKeys } from '../../attestation/demo-companions.ts';
import type { SigningKey } from '../../attestation/sign-attestation.ts';
import { HOUR_MS, timestampOf } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { DAY_MS } from '../../words/day.ts';
import { durationSeconds } from '../../words/duration.ts';
import { type Draft, draft } from '../agenda.ts';
import { signRequest } from '../signed-request.ts';
import type { CompanionRequest } from '../texts.ts';
import type { Plan, World } from '../world.ts';

const FIRST_DAYS = [1, 4] as const;
const EVERY_DAYS = [11, 29] as const;
const LENGTH_DAYS = [21, 89] as const;
/** Seconds from the companion's signature to the ledger's event. */
const DELAY_SECONDS = [20, 240] as const;
const THRESHOLD = 0.1;
/** Probabilities that a grant is monitored, revoked early, or otherwise renewed. */
const MONITORED = 0.7;
const REVOKED = 0.3;
const RENEWED = 0.5;
const INTERVALS = ['P1D', 'P1D', 'P1D', 'PT12H', 'P7D'] as const;
/** Probability that a companion skips a check. */
const SKIPPED: Readonly<Record<string, number>> = { LANTERN: 0.01, TALLY: 0.03, COMPASS: 0.45 };
/**
 * A grant that is always renewed and hardly ever checked in time, so that at nearly any moment one check is late. Readers
 * and tests rely on it.
 */
const PERMANENT = {
  companion: 'COMPASS',
  ledgerId: 5,
  request: 0,
  interval: 'PT6H',
  skipped: 0.96,
  days: 80,
};
/** Below the threshold, so that drift never revokes the permanent grant. */
const PERMANENT_DRIFT = 0.06;
/** Initial drift of a monitored grant, and its standard deviation from one check to the next. */
const FIRST_DRIFT = [0.01, 0.04] as const;
const DRIFT_STEP = 0.0085;

/** A grant of authority to a companion. */
interface Grant {
  key: SigningKey;
  ledger_id: string;
  request: CompanionRequest;
  expiresAt: number;
  /** Null if it is not monitored. `skipped`: probability that a check is skipped; `most`: upper bound of its drift. */
  monitoring: { drift: number; interval: string; skipped: number; most: number } | null;
  /** Whether it is always renewed and never revoked. */
  isPermanent: boolean;
}

/** Companion attestations: granted, checked for drift, renewed, and revoked by their holder or by their drift. */
export function companions(world: World): Plan {
  const random = new Random(world.seed, 'companions');
  const keys = demoCompanionKeys();
  let next = world.genesis + random.between(...FIRST_DAYS) * DAY_MS;
  const permanent = new Random(world.seed, 'standing companion');
  world.agenda.add(world.genesis + permanent.between(...FIRST_DAYS) * DAY_MS, (at) =>
    attest(world, permanent, permanentGrant(world, permanent, keys, at), null, at),
  );
  return ({ end }) => {
    if (next >= end) return;
    world.agenda.add(next, (at) => attest(world, random, newGrant(world, random, keys, at), null, at));
    next += random.between(...EVERY_DAYS) * DAY_MS;
  };
}

function newGrant({ texts }: World, random: Random, keys: readonly SigningKey[], at: number): Grant {
  const key = random.pick(keys);
  return {
    key,
    ledger_id: random.pick(DEMO_LEDGER_IDS),
    request: random.pick(texts.requests),
    expiresAt: at + Math.floor(random.between(...LENGTH_DAYS)) * DAY_MS,
    monitoring: random.chance(MONITORED)
      ? {
          drift: random.between(...FIRST_DRIFT),
          interval: random.pick(INTERVALS),
          skipped: SKIPPED[key.companion]!,
          most: 1,
        }
      : null,
    isPermanent: false,
  };
}

function permanentGrant({ texts }: World, random: Random, keys: readonly SigningKey[], at: number): Grant {
  const { companion, ledgerId, request, interval, skipped, days } = PERMANENT;
  return {
    key: keys.find((key) => key.companion === companion)!,
    ledger_id: DEMO_LEDGER_IDS[ledgerId]!,
    request: texts.requests[request]!,
    expiresAt: at + days * DAY_MS,
    monitoring: { drift: random.between(...FIRST_DRIFT), interval, skipped, most: PERMANENT_DRIFT },
    isPermanent: true,
  };
}

function attest(world: World, random: Random, grant: Grant, previous: string | null, at: number): Draft {
  const { key, ledger_id, request, expiresAt, monitoring } = grant;
  const monitored = monitoring && { threshold: THRESHOLD, check_interval: monitoring.interval };
  const attestedAt = at - random.whole(...DELAY_SECONDS) * 1000;
  const { id, document } = signRequest(
    { request, ledger_id, attestedAt, expiresAt, monitored, previous },
    key,
  );
  world.facts.companions.add(id);
  if (previous !== null) world.facts.companions.delete(previous);
  scheduleCheck(world, random, grant, id, at);
  scheduleEnd(world, random, grant, id, at);
  return draft('companion_attested', 'REGISTRY', {
    attestation: id,
    companion: key.companion,
    ledger_id,
    scope: [...request.scope],
    risk_level: request.risk_level,
    expires_at: timestampOf(expiresAt),
    ...(monitored && { drift_threshold: monitored.threshold, check_interval: monitored.check_interval }),
    ...(previous === null ? {} : { previous_attestation: previous }),
    document,
  });
}

/** Schedules its drift checks until it ends. The fold revokes it when a score reaches the threshold. */
function scheduleCheck(world: World, random: Random, grant: Grant, id: string, at: number): void {
  const { key, monitoring, expiresAt } = grant;
  if (monitoring === null) return;
  const interval = durationSeconds(monitoring.interval) * 1000;
  let next = at + interval;
  while (random.chance(monitoring.skipped)) next += interval;
  if (next >= expiresAt) return;
  world.agenda.add(next, (now) => {
    if (!world.facts.companions.has(id)) return null;
    monitoring.drift = Math.min(monitoring.most, Math.max(0, monitoring.drift + random.bell() * DRIFT_STEP));
    const score = Math.round(monitoring.drift * 1e4) / 1e4;
    if (score >= THRESHOLD) world.facts.companions.delete(id);
    else scheduleCheck(world, random, grant, id, now);
    return draft('companion_drift', key.companion, { attestation: id, score });
  });
}

function scheduleEnd(world: World, random: Random, grant: Grant, id: string, at: number): void {
  const { key, ledger_id, request, expiresAt, isPermanent } = grant;
  if (!isPermanent && random.chance(REVOKED)) {
    const reason = random.pick(world.texts.reasons.revocation);
    world.agenda.add(at + random.between(0.15, 0.9) * (expiresAt - at), () =>
      world.facts.companions.delete(id)
        ? draft('companion_revoked', 'REGISTRY', { attestation: id, reason })
        : null,
    );
  } else if (isPermanent || random.chance(RENEWED)) {
    world.agenda.add(expiresAt - random.between(3, 40) * HOUR_MS, (now) => {
      if (!world.facts.companions.has(id)) return null;
      const renewed = isPermanent
        ? permanentGrant(world, random, [key], now)
        : newGrant(world, random, [key], now);
      return attest(world, random, { ...renewed, ledger_id, request }, id, now);
    });
  }
}
