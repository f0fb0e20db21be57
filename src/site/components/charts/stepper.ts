import type { PlotScale } from '../../../../pipeline/charts/drawing/plot.ts';

/** A row of the chart's table as the page shows it. */
interface ShownRow {
  cells: readonly string[];
}

/** One step: a moment with all its rows, or one row. */
interface Step {
  rows: readonly ShownRow[];
  /** Its position in each of the picture's plots, px; null spans the whole axis. */
  marks: readonly { x: number | null; y: number | null; top: number; bottom: number }[];
}

const DATE = /^\d{4}-\d{2}-\d{2}/;
const HALF_DAY_MS = 43_200_000;

/** The steps of a picture, left to right or top to bottom. */
function stepsOf(scales: readonly PlotScale[], rows: readonly ShownRow[]): Step[] {
  const [scale] = scales;
  if (!scale) return [];
  if (scale.kind === 'time') return timeSteps(scales, rows);
  const places: readonly (readonly [number | null, number])[] =
    scale.kind === 'points' ? scale.points : scale.middles.map((y) => [null, y] as const);
  return places.flatMap(([x, y], index) => {
    const row = rows[index];
    return row ? [{ rows: [row], marks: [{ x, y, top: y, bottom: y }] }] : [];
  });
}

function timeSteps(scales: readonly PlotScale[], rows: readonly ShownRow[]): Step[] {
  const byTime = Map.groupBy(rows, timeOf);
  const times = [...byTime.keys()].filter((time) => !Number.isNaN(time)).sort((a, b) => a - b);
  return times.map((time) => ({
    rows: byTime.get(time)!,
    marks: scales.flatMap((scale) => {
      if (scale.kind !== 'time') return [];
      const { from, to, box } = scale;
      const share = Math.min(1, Math.max(0, (time - from) / (to - from)));
      const x = box.left + share * (box.right - box.left);
      return [{ x, y: null, top: box.top, bottom: box.bottom }];
    }),
  }));
}

/** The middle of a row's two days, or the time in its first cell; ms since 1970. */
function timeOf({ cells: [first = '', second = ''] }: ShownRow): number {
  const start = Date.parse(first);
  return DATE.test(second) && DATE.test(first) ? (start + Date.parse(second)) / 2 + HALF_DAY_MS : start;
}

/** The step nearest to a position in the picture, and the index of its nearest mark. */
function nearestStep(steps: readonly Step[], at: { x: number; y: number }): { step: number; mark: number } {
  const found = { step: -1, mark: 0, distance: Number.POSITIVE_INFINITY };
  for (const [step, { marks }] of steps.entries()) {
    for (const [mark, place] of marks.entries()) {
      const distance = distanceTo(place, at);
      if (distance < found.distance) Object.assign(found, { step, mark, distance });
    }
  }
  return found;
}

/** A place above or below a plot counts as further away than one beside a mark, because it belongs to another plot. */
function distanceTo({ x, y, top, bottom }: Step['marks'][number], at: { x: number; y: number }): number {
  const beside = Math.max(0, top - at.y, at.y - bottom) * 4;
  return Math.hypot(x === null ? 0 : x - at.x, y === null ? beside : y - at.y);
}

interface Shown {
  picture: HTMLElement;
  steps: Step[];
  /** Headings of the table's columns with their units. */
  columns: string[];
}

const KEYS: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowLeft: (index) => index - 1,
  ArrowUp: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  ArrowDown: (index) => index + 1,
  PageUp: (index) => index - 10,
  PageDown: (index) => index + 10,
  Home: () => 0,
  End: (_, last) => last,
};

/**
 * Lets a reader inspect the values of the picture by pointer, touch and arrow keys. It is a slider without a track, because
 * screen readers pass arrow keys to sliders and announce their values. The values come from the table.
 */
export class Stepper {
  readonly #root: HTMLElement;
  readonly #slider = document.createElement('div');
  readonly #readout = document.createElement('div');
  readonly #marks = document.createElement('div');
  #shown: Shown | null = null;
  #index = -1;

