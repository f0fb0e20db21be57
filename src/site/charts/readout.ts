import type { ChartColumn } from '../../../pipeline/charts/chart-table.ts';
import type { DrawnColumn, PlotScale } from '../../../pipeline/charts/drawing/plot.ts';
import { valueWords } from '../../../pipeline/charts/summary.ts';
import { formatRowTime, spanOf } from '../../../pipeline/charts/timed-table.ts';

/** The words of a row's cells, as the page shows them. */
type Row = readonly string[];

/** Where a step is in one plot of the picture, px; null spans the whole axis. */
interface Mark {
  x: number | null;
  y: number | null;
  top: number;
  bottom: number;
}

/** One step: a moment with all its rows, or one row. */
interface Step {
  rows: readonly Row[];
  marks: readonly Mark[];
  /** Where its values lie on lines, px. */
  dots: readonly { x: number; y: number; colour: string }[];
}

interface Shown {
  picture: HTMLElement;
  scales: readonly PlotScale[];
  columns: readonly ChartColumn[];
  keys: readonly DrawnColumn[];
  steps: readonly Step[];
}

type TimeScale = Extract<PlotScale, { kind: 'time' }>;

const DAY = /^\d{4}-\d{2}-\d{2}/;

/** What the page shows: the picture that is seen, and the table in its own order. */
function readShown(root: HTMLElement): Shown {
  const pictures = [...root.querySelectorAll<HTMLElement>('.plot [data-scales]')];
  const picture = pictures.find((one) => one.offsetWidth > 0) ?? pictures[0]!;
  const table = root.querySelector<HTMLTableElement>('.chart-table table')!;
  const columns = [...table.tHead!.rows[0]!.cells].map((cell) => {
    const unit = cell.querySelector('.column-unit')?.textContent ?? '';
    const title = cell.textContent.slice(0, cell.textContent.length - unit.length).trim();
    return { name: cell.dataset.column ?? '', title, unit };
  });
  // A reader may have sorted the table.
  const place = ({ dataset }: HTMLElement) => Number(dataset.place ?? 0);
  const rows = [...table.tBodies[0]!.rows]
    .sort((a, b) => place(a) - place(b))
    .map(({ cells }) => [...cells].map((cell) => cell.textContent));
  const scales = JSON.parse(picture.dataset.scales!) as PlotScale[];
  const times = scales.filter((scale): scale is TimeScale => scale.kind === 'time');
  const keys = times.flatMap(({ drawn = [] }) => drawn);
  const steps = times.length > 0 ? timeSteps(times, rows, columns) : rowSteps(scales[0], rows);
  return { picture, scales, columns, keys, steps };
}

function rowSteps(scale: PlotScale | undefined, rows: readonly Row[]): Step[] {
  if (!scale || scale.kind === 'time') return [];
  const places = scale.kind === 'points' ? scale.points : scale.middles.map((y) => [null, y] as const);
  return places.flatMap(([x, y], index) =>
    rows[index] ? [{ rows: [rows[index]], dots: [], marks: [{ x, y, top: y, bottom: y }] }] : [],
  );
}

function timeSteps(
  plots: readonly TimeScale[],
  rows: readonly Row[],
  columns: readonly ChartColumn[],
): Step[] {
  const byTime = Map.groupBy(rows, (row) => spanOf(row).middle);
  const times = [...byTime.keys()].filter((time) => !Number.isNaN(time)).sort((a, b) => a - b);
  return times.map((time) => {
    const own = byTime.get(time)!;
    const marks = plots.map(({ from, to, box }) => {
      const share = Math.min(1, Math.max(0, (time - from) / (to - from)));
      return { x: box.left + share * (box.right - box.left), y: null, top: box.top, bottom: box.bottom };
    });
    return { rows: own, marks, dots: plots.flatMap((plot, at) => dotsOf(plot, own, columns, marks[at]!.x)) };
  });
}

function dotsOf(
  { values, box, drawn = [] }: TimeScale,
  rows: readonly Row[],
  columns: readonly ChartColumn[],
  x: number,
): Step['dots'] {
  if (!values) return [];
  const height = values.scale === 'log' ? Math.log10 : (value: number) => value;
  const [low, high] = values.domain.map(height) as [number, number];
  return drawn.flatMap(({ column, of, colour, mark }) => {
    const row = of === undefined ? rows[0] : rows.find((cells) => cells[1] === of);
    const value = numberIn(row?.[columns.findIndex(({ name }) => name === column)] ?? '');
    const share = value === null || mark === 'area' ? Number.NaN : (height(value) - low) / (high - low);
    const isInside = share >= -0.01 && share <= 1.01;
    return isInside ? [{ x, y: box.bottom - share * (box.bottom - box.top), colour }] : [];
  });
}

/** `−1,234.5` → -1234.5; null for any other text. */
function numberIn(text: string): number | null {
  const plain = text.replaceAll(',', '').replace('−', '-');
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : null;
}

interface Line {
  name: string;
  value: string;
  colour: string | null;
}

