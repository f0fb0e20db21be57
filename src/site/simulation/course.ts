import { formatNumber } from '../../../pipeline/words/number.ts';
import { escapeXml } from '../../../pipeline/words/xml.ts';
import { labelOf } from '../../simulation/decisions.ts';
import { communityVirtues } from '../../simulation/economy.ts';
import { meanOpinion, polarisation } from '../../simulation/opinions.ts';
import type { Run } from '../../simulation/run.ts';
import { VIRTUES, type World } from '../../simulation/world.ts';
import { make } from '../layout/make-element.ts';
import { ZONES, zonePlace } from './bar.ts';
import type { Part } from './situation.ts';
import { sentenceCase, voteInWords } from './words.ts';

/** What the page measures: its name, its decimal places, and how to read it. */
const MEASURES: readonly (readonly [name: string, places: number, read: (world: World) => number])[] = [
  ['Mean opinion', 2, meanOpinion],
  ['Polarisation', 3, polarisation],
  ['Integrity index (MII)', 4, ({ economy }) => economy.mii],
  ['Its threshold for minting', 4, ({ economy }) => economy.threshold],
  ...VIRTUES.map(
    (virtue) =>
      [
        `${sentenceCase(virtue)} of the assembly`,
        2,
        (world: World) => communityVirtues(world)[virtue],
      ] as const,
  ),
];

/** Below the situation: the opinions over time, and the measures at the start and now. */
export function showCourse(part: Part, steps: readonly [Run, ...Run[]]): void {
  const [start, now] = [steps[0].world, steps.at(-1)!.world];
  part('course').innerHTML = coursePicture(steps, {
    width: Math.max(260, part('course').clientWidth),
    title: `Opinions of the sentinels from day 0 to ${now.tick}`,
  });
  part('measures').replaceChildren(
    ...MEASURES.map(([name, places, read]) =>
      make(
        'tr',
        {},
        make('th', { scope: 'row' }, name),
        ...[start, now].map((world) => make('td', { class: 'number' }, formatNumber(read(world), places))),
      ),
    ),
  );
}

interface CourseOptions {
  width: number;
  title: string;
  /** The source line below a standalone file. */
  source?: string;
}

const TOP = 24;
const BASE = 290;
const RIGHT = 86;
/** Space between the names of two lines. */
const NAME = 14;

/**
 * The opinions over time as SVG, on the zones of the board: a line for each sentinel and a heavy one for their mean, named at their
 * ends; dotted lines for votes and triangles for the player’s choices.
 */
export function coursePicture(steps: readonly Run[], { width, title, source }: CourseOptions): string {
  const { world, scenario, actions } = steps.at(-1)!;
  const left = 84;
  const right = width - RIGHT;
  const x = (tick: number) => round(left + (tick / scenario.horizon) * (right - left));
  const y = (opinion: number) => round(BASE - zonePlace(opinion) * (BASE - TOP));
  const text = (at: readonly [number, number], words: string, look = 'fill="var(--muted)"') =>
    `<text x="${at[0]}" y="${at[1]}" ${look}>${escapeXml(words)}</text>`;
  const zones = ZONES.map(({ from, to, label }, i) => {
    const [top, bottom] = [y(to), y(from)];
    const ground = `<rect x="${left}" y="${top}" width="${right - left}" height="${round(bottom - top)}" fill="var(--panel)" fill-opacity="${1 - (i % 2)}"/>`;
    return (
      ground + text([left - 8, round((top + bottom) / 2 + 4)], label, 'text-anchor="end" fill="var(--muted)"')
    );
  });
  const days = Array.from({ length: Math.floor(scenario.horizon / 10) + 1 }, (_, place) => {
    const day = 10 * place;
    const words = day === 0 ? 'Day 0' : String(day);
    return text([x(day), BASE + 17], words, 'text-anchor="middle" fill="var(--muted)"');
  });
  const line = (read: (world: World) => number, name: string, look: string) => {
    const points = steps.map((step) => `${x(step.world.tick)} ${y(read(step.world))}`).join('L');
    return `<path d="M${points}" fill="none" ${look}><title>${name}</title></path>`;
  };
  const titled = (tick: number, words: string) => `<title>${escapeXml(`Day ${tick}: ${words}`)}</title>`;
  const parts = [
    `<title>${escapeXml(title)}</title>`,
    ...zones,
    ...days,
    ...world.deliberation.votes.map(
      (vote) =>
        `<path d="M${x(vote.tick)} ${TOP}V${BASE}" stroke="var(--muted)" stroke-dasharray="2 3">${titled(vote.tick, voteInWords(vote))}</path>`,
    ),
    ...world.sentinels.map(({ id }, i) =>
      line(({ conditions }) => conditions.opinion[i]!, id, 'stroke="var(--muted)" stroke-opacity="0.7"'),
    ),
    line(meanOpinion, 'Mean', 'stroke="var(--accent)" stroke-width="3"'),
    ...actions.map(
      ({ tick, name }) =>
        `<path d="M${x(tick)} ${BASE - 9}l5 9h-10z" fill="var(--accent)">${titled(tick, labelOf(name, scenario))}</path>`,
    ),
    ...namesOf(world, y).map(({ name, at, look }) => text([x(world.tick) + 6, at], name, look)),
    text([left, 14], 'Dotted: a vote. Triangle: your choice.'),
    ...(source ? [text([10, BASE + 42], source)] : []),
  ];
  const height = BASE + (source ? 52 : 26);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="'Source Sans 3', 'Helvetica Neue', Arial, sans-serif" font-size="12">${parts.join('')}</svg>`;
}

/** The names at the ends of the lines, moved apart until none covers another, within the picture. */
function namesOf(world: World, y: (opinion: number) => number): { name: string; at: number; look: string }[] {
  const names = [
    ...world.sentinels.map(({ id }, i) => ({
      name: id,
      at: y(world.conditions.opinion[i]!),
      look: 'fill="var(--ink)"',
    })),
    { name: 'Mean', at: y(meanOpinion(world)), look: 'fill="var(--accent)" font-weight="600"' },
  ].sort((a, b) => a.at - b.at);
  for (let round = 0; round < 100; round += 1) {
    names[0]!.at = Math.max(TOP, names[0]!.at);
    names.at(-1)!.at = Math.min(BASE, names.at(-1)!.at);
    for (const [i, name] of names.entries()) {
      const above = names[i - 1];
      const overlap = above ? (NAME - name.at + above.at) / 2 : 0;
      if (!above || overlap <= 0) continue;
      above.at -= overlap;
      name.at += overlap;
    }
  }
  return names.map((name) => ({ ...name, at: round(name.at + 4) }));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
