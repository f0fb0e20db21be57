import { cycleNumber } from '../../ledger/events/slot.ts';
import { JURISDICTIONS, type Jurisdiction, REGIMES } from '../../ledger/events/vocabulary.ts';
import { dayOf, HOUR_MS, timestampOf } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { type Course, draft } from '../agenda.ts';
import { clear, raise } from '../alerts.ts';
import { daysAfter, type World } from '../world.ts';

const QUARTER_DAYS = [88, 94] as const;
const FOLLOW_UP_DAYS = [14, 27] as const;
/** Probability that a routine audit puts a regime under review. */
const REVIEWED = 0.075;

/** Compliance audits of the four jurisdictions. Each audit schedules the next one. */
export function audits(world: World): undefined {
  for (const [index, jurisdiction] of JURISDICTIONS.entries())
    world.agenda.follow(auditsOf(world, jurisdiction, 7.5 + index * 1.5));
}

function* auditsOf(world: World, jurisdiction: Jurisdiction, hours: number): Course {
  const random = new Random(world.seed, 'audits', jurisdiction);
  const regimes: readonly string[] = REGIMES[jurisdiction];
  const { statuses, second_day } = world.texts.audits[jurisdiction];
  let now = yield world.genesis + (hours + random.share()) * HOUR_MS;
  /** Alerts of earlier findings, which the audit follows up. */
  let open: string[] = [];
  for (let isFirst = true; ; isFirst = false) {
    // Follow-ups settle their findings, and the first audits find nothing.
    const isRoutine = open.length === 0 && !isFirst;
    const reviewed = isRoutine ? regimes.filter(() => random.chance(REVIEWED)) : [];
    const [least, most] = reviewed.length > 0 ? FOLLOW_UP_DAYS : QUARTER_DAYS;
    const days = random.whole(least, most);
    const day = daysAfter(now, isFirst ? second_day : days);
    const next = day + random.between(9, 16) * HOUR_MS;
    const date = dayOf(timestampOf(day));
    yield open.map((alert) => clear(world, alert));
    const found = Object.fromEntries(reviewed.map((one) => [one, 'under_review']));
    yield draft('compliance_audited', 'AUDIT', {
      jurisdiction,
      statuses: { ...statuses, ...found },
    } as never);
    yield draft('audit_scheduled', 'AUDIT', { jurisdiction, date });
    open = [];
    for (const regime of reviewed) {
      const alert = `review-${regime.toLowerCase().replaceAll('_', '-')}-${cycleNumber(now)}`;
      const asks = world.texts.reasons.review[regime];
      const message = `${regime.replaceAll('_', ' ')} (${jurisdiction}) ${asks}. Follow-up on ${date}.`;
      yield raise(world, 'AUDIT', { alert, severity: 'info', scope: 'compliance', message });
      open.push(alert);
    }
    now = yield next;
  }
}
