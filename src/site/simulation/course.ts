import { formatNumber } from '../../../pipeline/words/number.ts';
import { escapeXml } from '../../../pipeline/words/xml.ts';
import { labelOf } from '../../simulation/decisions.ts';
import { communityVirtues } from '../../simulation/economy.ts';
import { meanOpinion, polarisation } from '../../simulation/opinions.ts';
import { reasonOf } from '../../simulation/reasons.ts';
import type { Run } from '../../simulation/run.ts';
import { VIRTUES, type World } from '../../simulation/world.ts';
import { make } from '../layout/make-element.ts';
import { ZONES, zonePlace } from './board.ts';
import type { Part } from './situation.ts';
import { STANCE_WORDS, sentenceCase, stanceOf, voteInWords } from './words.ts';

/** Below the situation: what each sentinel says, the opinions over time, and the measures. */
export function showCourse(part: Part, steps: readonly Run[]): void {
  const { world } = steps.at(-1)!;
  part('voices').replaceChildren(
    ...world.sentinels.map(({ id, cathedral }, i) => {
      const stance = stanceOf(world, i);
      return make(
        'li',
        { 'data-position': stance },
        make(
          'p',
          { class: 'voice' },
          make('i', { class: 'dot', 'aria-hidden': 'true' }),
          make('strong', {}, id),
          ` ${STANCE_WORDS[stance]}`,
          make('span', { class: 'muted' }, ` · ${cathedral}`),
        ),
        make('p', {}, reasonOf(world, i).reasoning),
      );
    }),
  );
  const width = Math.min(1100, Math.max(260, part('course').parentElement!.clientWidth));
  part('course').innerHTML = coursePicture(steps, {
    width,
    title: `Opinions of the sentinels from day 0 to ${world.tick}`,
  });
  part('measures').replaceChildren(...measureRows(steps[0]!.world, world));
}

/** What the page measures, at the start of a run and now. */
function measureRows(start: World, now: World): HTMLElement[] {
  const [was, is] = [communityVirtues(start), communityVirtues(now)];
  const rows: [name: string, before: string, after: string][] = [
    ...(
      [
        ['Mean opinion', meanOpinion, 2],
        ['Polarisation', polarisation, 3],
        ['Integrity index (MII)', ({ economy }) => economy.mii, 4],
        ['Its threshold for minting', ({ economy }) => economy.threshold, 4],
      ] as [string, (world: World) => number, number][]
    ).map(([name, read, places]): [string, string, string] => [
      name,
      formatNumber(read(start), places),
      formatNumber(read(now), places),
    ]),
    ...VIRTUES.map((virtue): [string, string, string] => [
      `${sentenceCase(virtue)} of the assembly`,
      formatNumber(was[virtue], 2),
      formatNumber(is[virtue], 2),
    ]),
  ];
  const head = ['Measure', 'At the start', 'Now'].map((text, i) =>
    make('th', { scope: 'col', class: i > 0 && 'number' }, text),
  );
  return [
    make('thead', {}, make('tr', {}, ...head)),
    make(
      'tbody',
      {},
      ...rows.map(([name, ...values]) =>
        make(
          'tr',
          {},
          make('th', { scope: 'row' }, name),
          ...values.map((value) => make('td', { class: 'number' }, value)),
        ),
      ),
    ),
  ];
}

export interface CourseOptions {
  width: number;
  title: string;
  /** The source line below a standalone file. */
  source?: string;
}

const HEIGHT = 330;
const MARGIN = { top: 44, right: 86, bottom: 40 };
const FONT = `font-family="'Source Sans 3', 'Helvetica Neue', Arial, sans-serif" font-size="12"`;
/** Space between the labels of two lines. */
const LABEL = 14;

interface Frame {
  x: (tick: number) => number;
  y: (value: number) => number;
  left: number;
  right: number;
  horizon: number;
  isNarrow: boolean;
}

/**
 * The opinions over time as SVG: a line for each sentinel, of which the highest, the lowest and the one that moved most are
 * labelled, the mean, and marks for votes and actions. The scale has the zones of the board.
 */