/** The columns of a single row, or the names and the last numbers of several rows, with fewer decimals and their units. */
function linesOf({ rows }: Step, { columns, keys }: Shown): Line[] {
  const line = (name: string, exact: string, { unit }: ChartColumn, key: DrawnColumn | undefined): Line => {
    const number = numberIn(exact);
    const value = number === null ? exact : valueWords(number, unit, exact.split('.')[1]?.length ?? 0);
    return { name, value, colour: key?.colour ?? null };
  };
  const keyOf = (row: Row) => keys.find(({ of }) => of !== undefined && of === row[1]);
  const [row] = rows as [Row];
  if (rows.length > 1 || keyOf(row))
    return rows.map((one) => {
      const key = keyOf(one);
      const at = key ? columns.findIndex(({ name }) => name === key.column) : columns.length - 1;
      return line(key?.of ?? one.slice(1, -1).join(', '), one[at]!, columns[at]!, key);
    });
  const first = DAY.test(row[0] ?? '') && DAY.test(row[1] ?? '') ? 2 : 1;
  return columns.slice(first).flatMap((column, at) =>
    row[at + first] === ''
      ? []
      : [
          line(
            column.title,
            row[at + first]!,
            column,
            keys.find((key) => key.column === column.name),
          ),
        ],
  );
}

/** A place above or below a plot counts as further away than one beside a mark, because it belongs to another plot. */
function distance({ x, y, top, bottom }: Mark, at: { x: number; y: number }): number {
  const beside = Math.max(0, top - at.y, at.y - bottom) * 4;
  return Math.hypot(x === null ? 0 : x - at.x, y === null ? beside : y - at.y);
}

/** Steps to go. */
const KEYS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowUp: -1,
  ArrowRight: 1,
  ArrowDown: 1,
  PageUp: -10,
  PageDown: 10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** A slider without a track, because screen readers pass arrow keys to sliders and announce their values. */
const PARTS = [
  '<div class="stepper" role="slider" tabindex="0" aria-label="Values of the chart" aria-valuemin="1" aria-valuenow="1"></div>',
  // Escape does what its button does; for screen readers the values are those of the slider.
  '<div class="readout" aria-hidden="true" hidden><div></div><button class="readout-close" type="button" title="Close" tabindex="-1">×</button></div>',
].join('');

/** Lets a reader inspect the values of the picture by pointer, touch and arrow keys. The values come from the table. */
export class Readout {
  readonly #root: HTMLElement;
  readonly #slider: HTMLElement;
  readonly #box: HTMLElement;
  /** A click keeps the values of a moment on the page until the next one. */
  #isPinned = false;
  #shown: Shown | null = null;
  #index = -1;

