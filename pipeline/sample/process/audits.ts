import { cycleNumber } from '../../ledger/events/slot.ts';
import { JURISDICTIONS, type Jurisdiction, REGIMES } from '../../ledger/events/vocabulary.ts';
import { dayOf, HOUR_MS, timestampOf } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { DAY_MS } from '../../words/day.ts';
import { type Draft, draft } from '../agenda.ts';
import type { Process, World } from '../world.ts';

const QUARTER_DAYS = [88, 94] as const;
const FOLLOW_UP_DAYS = [14, 27] as const;
/** Probability that a routine audit puts a regime under review. */
const REVIEWED = 0.075;

type Regime = (typeof REGIMES)[Jurisdiction][number];

/** Compliance audits of the four jurisdictions. Each audit schedules the next one. */
export function audits(world: World): Process {
  return ({ start }) => {
    if (start !== world.genesis) return;
    JURISDICTIONS.forEach((jurisdiction, index) => {
      const random = new Random(world.seed, 'audits', jurisdiction);
      const at = world.genesis + (7.5 + index * 1.5 + random.share()) * HOUR_MS;
      world.agenda.add(at, (now) => {
        const next = world.texts.audits[jurisdiction].second_day;
        return audit(world, jurisdiction, random, [], now, Math.floor(now / DAY_MS) + next);
      });
    });
  };
}

/**
 * One audit, its findings and the date of the next one. `open` are alerts of earlier findings that it follows up;
 * `nextDay` is the Unix day of the next one, unless the findings determine it.
 */
function audit(
  world: World,
  jurisdiction: Jurisdiction,
  random: Random,
  open: readonly string[],
  at: number,
  nextDay?: number,
): Draft[] {
  const regimes: readonly Regime[] = REGIMES[jurisdiction];
  // Follow-ups settle their findings, and the first audits find nothing.
  const isRoutine = open.length === 0 && nextDay === undefined;
  const reviewed = isRoutine ? regimes.filter(() => random.chance(REVIEWED)) : [];
  const statuses = {
    ...world.texts.audits[jurisdiction].statuses,
    ...Object.fromEntries(reviewed.map((one) => [one, 'under_review'])),
  };
  const [least, most] = reviewed.length > 0 ? FOLLOW_UP_DAYS : QUARTER_DAYS;
  const days = random.whole(least, most);
  const day = nextDay ?? Math.floor(at / DAY_MS) + days;
  const date = dayOf(timestampOf(day * DAY_MS));
  const alerts = reviewed.map(
    (regime) => `review-${regime.toLowerCase().replaceAll('_', '-')}-${cycleNumber(at)}`,
  );
  world.agenda.add(day * DAY_MS + random.between(9, 16) * HOUR_MS, (now) =>
    audit(world, jurisdiction, random, alerts, now),
  );
  return [
    ...open
      .filter((alert) => world.facts.alerts.delete(alert))
      .map((alert) => draft('alert_cleared', 'WATCH', { alert })),
    draft('compliance_audited', 'AUDIT', { jurisdiction, statuses } as never),
    draft('audit_scheduled', 'AUDIT', { jurisdiction, date }),
    ...reviewed.map((regime, index) => raise(world, alerts[index]!, jurisdiction, regime, date)),
  ];
}

function raise(world: World, alert: string, jurisdiction: string, regime: Regime, date: string): Draft {
  world.facts.alerts.add(alert);
  const name = regime.replaceAll('_', ' ');
  const message = `${name} (${jurisdiction}) ${world.texts.reasons.review[regime]}. Follow-up on ${date}.`;
  return draft('alert_raised', 'AUDIT', { alert, severity: 'info', scope: 'compliance', message });
}