export function coursePicture(steps: readonly Run[], { width, title, source }: CourseOptions): string {
  const run = steps.at(-1)!;
  const { horizon } = run.scenario;
  const left = width < 500 ? 62 : 104;
  const frame: Frame = {
    x: (tick) => round(left + (tick / horizon) * (width - MARGIN.right - left)),
    y: (value) => round(HEIGHT - MARGIN.bottom - zonePlace(value) * (HEIGHT - MARGIN.bottom - MARGIN.top)),
    left,
    right: width - MARGIN.right,
    horizon,
    isNarrow: width < 500,
  };
  const worlds = steps.map(({ world }) => world);
  const path = (value: (world: World) => number) =>
    worlds
      .map((world, i) => `${i === 0 ? 'M' : 'L'}${frame.x(world.tick)} ${frame.y(value(world))}`)
      .join('');
  const named = labelled(worlds);
  const lines = run.world.sentinels.map(({ id }, place) => {
    const stroke = named.includes(place)
      ? 'stroke="var(--ink)" stroke-width="1.4" stroke-opacity="0.85"'
      : 'stroke="var(--muted)" stroke-opacity="0.4"';
    const shape = path(({ conditions }) => conditions.opinion[place]!);
    return `<path d="${shape}" fill="none" ${stroke}><title>${escapeXml(id)}</title></path>`;
  });
  const height = HEIGHT + (source ? 22 : 0);
  const parts = [
    `<title>${escapeXml(title)}</title>`,
    ...zones(frame),
    ...axis(frame),
    ...lines,
    `<path d="${path(meanOpinion)}" fill="none" stroke="var(--accent)" stroke-width="3"/>`,
    ...marks(run, frame),
    ...labels(run.world, named, frame),
    legend(left, frame.isNarrow),
    ...(source ? [`<text x="10" y="${HEIGHT + 12}" fill="var(--muted)">${escapeXml(source)}</text>`] : []),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" ${FONT}>${parts.join('')}</svg>`;
}

function zones({ y, left, right, isNarrow }: Frame): string[] {
  return ZONES.map(({ from, to, label, short }, i) => {
    const [top, bottom] = [y(to), y(from)];
    const shade = i % 2 === 0 ? '<rect' : '<rect fill-opacity="0"';
    return (
      `${shade} x="${left}" y="${top}" width="${right - left}" height="${round(bottom - top)}" fill="var(--panel)"/>` +
      `<text x="${left - 8}" y="${round((top + bottom) / 2 + 4)}" text-anchor="end" fill="var(--muted)">${isNarrow ? short : label}</text>`
    );
  });
}

function axis({ x, left, right, horizon, isNarrow }: Frame): string[] {
  const base = HEIGHT - MARGIN.bottom;
  const step = horizon > 20 ? 10 : 5;
  const days = Array.from({ length: Math.floor(horizon / step) + 1 }, (_, place) => place * step);
  return [
    `<line x1="${left}" x2="${right}" y1="${base}" y2="${base}" stroke="var(--muted)"/>`,
    ...days.map(
      (day) =>
        `<line x1="${x(day)}" x2="${x(day)}" y1="${base}" y2="${base + 4}" stroke="var(--muted)"/><text x="${x(day)}" y="${base + 17}" text-anchor="middle" fill="var(--muted)">${day === 0 ? 'Day 0' : day}</text>`,
    ),
    `<text x="${right}" y="${base + 33}" text-anchor="end" fill="var(--muted)">${isNarrow ? 'days' : 'days since the start'}</text>`,
  ];
}

/** The sentinels whose lines get a name: the highest and the lowest at the end, and the one that moved most. */
function labelled(worlds: readonly World[]): number[] {
  const [first, last] = [worlds[0]!.conditions.opinion, worlds.at(-1)!.conditions.opinion];
  const best = (value: (place: number) => number) =>
    last.reduce((most, _, place) => (value(place) > value(most) ? place : most), 0);
  const all = [
    best((place) => last[place]!),
    best((place) => -last[place]!),
    best((place) => Math.abs(last[place]! - first[place]!)),
  ];
  return [...new Set(all)];
}

function labels(world: World, named: readonly number[], { x, y }: Frame): string[] {
  const { sentinels, conditions, tick } = world;
  const ids = named.map((place) => ({
    text: sentinels[place]!.id,
    y: y(conditions.opinion[place]!),
    look: 'fill="var(--ink)"',
  }));
  const mean = { text: 'Mean', y: y(meanOpinion(world)), look: 'fill="var(--accent)" font-weight="600"' };
  const all = [...ids, mean].sort((a, b) => a.y - b.y);
  for (let i = 1; i < all.length; i += 1) all[i]!.y = Math.max(all[i]!.y, all[i - 1]!.y + LABEL);
  return all.map(
    ({ text, y: place, look }) => `<text x="${x(tick) + 6}" y="${round(place + 4)}" ${look}>${text}</text>`,
  );
}

/** Triangles for actions, dotted lines for votes. */
function marks({ actions, world, scenario }: Run, { x }: Frame): string[] {
  const base = HEIGHT - MARGIN.bottom;
  const titled = (tick: number, words: string) => `<title>${escapeXml(`Day ${tick}: ${words}`)}</title>`;
  const votes = world.deliberation.votes.map(
    (vote) =>
      `<line x1="${x(vote.tick)}" x2="${x(vote.tick)}" y1="${MARGIN.top}" y2="${base}" stroke="var(--muted)" stroke-dasharray="2 3">${titled(vote.tick, voteInWords(vote))}</line>`,
  );
  const done = actions.map(
    ({ tick, name }) =>
      `<path d="M${x(tick)} ${base - 9}l5 9h-10z" fill="var(--accent)">${titled(tick, labelOf(name, scenario))}</path>`,
  );
  return [...votes, ...done];
}

/** The signs of the picture, in its first line. */
function legend(left: number, isNarrow: boolean): string {
  const entries: [sign: string, text: string, room: number][] = [
    ['<path d="M0 0h18" stroke="var(--accent)" stroke-width="3"/>', 'mean', 66],
    ['<path d="M0 0h18" stroke="var(--muted)" stroke-opacity="0.6"/>', 'a sentinel', 94],
    ['<path d="M9 -6v12" stroke="var(--muted)" stroke-dasharray="2 3"/>', 'vote', 62],
    ['<path d="M9 -5l5 9h-10z" fill="var(--accent)"/>', 'your choice', 104],
  ];
  let at = isNarrow ? 4 : left;
  return entries
    .map(([sign, text, room]) => {
      const part = `<g transform="translate(${at} 14)">${sign}<text x="23" y="4" fill="var(--ink)">${text}</text></g>`;
      at += room;
      return part;
    })
    .join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
