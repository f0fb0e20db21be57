import { HOUR_MS } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { DAY_MS } from '../../words/day.ts';
import { type Course, type Draft, draft } from '../agenda.ts';
import type { Figure, Policy } from '../texts.ts';
import { daysAfter, type World } from '../world.ts';

const FIRST_HOURS = [9, 20] as const;
const QUARTER_DAYS = [83, 97] as const;
/** Days between the second projections of two policies, so that they do not all come in one week. */
const STAGGER_DAYS = 13;

/** Policy projections: all of them in the first days, and a revision of each every quarter. */
export function projections(world: World): undefined {
  for (const [index, policy] of world.texts.policies.entries())
    world.agenda.follow(revisions(world, policy, index));
}

function* revisions({ seed, genesis }: World, policy: Policy, index: number): Course {
  const random = new Random(seed, 'projections', policy.policy);
  let now = yield genesis + random.between(...FIRST_HOURS) * HOUR_MS + Math.floor(index / 2) * DAY_MS;
  let days = (index + 2) * STAGGER_DAYS;
  for (let quarter = 0; ; quarter += 1) {
    const next = daysAfter(now, days) + random.between(8, 16) * HOUR_MS;
    yield project(policy, quarter, random);
    now = yield next;
    days = random.whole(...QUARTER_DAYS);
  }
}

function project(policy: Policy, quarter: number, random: Random): Draft {
  const estimate = (figure: Figure) => figure.text.replace('{n}', formatFigure(figure, quarter, random));
  return draft('policy_projected', 'POLICY', {
    policy: policy.policy,
    economic_impact: {
      debt_reduction_annual: estimate(policy.debt),
      gdp_impact: estimate(policy.gdp),
      job_creation: estimate(policy.jobs),
    },
    social_impact: {
      access_improvement: estimate(policy.access),
      equity_impact: policy.equity,
      transparency: policy.transparency,
    },
    risks: policy.risks,
    timeline: policy.timeline,
  });
}

/** Growth slows down with each quarter. The figure never falls below a fourth of the first one. */
function formatFigure(
  { first, per_quarter, error, places }: Figure,
  quarter: number,
  random: Random,
): string {
  const grown = first + (per_quarter * quarter * 8) / (8 + quarter);
  const value = Math.max(first / 4, grown + random.bell() * error);
  return value.toFixed(places);
}