  constructor(root: HTMLElement) {
    this.#root = root;
    const plot = root.querySelector<HTMLElement>('.plot')!;
    const slider = this.#slider;
    slider.className = 'stepper';
    slider.tabIndex = 0;
    for (const [name, value] of Object.entries({
      role: 'slider',
      'aria-label': 'Values of the chart',
      'aria-valuemin': '1',
    }))
      slider.setAttribute(name, value);
    this.#readout.className = 'readout';
    this.#marks.className = 'step-marks';
    for (const element of [this.#readout, this.#marks]) element.setAttribute('aria-hidden', 'true');
    plot.append(this.#marks, slider, this.#readout);
    slider.addEventListener('pointermove', (event) => this.#point(event));
    slider.addEventListener('pointerdown', (event) => this.#point(event));
    slider.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && this.#hide());
    slider.addEventListener('blur', () => this.#hide());
    slider.addEventListener(
      'focus',
      () => slider.matches(':focus-visible') && this.#show(this.#index < 0 ? this.#last() : this.#index),
    );
    slider.addEventListener('keydown', (event) => this.#press(event));
    window.addEventListener('resize', () => this.reset());
    this.reset();
  }

  /** After the picture was drawn anew. */
  reset(): void {
    this.#hide();
    this.#index = -1;
    this.#shown = null;
    const last = this.#last();
    this.#slider.hidden = last < 0;
    this.#slider.setAttribute('aria-valuemax', String(last + 1));
    this.#tell(last);
  }

  #last(): number {
    return this.#read().steps.length - 1;
  }

  #read(): Shown {
    this.#shown ??= readShown(this.#root);
    return this.#shown;
  }

  #point({ clientX, clientY }: PointerEvent): void {
    const { steps } = this.#read();
    const { left, top, scale } = this.#frame();
    const { step, mark } = nearestStep(steps, { x: (clientX - left) / scale, y: (clientY - top) / scale });
    this.#show(step, mark);
  }

  #press(event: KeyboardEvent): void {
    const move = KEYS[event.key];
    if (event.key === 'Escape') this.#hide();
    if (!move) return;
    event.preventDefault();
    const last = this.#last();
    const from = this.#index < 0 ? last : this.#index;
    this.#show(Math.min(last, Math.max(0, move(from, last))));
  }

  /** Of the picture that is seen: px of the page for one of its own. */
  #frame(): { left: number; top: number; width: number; scale: number } {
    const svg = this.#read().picture.querySelector('svg')!;
    const { left, top, width } = svg.getBoundingClientRect();
    return { left, top, width, scale: width / svg.viewBox.baseVal.width };
  }

  #show(index: number, near = 0): void {
    const { steps, columns } = this.#read();
    const step = steps[index];
    if (!step) return;
    this.#index = index;
    this.#tell(index);
    const { scale, width } = this.#frame();
    this.#marks.replaceChildren(...step.marks.map((mark) => markElement(mark, scale, width)));
    this.#readout.replaceChildren(...readoutOf(step, columns));
    this.#readout.hidden = false;
    const { x, y, top } = step.marks[near]!;
    const at = x === null ? width / 2 : x * scale;
    const room = this.#readout.offsetWidth;
    // On the side with more room, never over the mark.
    const left = at + 14 + room <= width ? at + 14 : Math.max(0, at - 14 - room);
    this.#readout.style.left = `${left}px`;
    this.#readout.style.top = `${y === null ? top * scale : y * scale + 16}px`;
  }

  #tell(index: number): void {
    const { steps, columns } = this.#read();
    const step = steps[index];
    this.#slider.setAttribute('aria-valuenow', String(index + 1));
    this.#slider.setAttribute('aria-valuetext', step ? sentence(step, columns) : '');
  }

  #hide(): void {
    this.#readout.hidden = true;
    this.#marks.replaceChildren();
  }
}

function readShown(root: HTMLElement): Shown {
  const pictures = [...root.querySelectorAll<HTMLElement>('.plot [data-scales]')];
  const picture = pictures.find((one) => one.offsetWidth > 0) ?? pictures[0]!;
  const table = root.querySelector<HTMLTableElement>('.chart-table table')!;
  const columns = [...table.tHead!.rows[0]!.cells].map(columnWords);
  const rows: ShownRow[] = [...table.tBodies[0]!.rows].map((row) => ({
    cells: [...row.cells].map((cell) => cell.textContent),
  }));
  return { picture, columns, steps: stepsOf(JSON.parse(picture.dataset.scales!) as PlotScale[], rows) };
}

/** `Circulating (MIC)` */
function columnWords(cell: HTMLElement): string {
  const unit = cell.querySelector('.column-unit')?.textContent ?? '';
  const title = cell.textContent.slice(0, cell.textContent.length - unit.length).trim();
  return unit === '' ? title : `${title} (${unit})`;
}

/** The lines of the readout: columns of a single row, or the labels and last numbers of several rows. */
function linesOf({ rows }: Step, columns: readonly string[]): [name: string, value: string][] {
  const [row] = rows;
  if (rows.length > 1) return rows.map(({ cells }) => [cells.slice(1, -1).join(', '), cells.at(-1)!]);
  return columns.slice(1).flatMap((name, index) => {
    const value = row!.cells[index + 1]!;
    return value === '' ? [] : [[name, value] as [string, string]];
  });
}

function sentence(step: Step, columns: readonly string[]): string {
  const lines = linesOf(step, columns).map(([name, value]) => `${name}: ${value}`);
  return [step.rows[0]!.cells[0], ...lines].join('; ');
}

function readoutOf(step: Step, columns: readonly string[]): HTMLElement[] {
  const heading = document.createElement('strong');
  heading.textContent = step.rows[0]!.cells[0]!;
  const list = document.createElement('dl');
  for (const [name, value] of linesOf(step, columns)) {
    const [term, description] = [document.createElement('dt'), document.createElement('dd')];
    term.textContent = name;
    description.textContent = value;
    list.append(term, description);
  }
  return [heading, list];
}

function markElement(
  { x, y, top, bottom }: Step['marks'][number],
  scale: number,
  width: number,
): HTMLElement {
  const mark = document.createElement('div');
  mark.className = x === null ? 'row-mark' : y === null ? 'time-mark' : 'point-mark';
  const place =
    x !== null && y === null
      ? { left: x * scale, top: top * scale, height: (bottom - top) * scale }
      : { left: x === null ? 0 : x * scale, top: (y ?? 0) * scale, ...(x === null && { width }) };
  for (const [name, value] of Object.entries(place)) mark.style.setProperty(name, `${value}px`);
  return mark;
}
