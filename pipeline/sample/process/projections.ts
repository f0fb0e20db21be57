import { DAY_MS, HOUR_MS } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { type Draft, draft } from '../agenda.ts';
import { type Figure, POLICIES, type PolicyModel } from '../prose/policies.ts';
import type { Process, World } from '../world.ts';

const FIRST_HOURS = [9, 20] as const;
const QUARTER_DAYS = [83, 97] as const;
/** Days by which the second projections of two policies are apart: they do not all come in one week. */
const STAGGER_DAYS = 13;

/** Policy projections: the whole set in the first days, each again every quarter. */
export function projections(world: World): Process {
  return ({ start }) => {
    if (start !== world.genesis) return;
    POLICIES.forEach((model, place) => {
      const random = new Random(world.seed, 'projections', model.policy);
      const at = world.genesis + random.between(...FIRST_HOURS) * HOUR_MS + Math.floor(place / 2) * DAY_MS;
      const second = (place + 2) * STAGGER_DAYS;
      world.agenda.add(at, (now) => project(world, model, 0, second, random, now));
    });
  };
}

function project(
  world: World,
  model: PolicyModel,
  quarter: number,
  days: number,
  random: Random,
  at: number,
): Draft {
  const day = Math.floor(at / DAY_MS) + days;
  world.agenda.add(day * DAY_MS + random.between(8, 16) * HOUR_MS, (now) =>
    project(world, model, quarter + 1, random.whole(...QUARTER_DAYS), random, now),
  );
  const said = ([text, figure]: [string, Figure]) =>
    text.replace('{n}', formatFigure(figure, quarter, random));
  return draft('policy_projected', 'POLICY', {
    policy: model.policy,
    economic_impact: {
      debt_reduction_annual: said(model.debt),
      gdp_impact: said(model.gdp),
      job_creation: said(model.jobs),
    },
    social_impact: {
      access_improvement: said(model.access),
      equity_impact: model.equity,
      transparency: model.transparency,
    },
    risks: model.risks.map((risk) => ({ ...risk })),
    timeline: model.timeline,
  });
}

/** Projections grow more slowly as they go, and never leave the first one's sign. */
function formatFigure({ first, perQuarter, error, places }: Figure, quarter: number, random: Random): string {
  const grown = first + (perQuarter * quarter * 8) / (8 + quarter);
  const value = Math.max(first / 4, grown + random.bell() * error);
  return value.toFixed(places);
}
