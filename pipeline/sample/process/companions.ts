import { DAY_MS, HOUR_MS } from '../../model/window.ts';
import { type Draft, draft } from '../agenda.ts';
import { Random } from '../random.ts';
import type { Process, World } from '../world.ts';

const COMPANIONS = ['LANTERN', 'TALLY', 'COMPASS'] as const;
const SCOPES = [
  { scope: ['ledger.read.export'], risk: 'low' },
  { scope: ['ledger.read.export', 'audit.trail.annotate'], risk: 'medium' },
  { scope: ['consultation.comment.publish'], risk: 'medium' },
  { scope: ['grants.application.submit', 'grants.application.withdraw'], risk: 'medium' },
  { scope: ['treasury.transfer.propose'], risk: 'high' },
] as const;
const REASONS = [
  'The holder has withdrawn the grant.',
  'The task that it was given for is done.',
  'The wallet behind it has changed hands.',
];
const FIRST_DAYS = [1, 4] as const;
const EVERY_DAYS = [11, 29] as const;
const LENGTH_DAYS = [21, 89] as const;
const THRESHOLD = 0.1;
const MONITORED = 0.7;
const REVOKED = 0.3;
const RENEWED = 0.5;
/** A monitored grant's drift, and how far it moves from one day to the next. */
const FIRST_DRIFT = [0.01, 0.04] as const;
const DRIFT_STEP = 0.0085;

/** A grant of authority to a companion. */
interface Grant {
  attestation: string;
  companion: string;
  ledger_id: string;
  kind: (typeof SCOPES)[number];
  expiresAt: number;
  drift: number | null;
}

/** Companion attestations: given, watched daily for drift, renewed, revoked by hand or by their drift. */
export function companions(world: World): Process {
  const random = new Random(world.seed, 'companions');
  let next = world.genesis + random.between(...FIRST_DAYS) * DAY_MS;
  return ({ end }) => {
    if (next >= end) return;
    world.agenda.add(next, (at) => attest(world, random, newGrant(random, at), undefined, at));
    next += random.between(...EVERY_DAYS) * DAY_MS;
  };
}

function newGrant(random: Random, at: number): Grant {
  return {
    attestation: random.hex(64),
    companion: random.pick(COMPANIONS),
    ledger_id: random.uuid(),
    kind: random.pick(SCOPES),
    expiresAt: at + Math.floor(random.between(...LENGTH_DAYS)) * DAY_MS,
    drift: random.chance(MONITORED) ? random.between(...FIRST_DRIFT) : null,
  };
}

function attest(world: World, random: Random, grant: Grant, previous: string | undefined, at: number): Draft {
  world.facts.companions.add(grant.attestation);
  if (previous !== undefined) world.facts.companions.delete(previous);
  if (grant.drift !== null) watch(world, random, grant, at);
  planEnd(world, random, grant, at);
  return draft('companion_attested', 'REGISTRY', {
    attestation: grant.attestation,
    companion: grant.companion,
    ledger_id: grant.ledger_id,
    scope: [...grant.kind.scope],
    risk_level: grant.kind.risk,
    expires_at: `${new Date(grant.expiresAt).toISOString().slice(0, 19)}Z`,
    ...(grant.drift === null ? {} : { drift_threshold: THRESHOLD }),
    ...(previous === undefined ? {} : { previous_attestation: previous }),
  });
}

/** Checks it a day later, and then again, until it ends. A score that reaches the threshold ends it: the fold revokes. */
function watch(world: World, random: Random, grant: Grant, at: number): void {
  const next = at + DAY_MS;
  if (next >= grant.expiresAt) return;
  world.agenda.add(next, (now) => {
    if (!world.facts.companions.has(grant.attestation)) return null;
    grant.drift = Math.max(0, grant.drift! + random.bell() * DRIFT_STEP);
    const score = Math.round(grant.drift * 1e4) / 1e4;
    if (score >= THRESHOLD) world.facts.companions.delete(grant.attestation);
    else watch(world, random, grant, now);
    return draft('companion_drift', grant.companion, { attestation: grant.attestation, score });
  });
}

function planEnd(world: World, random: Random, grant: Grant, at: number): void {
  const { attestation, expiresAt } = grant;
  if (random.chance(REVOKED)) {
    const reason = random.pick(REASONS);
    world.agenda.add(at + random.between(0.15, 0.9) * (expiresAt - at), () =>
      world.facts.companions.delete(attestation)
        ? draft('companion_revoked', 'REGISTRY', { attestation, reason })
        : null,
    );
  } else if (random.chance(RENEWED)) {
    world.agenda.add(expiresAt - random.between(3, 40) * HOUR_MS, (now) => {
      if (!world.facts.companions.has(attestation)) return null;
      const { companion, ledger_id, kind } = grant;
      return attest(
        world,
        random,
        { ...newGrant(random, now), companion, ledger_id, kind },
        attestation,
        now,
      );
    });
  }
}
