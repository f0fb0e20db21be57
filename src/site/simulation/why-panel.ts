import { formatNumber } from '../../../pipeline/words/number.ts';
import { formatList, formatToken } from '../../../pipeline/words/phrase.ts';
import { withoutAction } from '../../simulation/counterfactual.ts';
import { meanOpinion } from '../../simulation/opinions.ts';
import type { Run } from '../../simulation/run.ts';
import { VIRTUES } from '../../simulation/virtues.ts';
import { meanRestingOpinion, OWN_PARTS, type OwnPart, type Why, whyOf } from '../../simulation/why.ts';
import { whyInWords } from '../../simulation/why-in-words.ts';
import type { World } from '../../simulation/world.ts';
import { draw, make } from '../layout/make-element.ts';
import { matrixPicture } from './influence-picture.ts';
import { OUTCOMES, outcomeOf } from './outcome-words.ts';

export interface WhyView {
  /** What was chosen. */
  label: string;
  tick: number;
  /** The worlds just before and after the action. */
  before: World;
  after: World;
  /** The run as far as it has come, and the place of the action in it. */
  run: Run;
  index: number;
}

/** Smaller changes are not drawn. */
const SEEN = 0.0005;
const PARTS = OWN_PARTS.filter((part) => part !== 'limit');

/** What an action moved: each sentinel’s own opinion by cause, who is heard, where it leads, and what would be without it. */
export function whyPanel(view: WhyView): HTMLElement {
  const why = whyOf(view.before, view.after);
  return make(
    'section',
    { class: 'why-panel' },
    make('h4', {}, `What “${view.label}” moved on day ${view.tick}`),
    make('ul', {}, ...whyInWords(why).map((text) => make('li', {}, text))),
    make(
      'div',
      { class: 'why-grid' },
      make('div', {}, ...ownPart(why)),
      make('div', {}, ...influencePart(view, why)),
      make('div', {}, ...leadsPart(view, why)),
    ),
  );
}

function ownPart({ sentinels }: Why): (HTMLElement | SVGSVGElement)[] {
  const moved = sentinels.filter(({ own_opinion: own }) => Math.abs(own.after - own.before) >= SEEN);
  const heading = make('h5', {}, 'By its effect on the virtues');
  if (moved.length === 0)
    return [heading, make('p', {}, 'It changed no sentinel’s own judgement of the proposal.')];
  const causes = PARTS.filter((part) => moved.some((one) => Math.abs(one.own_parts[part]) >= SEEN));
  return [
    heading,
    partsPicture(sentinels, causes),
    make(
      'p',
      { class: 'key' },
      ...causes.map((part) =>
        make('span', { 'data-part-of': part }, make('i', { 'aria-hidden': 'true' }), CAUSES[part]),
      ),
    ),
  ];
}

const CAUSES: Readonly<Record<Exclude<OwnPart, 'limit'>, string>> = {
  ...(Object.fromEntries(VIRTUES.map((virtue) => [virtue, virtue])) as Record<
    (typeof VIRTUES)[number],
    string
  >),
  weights: 'a briefing',
  temper: 'temper',
  stake: 'what is at stake for it',
  interest: 'the weight of interest',
  lure: 'drift',
};

const WIDTH = 320;
const ROW = 18;
const NAMES = 74;

