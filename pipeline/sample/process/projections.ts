import { HOUR_MS } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { DAY_MS } from '../../words/day.ts';
import { type Draft, draft } from '../agenda.ts';
import type { Figure, Policy } from '../texts.ts';
import type { Process, World } from '../world.ts';

const FIRST_HOURS = [9, 20] as const;
const QUARTER_DAYS = [83, 97] as const;
/** Days between the second projections of two policies, so that they do not all come in one week. */
const STAGGER_DAYS = 13;

/** Policy projections: all of them in the first days, and a revision of each every quarter. */
export function projections(world: World): Process {
  return ({ start }) => {
    if (start !== world.genesis) return;
    world.texts.policies.forEach((policy, index) => {
      const random = new Random(world.seed, 'projections', policy.policy);
      const at = world.genesis + random.between(...FIRST_HOURS) * HOUR_MS + Math.floor(index / 2) * DAY_MS;
      const second = (index + 2) * STAGGER_DAYS;
      world.agenda.add(at, (now) => project(world, policy, 0, second, random, now));
    });
  };
}

function project(
  world: World,
  policy: Policy,
  quarter: number,
  days: number,
  random: Random,
  at: number,
): Draft {
  const day = Math.floor(at / DAY_MS) + days;
  world.agenda.add(day * DAY_MS + random.between(8, 16) * HOUR_MS, (now) =>
    project(world, policy, quarter + 1, random.whole(...QUARTER_DAYS), random, now),
  );
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
    risks: policy.risks.map((risk) => ({ ...risk })),
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
