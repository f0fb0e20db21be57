import { DEMO_LEDGER_IDS, demoCompanionKeys } from '../../attestation/demo-companions.ts';
import type { SigningKey } from '../../attestation/sign-attestation.ts';
import { DAY_MS, HOUR_MS } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { durationSeconds } from '../../words/duration.ts';
import { type Draft, draft } from '../agenda.ts';
import { REQUESTS, type Request } from '../prose/requests.ts';
import { formatSecond, signRequest } from '../signed-request.ts';
import type { Process, World } from '../world.ts';

const REASONS = [
  'The holder has withdrawn the grant.',
  'The task that it was given for is done.',
  'The wallet behind it has changed hands.',
];
const FIRST_DAYS = [1, 4] as const;
const EVERY_DAYS = [11, 29] as const;
const LENGTH_DAYS = [21, 89] as const;
/** Between the companion's signature and the ledger's event, s. */
const ON_ITS_WAY = [20, 240] as const;
const THRESHOLD = 0.1;
const MONITORED = 0.7;
const INTERVALS = ['P1D', 'P1D', 'P1D', 'PT12H', 'P7D'] as const;
/** How often a check is left out, by companion. */
const MISSED: Readonly<Record<string, number>> = { LANTERN: 0.01, TALLY: 0.03, COMPASS: 0.45 };
const REVOKED = 0.3;
const RENEWED = 0.5;
/**
 * A grant that is renewed as long as there is one, and whose drift checks hardly ever come in time: as of nearly any moment one
 * is late, which readers and tests can count on.
 */
const STANDING = { companion: 'COMPASS', ledgerId: 5, request: 0, interval: 'PT6H', missed: 0.96, days: 80 };
/** It is to be renewed, and not revoked. */
const STANDING_DRIFT = 0.06;
/** A monitored grant's drift, and how far it moves from one day to the next. */
const FIRST_DRIFT = [0.01, 0.04] as const;
const DRIFT_STEP = 0.0085;

/** A grant of authority to a companion. */
interface Grant {
  key: SigningKey;
  ledger_id: string;
  request: Request;
  expiresAt: number;
  /** Null where it is not monitored. `missed`: how often a check is left out; `most`: what its drift does not go beyond. */
  watched: { drift: number; interval: string; missed: number; most: number } | null;
  /** Whether it is renewed for sure. */
  stands: boolean;
}

/** Companion attestations: given, watched for drift, renewed, revoked by hand or by their drift. */
export function companions(world: World): Process {
  const random = new Random(world.seed, 'companions');
  const keys = demoCompanionKeys();
  let next = world.genesis + random.between(...FIRST_DAYS) * DAY_MS;
  const standing = new Random(world.seed, 'standing companion');
  const stands = (at: number) => attest(world, standing, standingGrant(standing, keys, at), null, at);
  world.agenda.add(world.genesis + standing.between(...FIRST_DAYS) * DAY_MS, stands);
  return ({ end }) => {
    if (next >= end) return;
    world.agenda.add(next, (at) => attest(world, random, newGrant(random, keys, at), null, at));
    next += random.between(...EVERY_DAYS) * DAY_MS;
  };
}

function newGrant(random: Random, keys: readonly SigningKey[], at: number): Grant {
  const key = random.pick(keys);
  return {
    key,
    ledger_id: random.pick(DEMO_LEDGER_IDS),
    request: random.pick(REQUESTS),
    expiresAt: at + Math.floor(random.between(...LENGTH_DAYS)) * DAY_MS,
    watched: random.chance(MONITORED)
      ? {
          drift: random.between(...FIRST_DRIFT),
          interval: random.pick(INTERVALS),
          missed: MISSED[key.companion]!,
          most: 1,
        }
      : null,
    stands: false,
  };
}

function standingGrant(random: Random, keys: readonly SigningKey[], at: number): Grant {
  const { companion, ledgerId, request, interval, missed, days } = STANDING;
  return {
    key: keys.find((key) => key.companion === companion)!,
    ledger_id: DEMO_LEDGER_IDS[ledgerId]!,
    request: REQUESTS[request]!,
    expiresAt: at + days * DAY_MS,
    watched: { drift: random.between(...FIRST_DRIFT), interval, missed, most: STANDING_DRIFT },
    stands: true,
  };
}

function attest(world: World, random: Random, grant: Grant, previous: string | null, at: number): Draft {
  const { key, ledger_id, request, expiresAt, watched } = grant;
  const monitored = watched && { threshold: THRESHOLD, check_interval: watched.interval };
  const attestedAt = at - random.whole(...ON_ITS_WAY) * 1000;
  const { id, document } = signRequest(
    { request, ledger_id, attestedAt, expiresAt, monitored, previous },
    key,
  );
  world.facts.companions.add(id);
  if (previous !== null) world.facts.companions.delete(previous);
  watch(world, random, grant, id, at);
  planEnd(world, random, grant, id, at);
  return draft('companion_attested', 'REGISTRY', {
    attestation: id,
    companion: key.companion,
    ledger_id,
    scope: [...request.scope],
    risk_level: request.risk,
    expires_at: formatSecond(expiresAt),
    ...(monitored && { drift_threshold: monitored.threshold, check_interval: monitored.check_interval }),
    ...(previous === null ? {} : { previous_attestation: previous }),
    document,
  });
}

/** Checks it when its interval is over, or late, until it ends. A score that reaches the threshold ends it: the fold revokes. */
function watch(world: World, random: Random, grant: Grant, id: string, at: number): void {
  const { key, watched, expiresAt } = grant;
  if (watched === null) return;
  const interval = durationSeconds(watched.interval) * 1000;
  let next = at + interval;
  while (random.chance(watched.missed)) next += interval;
  if (next >= expiresAt) return;
  world.agenda.add(next, (now) => {
    if (!world.facts.companions.has(id)) return null;
    watched.drift = Math.min(watched.most, Math.max(0, watched.drift + random.bell() * DRIFT_STEP));
    const score = Math.round(watched.drift * 1e4) / 1e4;
    if (score >= THRESHOLD) world.facts.companions.delete(id);
    else watch(world, random, grant, id, now);
    return draft('companion_drift', key.companion, { attestation: id, score });
  });
}

function planEnd(world: World, random: Random, grant: Grant, id: string, at: number): void {
  const { key, ledger_id, request, expiresAt, stands } = grant;
  if (!stands && random.chance(REVOKED)) {
    const reason = random.pick(REASONS);
    world.agenda.add(at + random.between(0.15, 0.9) * (expiresAt - at), () =>
      world.facts.companions.delete(id)
        ? draft('companion_revoked', 'REGISTRY', { attestation: id, reason })
        : null,
    );
  } else if (stands || random.chance(RENEWED)) {
    world.agenda.add(expiresAt - random.between(3, 40) * HOUR_MS, (now) => {
      if (!world.facts.companions.has(id)) return null;
      const renewed = stands ? standingGrant(random, [key], now) : newGrant(random, [key], now);
      return attest(world, random, { ...renewed, ledger_id, request }, id, now);
    });
  }
}
