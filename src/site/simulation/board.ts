import type { Shown, ShownSentinel } from '../../simulation/view.ts';
import { draw, setAttributes } from '../layout/make-element.ts';
import { describeStances } from './describe-change.ts';
import { ZONES, zonePlace } from './zones.ts';

export interface BoardView {
  now: Shown;
  /** Where the tails begin. */
  before: Shown | undefined;
  /** Where each opinion comes to rest if nothing changes; null where that is not drawn. */
  resting: readonly number[] | null;
  /** For each sentinel the other that it listens to most, or −1; null where that is not drawn. */
  ties: readonly { to: number; weight: number }[] | null;
}

const TOP = 25;
const RIGHT = 8;
/** Room for the names. */
const NAMES = 78;
const DIAMOND = 'M0-6L6 0L0 6L-6 0Z';

/**
 * Draws each sentinel’s opinion as a dot in the zone of its position. A stroke is its own judgement, a tail leads from where it
 * was, a diamond is where it is heading. Dots keep their elements, so that CSS can move them.
 */
export function drawBoard(svg: SVGSVGElement, view: BoardView, width: number): void {
  const { now, before, resting } = view;
  const row = width < 480 ? 17 : 29;
  const height = TOP + row * now.sentinels.length + 2;
  const x = (opinion: number) => NAMES + zonePlace(opinion) * (width - NAMES - RIGHT);
  const y = (place: number) => TOP + row * place + row / 2;
  setAttributes(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
  setAttributes(svg, { 'aria-label': `The board on day ${now.tick}. ${describeStances(now)}.` });
  const shape = `${width} ${now.sentinels.map(({ id }) => id).join(' ')}`;
  if (svg.dataset.shape !== shape) {
    svg.dataset.shape = shape;
    svg.replaceChildren(
      ...zones(x, width, height),
      draw('g', { class: 'ties' }),
      ...now.sentinels.map(rowOf),
    );
  }
  const then = new Map(before?.sentinels.map(({ id, opinion }) => [id, opinion]));
  for (const [place, sentinel] of now.sentinels.entries()) {
    const g = svg.querySelectorAll('.sentinel')[place]!;
    const { id, opinion, innate_opinion: own } = sentinel;
    setAttributes(g, { 'data-position': stanceOf(sentinel), transform: `translate(0 ${y(place)})` });
    const set = (name: string, attributes: Parameters<typeof setAttributes>[1]) =>
      setAttributes(g.querySelector(name)!, attributes);
    set('.track', { x1: NAMES, x2: width - RIGHT });
    set('.tail', { x1: x(then.get(id) ?? opinion), x2: x(opinion) });
    set('.own', { x1: x(own), x2: x(own) });
    set('circle', { cx: x(opinion) });
    set('.resting', {
      transform: `translate(${x(resting?.[place] ?? opinion)} 0)`,
      visibility: resting ? null : 'hidden',
    });
    g.querySelector('title')!.textContent = `${id} ${STANCE_WORDS[stanceOf(sentinel)]}`;
  }
  drawTies(svg.querySelector('.ties')!, view, x, y);
}

type Stance = ShownSentinel['position'] | 'offline' | 'recused';

export function stanceOf({ position, status }: Pick<ShownSentinel, 'position' | 'status'>): Stance {
  return status === 'operational' ? position : status;
}

export const STANCE_WORDS: Readonly<Record<Stance, string>> = {
  support: 'is for it',
  support_with_conditions: 'is for it, with conditions',
  abstain: 'is undecided',
  oppose: 'is against it',
  offline: 'is offline',
  recused: 'stands aside',
};

function rowOf({ id }: ShownSentinel): SVGGElement {
  return draw(
    'g',
    { class: 'sentinel' },
    draw('title'),
    draw('text', { class: 'name', dy: '0.35em' }, id),
    draw('line', { class: 'track' }),
    draw('line', { class: 'tail' }),
    draw('line', { class: 'own', y1: -7, y2: 7 }),
    draw('path', { class: 'resting', d: DIAMOND }),
    draw('circle', { r: 6 }),
  );
}

function zones(x: (opinion: number) => number, width: number, height: number): SVGElement[] {
  return ZONES.flatMap(({ name, from, to, label, short }) => {
    const [left, right] = [x(from), x(to)];
    return [
      draw('rect', { class: `zone ${name}`, x: left, y: 0, width: right - left - 1, height }),
      draw(
        'text',
        { class: 'zone-name', x: (left + right) / 2, y: 15, 'text-anchor': 'middle' },
        width < 480 ? short : label,
      ),
    ];
  });
}

/** An arrow from each sentinel to the one that listens to it most: the way its word travels. */
function drawTies(
  g: SVGGElement,
  { ties, now }: BoardView,
  x: (opinion: number) => number,
  y: (place: number) => number,
): void {
  const arrows = (ties ?? []).flatMap(({ to, weight }, listener) => {
    if (to < 0) return [];
    const [x1, y1] = [x(now.sentinels[to]!.opinion), y(to)];
    const [x2, y2] = [x(now.sentinels[listener]!.opinion), y(listener)];
    const bend = Math.max(x1, x2) + 18 + 4 * Math.abs(to - listener);
    return [
      draw('path', {
        class: 'tie',
        d: `M${x1} ${y1}Q${bend} ${(y1 + y2) / 2} ${x2 + 8} ${y2}`,
        'stroke-width': 1 + 8 * weight,
      }),
      draw('path', { class: 'tie-end', d: 'M0 0L8 -4L8 4Z', transform: `translate(${x2 + 6} ${y2})` }),
    ];
  });
  g.replaceChildren(...arrows);
}
