import { formatNumber } from '../../../pipeline/words/number.ts';
import { influenceMatrix } from '../../simulation/influence.ts';
import type { World } from '../../simulation/world.ts';
import { draw } from '../layout/make-element.ts';

const CELL = 22;
const EDGE = 76;

/** The matrix of influences: a row per listener, a column per speaker. */
export function matrixPicture(world: World, marked: ReadonlySet<string>): SVGSVGElement {
  const { sentinels } = world;
  const size = sentinels.length;
  const matrix = influenceMatrix(sentinels, world.levers);
  const most = Math.max(...matrix);
  const side = EDGE + CELL * size + 2;
  const cells = sentinels.flatMap((listener, i) =>
    sentinels.map((speaker, j) =>
      draw(
        'rect',
        {
          class: marked.has(`${listener.id} ${speaker.id}`) ? 'cell marked' : 'cell',
          x: EDGE + CELL * j,
          y: EDGE + CELL * i,
          width: CELL - 1,
          height: CELL - 1,
          'fill-opacity': (0.04 + (0.96 * matrix[i * size + j]!) / most).toFixed(3),
        },
        draw(
          'title',
          {},
          `${listener.id} listens to ${i === j ? 'itself' : speaker.id}: ${formatNumber(matrix[i * size + j]!, 2)}`,
        ),
      ),
    ),
  );
  const names = sentinels.flatMap(({ id }, i) => [
    draw('text', { x: EDGE - 5, y: EDGE + CELL * i + 15, 'text-anchor': 'end' }, id),
    draw('text', { transform: `translate(${EDGE + CELL * i + 15} ${EDGE - 5}) rotate(-90)` }, id),
  ]);
  return draw(
    'svg',
    {
      class: 'matrix',
      viewBox: `0 0 ${side} ${side}`,
      width: side,
      height: side,
      role: 'img',
      'aria-label': matrixLabel(world, matrix),
    },
    ...cells,
    ...names,
  );
}

function matrixLabel({ sentinels }: World, matrix: Float64Array): string {
  const said = loudest(sentinels.length, matrix).map(({ to }, i) =>
    to < 0
      ? `${sentinels[i]!.id} listens to nobody else`
      : `${sentinels[i]!.id} listens most to ${sentinels[to]!.id}`,
  );
  return `Who listens to whom: ${said.join('; ')}.`;
}

/** For each sentinel the other that it listens to most; −1 if to none. */
export function loudestOthers({ sentinels, levers }: World): { to: number; weight: number }[] {
  return loudest(sentinels.length, influenceMatrix(sentinels, levers));
}

function loudest(size: number, matrix: Float64Array): { to: number; weight: number }[] {
  return Array.from({ length: size }, (_, i) => {
    let best = { to: -1, weight: 0 };
    for (let j = 0; j < size; j += 1) {
      const weight = matrix[i * size + j]!;
      if (j !== i && weight > best.weight) best = { to: j, weight };
    }
    return best;
  });
}

/** `ATLAS listens most to EVE; …` */
export function tiesWords(world: World): string {
  const said = loudestOthers(world).flatMap(({ to }, i) =>
    to < 0 ? [] : [`${world.sentinels[i]!.id} listens most to ${world.sentinels[to]!.id}`],
  );
  return `${said.join('; ')}.`;
}
