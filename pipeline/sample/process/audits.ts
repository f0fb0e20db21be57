import { JURISDICTIONS, type Jurisdiction } from '../../ledger/event.ts';
import { DAY_MS, HOUR_MS } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { type Draft, draft } from '../agenda.ts';
import { cycleNumber, formatDate } from '../calendar.ts';
import type { Process, World } from '../world.ts';

const STANDING = {
  USA: { SEC: 'utility_token', CFTC: 'compliant', Federal_Reserve_Act: 'compatible' },
  EU: { GDPR: 'compliant', AI_Act: 'high_risk_compliant', MiCA: 'utility_token' },
  UK: { FCA: 'compliant', Data_Protection_Act: 'compliant' },
  International: { Basel_III: 'compatible', FATF: 'compliant' },
} as const satisfies Record<Jurisdiction, Record<string, string>>;

/** What each regime asks for while it looks at something again. */
const QUESTIONS: Readonly<Record<string, string>> = {
  SEC: 'asks how the weekly sink is decided',
  CFTC: 'asks for the record of minting during the last pause',
  Federal_Reserve_Act: 'looks again at how settlement with partner ledgers is described',
  GDPR: 'asks for the register of what is kept back from the public files',
  AI_Act: 'asks for the log of human oversight of the companions',
  MiCA: 'compares the published supply with the white paper',
  FCA: 'asks how bonds of the sentinels are disclosed',
  Data_Protection_Act: 'asks how requests for deletion are answered',
  Basel_III: 'looks again at how locked MIC counts as a reserve',
  FATF: 'asks for the travel rule on transfers between treasuries',
};

/** Days after genesis of the second audits; the first are on the first day, the later ones a quarter apart. */
const SECOND_DAYS: Readonly<Record<Jurisdiction, number>> = { USA: 47, EU: 61, UK: 75, International: 89 };
const QUARTER_DAYS = [88, 94] as const;
const FOLLOW_UP_DAYS = [14, 27] as const;
const REVIEWED = 0.075;

/** Compliance audits of the four jurisdictions; the next one is always scheduled. */
export function audits(world: World): Process {
  return ({ start }) => {
    if (start !== world.genesis) return;
    JURISDICTIONS.forEach((jurisdiction, place) => {
      const random = new Random(world.seed, 'audits', jurisdiction);
      const at = world.genesis + (7.5 + place * 1.5 + random.share()) * HOUR_MS;
      world.agenda.add(at, (now) => {
        const next = SECOND_DAYS[jurisdiction];
        return audit(world, jurisdiction, random, [], now, Math.floor(now / DAY_MS) + next);
      });
    });
  };
}

/** One audit: what it finds and, at once, when the next one is. `nextDay` is set where that does not depend on it. */
function audit(
  world: World,
  jurisdiction: Jurisdiction,
  random: Random,
  open: readonly string[],
  at: number,
  nextDay?: number,
): Draft[] {
  const regimes = Object.keys(STANDING[jurisdiction]);
  // A follow-up settles what it came for, and the first day finds everything in order.
  const isRoutine = open.length === 0 && nextDay === undefined;
  const reviewed = isRoutine ? regimes.filter(() => random.chance(REVIEWED)) : [];
  const statuses = {
    ...STANDING[jurisdiction],
    ...Object.fromEntries(reviewed.map((one) => [one, 'under_review'])),
  };
  const [least, most] = reviewed.length > 0 ? FOLLOW_UP_DAYS : QUARTER_DAYS;
  const days = random.whole(least, most);
  const day = nextDay ?? Math.floor(at / DAY_MS) + days;
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
    draft('audit_scheduled', 'AUDIT', { jurisdiction, date: formatDate(day * DAY_MS) }),
    ...reviewed.map((regime, place) =>
      raise(world, alerts[place]!, jurisdiction, regime, formatDate(day * DAY_MS)),
    ),
  ];
}

function raise(world: World, alert: string, jurisdiction: string, regime: string, date: string): Draft {
  world.facts.alerts.add(alert);
  const name = regime.replaceAll('_', ' ');
  const message = `${name} (${jurisdiction}) ${QUESTIONS[regime]}. Follow-up on ${date}.`;
  return draft('alert_raised', 'AUDIT', { alert, severity: 'info', scope: 'compliance', message });
}
