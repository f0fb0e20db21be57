import { escapeXml } from '../../../pipeline/words/xml.ts';
import { labelOf } from '../../simulation/decisions.ts';
import { meanOpinion, POSITIONS_FROM } from '../../simulation/opinions.ts';
import { reasonOf } from '../../simulation/reasons.ts';
import type { Run } from '../../simulation/run.ts';
import type { World } from '../../simulation/world.ts';
import { make } from '../layout/make-element.ts';
import { STANCES, stanceOf, voteInWords } from './words.ts';

const { abstain, support_with_conditions, support } = POSITIONS_FROM;

/** The positions as parts of a scale, from against to for. `share`: of the width that a zone is drawn with, as PlayPage.css has it. */
export const ZONES = [
  { from: 0, to: abstain, label: 'Against', share: 0.3 },
  { from: abstain, to: support_with_conditions, label: 'Undecided', share: 0.22 },
  { from: support_with_conditions, to: support, label: 'Conditions', share: 0.24 },
  { from: support, to: 1, label: 'For', share: 0.24 },
] as const;

/**
 * Where an opinion is drawn, from 0 to 1. The zones near the thresholds are drawn wider than they are, because that is where
 * votes are won.
 */
export function zonePlace(opinion: number): number {
  let start = 0;
  for (const { from, to, share } of ZONES) {
    if (opinion <= to) return start + (share * (opinion - from)) / (to - from);
    start += share;
  }
  return 1;
}

/**
 * A row for each sentinel, which opens to what it says: a dot in the zone of its position, with a tail from where it was before.
 * `opened`: the ids of the rows that the reader has open.
 */
export function boardRows(before: World, now: World, opened: readonly string[]): HTMLElement[] {
  return now.sentinels.map(({ id, cathedral }, i) => {
    const stance = stanceOf(now, i);
    const track = make('span', { class: 'track', 'aria-hidden': 'true' });
    for (const [name, { conditions }] of Object.entries({ '--was': before, '--is': now }))
      track.style.setProperty(name, String(zonePlace(conditions.opinion[i]!)));
    const open = opened.includes(`row-${id}`) && '';
    return make(
      'details',
      { class: 'sentinel printed', id: `row-${id}`, 'data-position': stance, open },
      make(
        'summary',
        {},
        make('span', {}, id, make('span', { class: 'visually-hidden' }, ` is ${STANCES[stance]}`)),
        track,
      ),
      make('p', {}, `${reasonOf(now, i).reasoning} `, make('span', { class: 'muted' }, cathedral)),
    );
  });
}

const [LEFT, TOP, BASE, RIGHT] = [84, 24, 290, 86];
/** Between the names of two lines. */
const NAME = 14;
const MUTED = 'fill="var(--muted)"';

/**
 * The opinions over time as SVG, on the zones of the board: a line for each sentinel and a heavy one for their mean, named at their
 * ends; dotted lines for votes and triangles for the player’s choices.
 */
export function coursePicture(steps: readonly Run[], width: number): string {
  const { world, scenario, actions } = steps.at(-1)!;
  const right = width - RIGHT;
  const round = (value: number) => Math.round(value * 10) / 10;
  const x = (tick: number) => round(LEFT + (tick / scenario.horizon) * (right - LEFT));
  const y = (opinion: number) => round(BASE - zonePlace(opinion) * (BASE - TOP));
  const text = (left: number, top: number, words: string, look = MUTED) =>
    `<text x="${left}" y="${round(top)}" ${look}>${words}</text>`;
  const titled = (tick: number, words: string) => `<title>${escapeXml(`Day ${tick}: ${words}`)}</title>`;
  const zones = ZONES.map(({ from, to, label }, i) => {
    const ground = `<rect x="${LEFT}" y="${y(to)}" width="${right - LEFT}" height="${round(y(from) - y(to))}" fill="var(--panel)" fill-opacity="${1 - (i % 2)}"/>`;
    return ground + text(LEFT - 8, (y(from) + y(to)) / 2 + 4, label, `${MUTED} text-anchor="end"`);
  });
  const days = Array.from({ length: Math.floor(scenario.horizon / 10) + 1 }, (_, place) =>
    text(x(10 * place), BASE + 17, place === 0 ? 'Day 0' : `${10 * place}`, `${MUTED} text-anchor="middle"`),
  );
  const line = (read: (world: World) => number, look: string) =>
    `<path d="M${steps.map((step) => `${x(step.world.tick)} ${y(read(step.world))}`).join('L')}" fill="none" ${look}/>`;
  const votes = world.deliberation.votes.map(
    (vote) =>
      `<path d="M${x(vote.tick)} ${TOP}V${BASE}" stroke="var(--muted)" stroke-dasharray="2 3">${titled(vote.tick, voteInWords(vote))}</path>`,
  );
  const choices = actions.map(
    ({ tick, name }) =>
      `<path d="M${x(tick)} ${BASE - 9}l5 9h-10z" fill="var(--accent)">${titled(tick, labelOf(name, scenario))}</path>`,
  );
  const ends = world.sentinels
    .map(({ id }, i) => ({ name: id, at: y(world.conditions.opinion[i]!), look: 'fill="var(--ink)"' }))
    .concat({ name: 'Mean', at: y(meanOpinion(world)), look: 'fill="var(--accent)" font-weight="600"' })
    .sort((a, b) => a.at - b.at);
  // From above each is below the one before it, and from below none is under the ground.
  for (const [i, end] of ends.entries()) end.at = Math.max(end.at, (ends[i - 1]?.at ?? TOP - NAME) + NAME);
  for (let i = ends.length - 1; i >= 0; i -= 1)
    ends[i]!.at = Math.min(ends[i]!.at, (ends[i + 1]?.at ?? BASE + NAME) - NAME);
  const parts = [
    ...[...zones, ...days, ...votes],
    ...world.sentinels.map((_, i) =>
      line(({ conditions }) => conditions.opinion[i]!, 'stroke="var(--muted)" stroke-opacity="0.7"'),
    ),
    line(meanOpinion, 'stroke="var(--accent)" stroke-width="3"'),
    ...choices,
    ...ends.map(({ name, at, look }) => text(x(world.tick) + 6, at + 4, name, look)),
    text(LEFT, 14, 'Dotted: a vote. Triangle: your choice.'),
  ];
  return `<svg viewBox="0 0 ${width} ${BASE + 26}" width="${width}" height="${BASE + 26}" role="img" aria-labelledby="course-title" font-size="12">${parts.join('')}</svg>`;
}