  constructor(root: HTMLElement) {
    this.#root = root;
    root.querySelector('.plot')!.insertAdjacentHTML('beforeend', PARTS);
    this.#slider = root.querySelector<HTMLElement>('.stepper')!;
    this.#box = root.querySelector<HTMLElement>('.readout')!;
    const [slider, close] = [this.#slider, this.#box.querySelector('button')!];
    close.addEventListener('pointerdown', (event) => event.preventDefault());
    close.addEventListener('click', () => this.#hide());
    const isTouch = ({ pointerType }: PointerEvent) => pointerType === 'touch';
    slider.addEventListener('pointermove', (event) => this.#isPinned || this.#point(event));
    slider.addEventListener('pointerdown', (event) => isTouch(event) && this.#point(event));
    // Not `click`: that of a finger goes to the readout, if that now lies under it.
    slider.addEventListener('pointerup', (event) => isTouch(event) && this.#uncover(event.clientY));
    slider.addEventListener('click', (event) => {
      if (isTouch(event as PointerEvent)) return;
      this.#isPinned = !this.#isPinned;
      this.#point(event as PointerEvent);
    });
    slider.addEventListener('pointerleave', (event) => isTouch(event) || this.#isPinned || this.#hide());
    slider.addEventListener('blur', () => this.#isPinned || this.#hide());
    slider.addEventListener(
      'focus',
      () => slider.matches(':focus-visible') && this.#show(this.#index < 0 ? this.#last() : this.#index),
    );
    slider.addEventListener('keydown', (event) => this.#press(event));
    window.addEventListener('resize', () => this.reset());
    this.reset();
  }

  /**
   * As long as the picture was not read, or after it was drawn anew. The table is read, and words for numbers and days are made, only when a
   * reader comes: the first words alone take a slow phone a fifth of a second.
   */
  reset(): void {
    this.#hide();
    this.#index = -1;
    this.#shown = null;
    const scales = this.#root.querySelector<HTMLElement>('.plot [data-scales]')?.dataset.scales ?? '[]';
    this.#slider.hidden = scales === '[]' || this.#root.querySelector('.chart-table tbody tr') === null;
    this.#slider.setAttribute('aria-valuetext', 'The arrow keys read them');
  }

  #read(): Shown {
    this.#shown ??= readShown(this.#root);
    return this.#shown;
  }

  #last(): number {
    return this.#read().steps.length - 1;
  }

  /** px of the page for one of the picture that is seen. */
  #scale(): number {
    const svg = this.#read().picture.querySelector('svg')!;
    return svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  }

  /** Shows the step nearest to a pointer. */
  #point(event: PointerEvent): void {
    const [scale, { left, top }] = [this.#scale(), this.#slider.getBoundingClientRect()];
    const at = { x: (event.clientX - left) / scale, y: (event.clientY - top) / scale };
    const found = { index: -1, mark: 0, distance: Number.POSITIVE_INFINITY };
    for (const [index, { marks }] of this.#read().steps.entries())
      for (const [mark, place] of marks.entries())
        if (distance(place, at) < found.distance)
          Object.assign(found, { index, mark, distance: distance(place, at) });
    this.#box.classList.toggle('at-bottom', event.pointerType === 'touch');
    this.#show(found.index, found.mark, at.y);
  }

  /** Scrolls by as much as the readout at the bottom of the screen covers of the picture, but not the touched place out of sight. */
  #uncover(touched: number): void {
    const { bottom, top } = this.#slider.getBoundingClientRect();
    const covered = bottom + 8 - this.#box.getBoundingClientRect().top;
    const room = Math.max(0, top, touched - 80);
    if (!this.#box.hidden && covered > 0) window.scrollBy({ top: Math.min(covered, room) });
  }

  #press(event: KeyboardEvent): void {
    const move = KEYS[event.key];
    if (event.key === 'Escape') this.#hide();
    if (move === undefined) return;
    event.preventDefault();
    this.#box.classList.remove('at-bottom');
    const last = this.#last();
    this.#show(Math.min(last, Math.max(0, (this.#index < 0 ? last : this.#index) + move)));
  }

  /** `near` is the mark beside which the values stand, `height` that of the pointer, in the picture. */
  #show(index: number, near = 0, height?: number): void {
    const shown = this.#read();
    const step = shown.steps[index];
    if (!step) return;
    this.#index = index;
    this.#tell(index);
    this.#unmark();
    const svg = shown.picture.querySelector('svg')!;
    const marks = [
      ...step.marks.map((mark) => markSvg(mark, svg.viewBox.baseVal.width)),
      ...step.dots.map(
        ({ x, y, colour }) => `<circle class="dot-mark" cx="${x}" cy="${y}" r="4" fill="${colour}"/>`,
      ),
    ];
    svg.insertAdjacentHTML('beforeend', `<g class="step-marks">${marks.join('')}</g>`);
    const lines = linesOf(step, shown).map(({ name, value, colour }) => {
      const key = `<svg class="readout-key"><rect width="100%" height="100%" fill="${colour}"/></svg>`;
      return `<dt>${colour === null ? '' : key}${htmlOf(name)}</dt><dd>${htmlOf(value)}</dd>`;
    });
    const look = shown.keys.length === 0 ? 'without-keys' : '';
    this.#box.firstElementChild!.innerHTML =
      `<strong>${htmlOf(formatRowTime(step.rows[0]!))}</strong><dl class="${look}">${lines.join('')}</dl>`;
    this.#box.classList.toggle('pinned', this.#isPinned);
    this.#box.hidden = false;
    this.#stand(step.marks[near]!, height);
  }

  /** Beside the mark, towards the middle of the picture: the names of the lines are at its right end. */
  #stand({ x, y, top }: Mark, height: number | undefined): void {
    const { offsetWidth, offsetHeight, style } = this.#box;
    const [scale, { offsetWidth: width, offsetHeight: tall }] = [this.#scale(), this.#slider];
    const at = x === null ? width / 2 : x * scale;
    const left = at > width / 2 ? at - 14 - offsetWidth : at + 14;
    const pointed = height === undefined ? top * scale : height * scale - offsetHeight / 2;
    const upper = y === null ? Math.max(0, Math.min(pointed, tall - offsetHeight)) : y * scale + 16;
    style.left = `${Math.max(0, Math.min(left, width - offsetWidth))}px`;
    style.top = `${upper}px`;
  }

  #tell(index: number): void {
    const shown = this.#read();
    const step = shown.steps[index]!;
    const lines = linesOf(step, shown).map(({ name, value }) => `${name}: ${value}`);
    this.#slider.setAttribute('aria-valuemax', String(this.#last() + 1));
    this.#slider.setAttribute('aria-valuenow', String(index + 1));
    this.#slider.setAttribute('aria-valuetext', [formatRowTime(step.rows[0]!), ...lines].join('; '));
  }

  #hide(): void {
    this.#isPinned = false;
    this.#box.hidden = true;
    this.#unmark();
  }

  #unmark(): void {
    this.#root.querySelector('.step-marks')?.remove();
  }
}

const htmlOf = (text: string) => new Option(text).innerHTML;

const ROW_HEIGHT = 26;

/** A line at a moment, two lines around a row of the picture, or a ring around a point. */
function markSvg({ x, y, top, bottom }: Mark, width: number): string {
  if (y === null) return `<rect class="time-mark" x="${x}" y="${top}" width="1" height="${bottom - top}"/>`;
  if (x !== null) return `<circle class="point-mark" cx="${x}" cy="${y}" r="8"/>`;
  return `<rect class="row-mark" x="-1" y="${y - ROW_HEIGHT / 2}" width="${width + 2}" height="${ROW_HEIGHT}"/>`;
}
