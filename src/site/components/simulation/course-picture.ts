import { line, scaleLinear } from 'd3';
import { escapeXml } from '../../../../pipeline/forms/catalogue/xml.ts';
import { POSITIONS_FROM } from '../../../simulation/opinions.ts';
import type { Shown } from '../../../simulation/view.ts';

export interface CourseOptions {
  width: number;
  title: string;
  /** The source line below a standalone file. */
  source?: string;
  /** Another run, drawn dashed. */
  other?: readonly Shown[];
  /** The tick shown. */
  looked?: number;
}

const HEIGHT = 250;
const MARGIN = { top: 26, right: 14, bottom: 34, left: 40 };
const FONT = `font-family="'Source Sans 3', 'Helvetica Neue', Arial, sans-serif" font-size="12"`;

/** The opinions over time as SVG: thin lines for sentinels, a thick line for the mean, and marks for votes and actions. */
export function coursePicture(history: readonly Shown[], options: CourseOptions): string {
  const { width, title, source, other = [], looked } = options;
  const { horizon } = history[0]!.current_state;
  const x = scaleLinear([0, horizon], [MARGIN.left, width - MARGIN.right]);
  const y = scaleLinear([0, 1], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const path = (of: readonly Shown[], value: (shown: Shown) => number) =>
    line<Shown>(
      ({ tick }) => round(x(tick)),
      (shown) => round(y(value(shown))),
    )(of) ?? '';
  const mean = ({ current_state: { opinions } }: Shown) => opinions.mean;
  const each = history[0]!.sentinels.map((_, place) =>
    path(history, ({ sentinels }) => sentinels[place]!.opinion),
  );
  const height = HEIGHT + (source ? 22 : 0);
  const parts = [
    `<title>${escapeXml(title)}</title>`,
    ...axes(x, y, width, horizon),
    ...each.map(
      (d) => `<path d="${d}" fill="none" stroke="var(--muted)" stroke-width="1" stroke-opacity="0.6"/>`,
    ),
    other.length > 0 &&
      `<path d="${path(other, mean)}" fill="none" stroke="var(--contrast)" stroke-width="2" stroke-dasharray="6 4"/>`,
    `<path d="${path(history, mean)}" fill="none" stroke="var(--accent)" stroke-width="3"/>`,
    ...marks(history, x),
    looked !== undefined &&
      `<line x1="${round(x(looked))}" x2="${round(x(looked))}" y1="${MARGIN.top}" y2="${HEIGHT - MARGIN.bottom}" stroke="var(--ink)" stroke-width="1"/>`,
    source && `<text x="${MARGIN.left}" y="${HEIGHT + 10}" fill="var(--muted)">${escapeXml(source)}</text>`,
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" ${FONT}>${parts.filter(Boolean).join('')}</svg>`;
}

type Scale = (value: number) => number;

function axes(x: Scale, y: Scale, width: number, horizon: number): string[] {
  const { abstain, support } = POSITIONS_FROM;
  const bounds = [abstain, support].map(
    (bound) =>
      `<line x1="${MARGIN.left}" x2="${width - MARGIN.right}" y1="${round(y(bound))}" y2="${round(y(bound))}" stroke="var(--rule)"/><text x="${MARGIN.left - 6}" y="${round(y(bound) + 4)}" text-anchor="end" fill="var(--muted)">${bound}</text>`,
  );
  const ends = [0, 1].map(
    (end) =>
      `<text x="${MARGIN.left - 6}" y="${round(y(end) + 4)}" text-anchor="end" fill="var(--muted)">${end}</text>`,
  );
  const step = horizon > 40 && width < 500 ? 20 : 10;
  const ticks = Array.from({ length: Math.floor(horizon / step) + 1 }, (_, place) => place * step).map(
    (tick) =>
      `<text x="${round(x(tick))}" y="${HEIGHT - 10}" text-anchor="middle" fill="var(--muted)">${tick}</text>`,
  );
  return [
    ...bounds,
    ...ends,
    ...ticks,
    `<text x="${MARGIN.left}" y="14" fill="var(--muted)">Opinion by tick: 0 against, 1 in favour</text>`,
  ];
}

/** Triangles for actions, dotted lines for votes. */
function marks(history: readonly Shown[], x: Scale): string[] {
  const base = HEIGHT - MARGIN.bottom;
  const { actions, deliberation } = history.at(-1)!.current_state;
  const done = actions.map(({ tick, name }) => {
    const at = round(x(tick));
    return `<path d="M${at} ${base - 9}l5 9h-10z" fill="var(--accent)"><title>${escapeXml(`Tick ${tick}: ${name}`)}</title></path>`;
  });
  const votes = deliberation.votes.map(({ tick, result }) => {
    const at = round(x(tick));
    return `<line x1="${at}" x2="${at}" y1="${MARGIN.top}" y2="${base}" stroke="var(--muted)" stroke-dasharray="2 3"><title>${escapeXml(`Tick ${tick}: vote, ${result}`)}</title></line>`;
  });
  return [...votes, ...done];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
