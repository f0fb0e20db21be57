import { scaleLinear, select } from 'd3';
import { POSITIONS_FROM } from '../../../simulation/opinions.ts';
import type { Shown, ShownSentinel } from '../../../simulation/view.ts';
import { describeStances } from './describe-change.ts';

const ROW = 28;
const TOP = 26;
const NAMES = 88;
const RIGHT = 14;

/**
 * Each sentinel’s opinion as a dot on a line from rejection to adoption, with a stroke where it would stand by itself and a tail
 * from where it stood a tick ago. Dots keep their elements, so that a style can let them glide.
 */
export function drawStances(svg: SVGSVGElement, now: Shown, before: Shown | undefined, width: number): void {
  const x = scaleLinear([0, 1], [NAMES, width - RIGHT]);
  const y = (_: unknown, place: number) => TOP + ROW * place + ROW / 2;
  const height = TOP + ROW * now.sentinels.length + 4;
  const root = select(svg)
    .attr('viewBox', `0 0 ${width} ${height}`)
    .attr('width', width)
    .attr('height', height);
  root.attr('aria-label', `Opinions after tick ${now.tick}: ${describeStances(now)}.`);
  drawScale(svg, x, height);
  const then = new Map(before?.sentinels.map(({ id, opinion }) => [id, opinion]));
  const rows = root
    .selectAll<SVGGElement, ShownSentinel>('g.sentinel')
    .data(now.sentinels, ({ id }) => id)
    .join((enter) => {
      const row = enter.append('g').attr('class', 'sentinel');
      row
        .append('text')
        .attr('class', 'name')
        .attr('dy', '0.35em')
        .text(({ id }) => id);
      row.append('line').attr('class', 'track');
      row.append('line').attr('class', 'tail');
      row.append('line').attr('class', 'innate').attr('y1', -7).attr('y2', 7);
      row.append('circle').attr('r', 6.5);
      return row;
    });
  rows.attr('data-position', ({ position, status }) => (status === 'operational' ? position : status));
  rows.attr('transform', (_, place) => `translate(0 ${y(_, place)})`);
  rows.select('.track').attr('x1', x(0)).attr('x2', x(1));
  rows
    .select('.tail')
    .attr('x1', ({ id, opinion }) => x(then.get(id) ?? opinion))
    .attr('x2', ({ opinion }) => x(opinion));
  rows
    .select('.innate')
    .attr('x1', ({ innate_opinion: own }) => x(own))
    .attr('x2', ({ innate_opinion: own }) => x(own));
  rows.select('circle').attr('cx', ({ opinion }) => x(opinion));
}

function drawScale(svg: SVGSVGElement, x: (value: number) => number, height: number): void {
  const { abstain, support_with_conditions, support } = POSITIONS_FROM;
  select(svg)
    .selectAll('line.bound')
    .data([abstain, support_with_conditions, support])
    .join((enter) => enter.insert('line', 'g').attr('class', 'bound'))
    .attr('x1', x)
    .attr('x2', x)
    .attr('y1', TOP - 6)
    .attr('y2', height - 4);
  select(svg)
    .selectAll('text.end')
    .data([
      { words: '← rejects', at: 0, anchor: 'start' },
      { words: 'adopts →', at: 1, anchor: 'end' },
    ])
    .join((enter) => enter.append('text').attr('class', 'end'))
    .attr('x', ({ at }) => x(at))
    .attr('y', 14)
    .attr('text-anchor', ({ anchor }) => anchor)
    .text(({ words }) => words);
}