/** A bar per sentinel: to the right what speaks for the proposal, to the left what speaks against it. */
function partsPicture(sentinels: Why['sentinels'], causes: readonly (keyof typeof CAUSES)[]): SVGSVGElement {
  const sums = (sign: number) =>
    sentinels.map(({ own_parts: parts }) =>
      causes.reduce((sum, part) => sum + Math.max(0, sign * parts[part]), 0),
    );
  const most = Math.max(...sums(1), ...sums(-1), 0.01);
  const scale = (WIDTH - NAMES) / 2 / most;
  const zero = NAMES + (WIDTH - NAMES) / 2;
  const height = 16 + ROW * sentinels.length;
  const rows = sentinels.flatMap(({ id, own_parts: parts, own_opinion: own }, i) => {
    let [left, right] = [zero, zero];
    const bars = causes.flatMap((part) => {
      const size = Math.abs(parts[part]) * scale;
      if (size < 0.3) return [];
      const x = parts[part] > 0 ? right : left - size;
      if (parts[part] > 0) right += size;
      else left -= size;
      return [draw('rect', { 'data-part-of': part, x, y: 18 + ROW * i, width: size, height: ROW - 6 })];
    });
    const net = zero + (own.after - own.before) * scale;
    return [
      draw('text', { x: 0, y: 18 + ROW * i + 9 }, id),
      ...bars,
      draw('line', { class: 'net', x1: net, x2: net, y1: 16 + ROW * i, y2: 14 + ROW * (i + 1) }),
    ];
  });
  return draw(
    'svg',
    {
      viewBox: `0 0 ${WIDTH} ${height}`,
      width: WIDTH,
      height,
      role: 'img',
      'aria-label': partsLabel(sentinels),
    },
    draw('text', { x: zero - 6, y: 11, 'text-anchor': 'end', class: 'end' }, '← against'),
    draw('text', { x: zero + 6, y: 11, class: 'end' }, 'for →'),
    draw('line', { class: 'zero', x1: zero, x2: zero, y1: 14, y2: height }),
    ...rows,
  );
}

function partsLabel(sentinels: Why['sentinels']): string {
  const side = (sign: number) =>
    sentinels
      .filter(({ own_opinion: { before, after } }) => sign * (after - before) >= SEEN)
      .map(({ id }) => id);
  const [forIt, against] = [side(1), side(-1)];
  const said = [
    forIt.length > 0 && `${formatList(forIt)} think better of it`,
    against.length > 0 && `${formatList(against)} think worse of it`,
  ].filter(Boolean);
  return `${said.join('; ')}.`;
}

function influencePart({ after }: WhyView, { influences: { grew } }: Why): (HTMLElement | SVGSVGElement)[] {
  return [
    make('h5', {}, 'By who listens to whom'),
    matrixPicture(after, new Set(grew.map(({ listener, speaker }) => `${listener} ${speaker}`))),
    make(
      'p',
      { class: 'note' },
      grew.length > 0
        ? 'A row listens to the columns: darker is more, and a frame marks what grew most.'
        : 'A row listens to the columns: darker is more. The choice changed nothing here.',
    ),
  ];
}

function leadsPart({ before, run, index, label }: WhyView, why: Why): HTMLElement[] {
  const other = withoutAction(run, index, run.world.tick).run.world;
  const changed = why.changed.filter(({ what }) => what !== 'effect');
  return [
    make('h5', {}, 'Where it leads'),
    make('p', {}, make('strong', {}, `Without “${label}”: `), withoutWords(run.world, other)),
    ...(changed.length > 0
      ? [
          make(
            'details',
            {},
            make('summary', {}, 'Everything it set'),
            make(
              'table',
              {},
              make(
                'thead',
                {},
                make(
                  'tr',
                  {},
                  ...['What', 'Before', 'After'].map((text) => make('th', { scope: 'col' }, text)),
                ),
              ),
              make(
                'tbody',
                {},
                ...changed.map(({ what, name, before: from, after: to }) =>
                  make(
                    'tr',
                    {},
                    make('th', { scope: 'row' }, `${formatToken(what)}: ${formatToken(name)}`),
                    cell(from),
                    cell(to),
                  ),
                ),
              ),
            ),
          ),
        ]
      : []),
    ...(meanRestingOpinion(before) === null
      ? []
      : [make('p', { class: 'note' }, 'The diamonds on the board show where each one would come to rest.')]),
  ];
}

function cell(value: number | string): HTMLElement {
  return make(
    'td',
    { class: 'number' },
    typeof value === 'number' ? formatNumber(value, { max: 4 }) : formatToken(value),
  );
}

/** The counterfactual at the same tick, in words. */
function withoutWords(world: World, other: World): string {
  const [now, then] = [world, other].map(({ deliberation }) => outcomeOf(deliberation.status));
  const gap = meanOpinion(world) - meanOpinion(other);
  const size = Math.abs(gap) < 0.005 ? null : Math.abs(gap) < 0.05 ? 'a little ' : 'much ';
  const mean =
    size === null
      ? 'opinions would be where they are'
      : `opinions would be ${size}${gap > 0 ? 'less in favour' : 'more in favour'}`;
  const fate = now === then ? '' : ` By now, the proposal would be one that ${OUTCOMES[then!].said}.`;
  return `${mean}.${fate}`;
}
