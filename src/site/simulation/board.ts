import { ownOpinions, POSITIONS_FROM } from '../../simulation/opinions.ts';
import type { World } from '../../simulation/world.ts';
import { draw, setAttributes } from '../layout/make-element.ts';
import { STANCE_WORDS, stanceOf, stancesInWords } from './words.ts';

const { abstain, support_with_conditions, support } = POSITIONS_FROM;

/** The positions as parts of a scale, from against to for. `share`: of the width that a zone is drawn with. */
export const ZONES = [
  { from: 0, to: abstain, label: 'Against', short: 'Against', share: 0.3 },
  { from: abstain, to: support_with_conditions, label: 'Undecided', short: 'Undecided', share: 0.22 },
  { from: support_with_conditions, to: support, label: 'With conditions', short: 'Conditions', share: 0.24 },
  { from: support, to: 1, label: 'For', short: 'For', share: 0.24 },
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

const TOP = 25;
const RIGHT = 8;
/** Room for the names. */
const NAMES = 78;

/**
 * Draws each sentinel’s opinion as a dot in the zone of its position. A stroke is its own judgement, and a tail leads from where it was
 * before. Dots keep their elements, so that CSS can move them.
 */
export function drawBoard(svg: SVGSVGElement, before: World, now: World): void {
  const width = Math.min(1100, Math.max(260, svg.parentElement!.clientWidth));
  const row = width < 480 ? 17 : 29;
  const height = TOP + row * now.sentinels.length + 2;
  const x = (opinion: number) => NAMES + zonePlace(opinion) * (width - NAMES - RIGHT);
  setAttributes(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
  setAttributes(svg, { 'aria-label': `The board on day ${now.tick}. ${stancesInWords(now)}.` });
  if (svg.dataset.width !== String(width)) {
    svg.dataset.width = String(width);
    svg.replaceChildren(...zones(x, width, height), ...now.sentinels.map(rowOf));
  }
  const own = ownOpinions(now);
  for (const [i, { id }] of now.sentinels.entries()) {
    const g = svg.querySelectorAll('.sentinel')[i]!;
    const stance = stanceOf(now, i);
    const opinion = now.conditions.opinion[i]!;
    const set = (name: string, attributes: Parameters<typeof setAttributes>[1]) =>
      setAttributes(g.querySelector(name)!, attributes);
    setAttributes(g, { 'data-position': stance, transform: `translate(0 ${TOP + row * i + row / 2})` });
    set('.track', { x1: NAMES, x2: width - RIGHT });
    set('.tail', { x1: x(before.conditions.opinion[i]!), x2: x(opinion) });
    set('.own', { x1: x(own[i]!), x2: x(own[i]!) });
    set('circle', { cx: x(opinion) });
    g.querySelector('title')!.textContent = `${id} ${STANCE_WORDS[stance]}`;
  }
}

function rowOf({ id }: World['sentinels'][number]): SVGGElement {
  return draw(
    'g',
    { class: 'sentinel' },
    draw('title'),
    draw('text', { class: 'name', dy: '0.35em' }, id),
    draw('line', { class: 'track' }),
    draw('line', { class: 'tail' }),
    draw('line', { class: 'own', y1: -7, y2: 7 }),
    draw('circle', { r: 6 }),
  );
}

function zones(x: (opinion: number) => number, width: number, height: number): SVGElement[] {
  return ZONES.flatMap(({ from, to, label, short }) => {
    const [left, right] = [x(from), x(to)];
    const name = { class: 'zone-name', x: (left + right) / 2, y: 15, 'text-anchor': 'middle' };
    return [
      draw('rect', { class: 'zone', x: left, y: 0, width: right - left - 1, height }),
      draw('text', name, width < 480 ? short : label),
    ];
  });
}
