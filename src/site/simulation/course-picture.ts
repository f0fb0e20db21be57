import { escapeXml } from '../../../pipeline/words/xml.ts';
import { labelOf } from '../../simulation/decisions.ts';
import { scenarioNamed } from '../../simulation/scenarios.ts';
import type { Shown } from '../../simulation/view.ts';
import { VOTE_RESULTS } from './outcome-words.ts';
import { ZONES, zonePlace } from './zones.ts';

export interface CourseOptions {
  width: number;
  title: string;
  /** The source line below a standalone file. */
  source?: string;
  /** Another run, drawn dashed, with the band between its lowest and highest opinion. */
  other?: readonly Shown[];
  /** The tick shown. */
  looked?: number;
}

const HEIGHT = 330;
const MARGIN = { top: 44, right: 86, bottom: 40 };
const FONT = `font-family="'Source Sans 3', 'Helvetica Neue', Arial, sans-serif" font-size="12"`;
/** Space between the labels of two lines. */
const LABEL = 14;

/**
 * The opinions over time as SVG: a line for each sentinel, of which the highest, the lowest and the one that moved most are
 * labelled, the mean, and marks for votes and actions. The scale has the zones of the board.
 */
export function coursePicture(history: readonly Shown[], options: CourseOptions): string {
  const { width, title, source, other = [], looked } = options;
  const { horizon } = history[0]!.current_state;
  const left = width < 500 ? 62 : 104;
  const x = (tick: number) => round(left + (tick / horizon) * (width - MARGIN.right - left));
  const y = (value: number) =>
    round(HEIGHT - MARGIN.bottom - zonePlace(value) * (HEIGHT - MARGIN.bottom - MARGIN.top));
  const frame: Frame = { x, y, left, right: width - MARGIN.right, horizon, isNarrow: width < 500 };
  const last = history.at(-1)!;
  const mean = ({ current_state: { opinions } }: Shown) => opinions.mean;
  const path = (of: readonly Shown[], value: (shown: Shown) => number) =>
    of.map((shown, i) => `${i === 0 ? 'M' : 'L'}${x(shown.tick)} ${y(value(shown))}`).join('');
  const told = new Set(labelled(history));
  const lines = last.sentinels.map(({ id }, place) => {
    const shape = `d="${path(history, ({ sentinels }) => sentinels[place]!.opinion)}" fill="none"`;
    const [stroke, thickness] = told.has(place) ? ['var(--ink)', 1.4] : ['var(--muted)', 1];
    const seen = `<path class="voice-line" ${shape} stroke="${stroke}" stroke-width="${thickness}" stroke-opacity="${told.has(place) ? 0.85 : 0.4}"/>`;
    // A wide invisible line is easier to point at.
    return `<g class="line"><title>${escapeXml(id)}</title>${seen}<path ${shape} stroke="var(--ink)" stroke-opacity="0" stroke-width="9"/></g>`;
  });
  const height = HEIGHT + (source ? 22 : 0);
  const parts = [
    `<title>${escapeXml(title)}</title>`,
    ...zones(frame),
    ...axis(frame),
    other.length > 0 && keptRun(other, frame, mean, path),
    ...lines,
    `<path d="${path(history, mean)}" fill="none" stroke="var(--accent)" stroke-width="3"/>`,
    ...marks(history, x),
    ...labels(history, told, frame, mean),
    legend(left, other.length > 0, frame.isNarrow),
    looked !== undefined &&
      looked < last.tick &&
      `<line x1="${x(looked)}" x2="${x(looked)}" y1="${MARGIN.top}" y2="${HEIGHT - MARGIN.bottom}" stroke="var(--ink)"/>`,
    source && `<text x="10" y="${HEIGHT + 12}" fill="var(--muted)">${escapeXml(source)}</text>`,
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" ${FONT}>${parts.filter(Boolean).join('')}</svg>`;
}

interface Frame {
  x: (tick: number) => number;
  y: (value: number) => number;
  left: number;
  right: number;
  horizon: number;
  isNarrow: boolean;
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
function labelled(history: readonly Shown[]): number[] {
  const [first, last] = [history[0]!, history.at(-1)!];
  const moved = (place: number) => Math.abs(last.sentinels[place]!.opinion - first.sentinels[place]!.opinion);
  const places = last.sentinels.map((_, place) => place);
  const best = (value: (place: number) => number) =>
    places.reduce((most, place) => (value(place) > value(most) ? place : most), 0);
  const opinion = (place: number) => last.sentinels[place]!.opinion;
  return [best(opinion), best((place) => -opinion(place)), best(moved)];
}

function labels(
  history: readonly Shown[],
  told: ReadonlySet<number>,
  { x, y }: Frame,
  mean: (shown: Shown) => number,
): string[] {
  const last = history.at(-1)!;
  const at = x(last.tick) + 6;
  const named = [...told].map((place) => ({
    text: last.sentinels[place]!.id,
    y: y(last.sentinels[place]!.opinion),
    fill: 'var(--ink)',
    weight: 400,
  }));
  const all = [...named, { text: 'Mean', y: y(mean(last)), fill: 'var(--accent)', weight: 600 }].sort(
    (a, b) => a.y - b.y,
  );
  for (let i = 1; i < all.length; i += 1) all[i]!.y = Math.max(all[i]!.y, all[i - 1]!.y + LABEL);
  return all.map(
    ({ text, y: place, fill, weight }) =>
      `<text x="${at}" y="${round(place + 4)}" fill="${fill}" font-weight="${weight}">${text}</text>`,
  );
}

function keptRun(
  other: readonly Shown[],
  { x, y }: Frame,
  mean: (shown: Shown) => number,
  path: (of: readonly Shown[], value: (shown: Shown) => number) => string,
): string {
  const edge = (pick: (...values: number[]) => number) => (shown: Shown) =>
    pick(...shown.sentinels.map(({ opinion }) => opinion));
  const back = [...other].reverse().map((shown) => `L${x(shown.tick)} ${y(edge(Math.min)(shown))}`);
  return (
    `<path d="${path(other, edge(Math.max))}${back.join('')}Z" fill="var(--contrast)" fill-opacity="0.12"/>` +
    `<path d="${path(other, mean)}" fill="none" stroke="var(--contrast)" stroke-width="2" stroke-dasharray="6 4"/>`
  );
}

/** Triangles for actions, dotted lines for votes. */
function marks(history: readonly Shown[], x: (tick: number) => number): string[] {
  const base = HEIGHT - MARGIN.bottom;
  const { actions, deliberation } = history.at(-1)!.current_state;
  const scenario = scenarioNamed(history[0]!.scenario);
  const done = actions.map(({ tick, name }) => {
    const at = x(tick);
    return `<path d="M${at} ${base - 9}l5 9h-10z" fill="var(--accent)"><title>${escapeXml(`Day ${tick}: ${labelOf(name, scenario)}`)}</title></path>`;
  });
  const votes = deliberation.votes.map(({ tick, result }) => {
    const at = x(tick);
    return `<line x1="${at}" x2="${at}" y1="${MARGIN.top}" y2="${base}" stroke="var(--muted)" stroke-dasharray="2 3"><title>${escapeXml(`Day ${tick}: ${VOTE_RESULTS[result]}`)}</title></line>`;
  });
  return [...votes, ...done];
}

/** The signs of the picture, in its first line. */
function legend(left: number, hasOther: boolean, isNarrow: boolean): string {
  const entries: [sign: string, text: string, room: number][] = [
    ['<path d="M0 0h18" stroke="var(--accent)" stroke-width="3"/>', 'mean', 66],
    ['<path d="M0 0h18" stroke="var(--muted)" stroke-opacity="0.6"/>', 'a sentinel', 94],
    ['<path d="M9 -6v12" stroke="var(--muted)" stroke-dasharray="2 3"/>', 'vote', 62],
    ['<path d="M9 -5l5 9h-10z" fill="var(--accent)"/>', 'your decision', 104],
    ...(hasOther
      ? ([
          [
            '<rect y="-6" width="18" height="12" fill="var(--contrast)" fill-opacity="0.12"/><path d="M0 0h18" stroke="var(--contrast)" stroke-width="2" stroke-dasharray="6 4"/>',
            'kept run and its range',
            0,
          ],
        ] as [string, string, number][])
      : []),
  ];
  let at = isNarrow ? 4 : left;
  let row = 14;
  return entries
    .map(([sign, text, room], i) => {
      if (isNarrow && i === 4) [at, row] = [4, 32];
      const part = `<g transform="translate(${at} ${row})">${sign}<text x="23" y="4" fill="var(--ink)">${text}</text></g>`;
      at += room;
      return part;
    })
    .join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
