import type { DrawnColumn, PlotScale } from '../../../pipeline/charts/drawing/plot.ts';
import { formatDay, formatDays } from '../../../pipeline/words/moment.ts';
import { formatNumber } from '../../../pipeline/words/number.ts';

/** A row of the chart's table as the page shows it. */
interface ShownRow {
  cells: readonly string[];
}

/** One step: a moment with all its rows, or one row. */
interface Step {
  rows: readonly ShownRow[];
  /** Where its values lie on the lines, px. */
  dots: readonly { x: number; y: number; colour: string }[];
  /** Its position in each of the picture's plots, px; null spans the whole axis. */
  marks: readonly { x: number | null; y: number | null; top: number; bottom: number }[];
}

const DATE = /^\d{4}-\d{2}-\d{2}/;
const HALF_DAY_MS = 43_200_000;

/** The steps of a picture, left to right or top to bottom. */
function stepsOf(
  scales: readonly PlotScale[],
  rows: readonly ShownRow[],
  columns: readonly Column[],
): Step[] {
  const [scale] = scales;
  if (!scale) return [];
  if (scale.kind === 'time') return timeSteps(scales, rows, columns);
  const places: readonly (readonly [number | null, number])[] =
    scale.kind === 'points' ? scale.points : scale.middles.map((y) => [null, y] as const);
  return places.flatMap(([x, y], index) => {
    const row = rows[index];
    return row ? [{ rows: [row], dots: [], marks: [{ x, y, top: y, bottom: y }] }] : [];
  });
}

type TimeScale = Extract<PlotScale, { kind: 'time' }>;

function timeSteps(
  scales: readonly PlotScale[],
  rows: readonly ShownRow[],
  columns: readonly Column[],
): Step[] {
  const plots = scales.filter((scale): scale is TimeScale => scale.kind === 'time');
  const byTime = Map.groupBy(rows, timeOf);
  const times = [...byTime.keys()].filter((time) => !Number.isNaN(time)).sort((a, b) => a - b);
  return times.map((time) => {
    const own = byTime.get(time)!;
    const marks = plots.map(({ from, to, box }) => {
      const share = Math.min(1, Math.max(0, (time - from) / (to - from)));
      return { x: box.left + share * (box.right - box.left), y: null, top: box.top, bottom: box.bottom };
    });
    const dots = plots.flatMap((plot, index) => dotsOf(plot, own, columns, marks[index]!.x));
    return { rows: own, dots, marks };
  });
}

function dotsOf(
  { values, box, drawn = [] }: TimeScale,
  rows: readonly ShownRow[],
  columns: readonly Column[],
  x: number,
): Step['dots'] {
  if (!values) return [];
  const height = values.scale === 'log' ? Math.log10 : (value: number) => value;
  const [low, high] = values.domain.map(height) as [number, number];
  return drawn.flatMap((one) => {
    const value = one.mark === 'line' ? drawnValue(one, rows, columns) : null;
    const share = value === null ? Number.NaN : (height(value) - low) / (high - low);
    const isInside = share >= -0.01 && share <= 1.01;
    return isInside ? [{ x, y: box.bottom - share * (box.bottom - box.top), colour: one.colour }] : [];
  });
}

function drawnValue(
  { column, of }: DrawnColumn,
  rows: readonly ShownRow[],
  columns: readonly Column[],
): number | null {
  const row = of === undefined ? rows[0] : rows.find(({ cells }) => cells[1] === of);
  return numberIn(row?.cells[columns.findIndex(({ name }) => name === column)] ?? '');
}

/** `−1,234.5` → -1234.5; null for any other text. */
function numberIn(text: string): number | null {
  const plain = text.replaceAll(',', '').replace('−', '-');
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : null;
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
  scales: PlotScale[];
  steps: Step[];
  columns: Column[];
  keys: DrawnColumn[];
}

/** A column of the table: `circulating`, `Circulating`, `MIC`. */
interface Column {
  name: string;
  title: string;
  unit: string;
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
  readonly #close = document.createElement('button');
  /** A click keeps the values of a moment on the page until the next one. */
  #isPinned = false;
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
    this.#close.type = 'button';
    this.#close.className = 'readout-close';
    this.#close.textContent = '×';
    this.#close.title = 'Close';
    // Escape does the same; for screen readers the values are those of the slider.
    this.#close.tabIndex = -1;
    this.#close.addEventListener('pointerdown', (event) => event.preventDefault());
    this.#close.addEventListener('click', () => this.#hide());
    this.#marks.className = 'step-marks';
    for (const element of [this.#readout, this.#marks]) element.setAttribute('aria-hidden', 'true');
    plot.append(this.#marks, slider, this.#readout);
    slider.addEventListener('pointermove', (event) => this.#isPinned || this.#point(event));
    slider.addEventListener('pointerdown', (event) => event.pointerType === 'touch' && this.#point(event));
    // Not `click`: that of a finger goes to the readout, if that now lies under it.
    slider.addEventListener(
      'pointerup',
      ({ pointerType, clientY }) => pointerType === 'touch' && this.#clear(clientY),
    );
    slider.addEventListener('click', (event) => this.#pin(event as PointerEvent));
    slider.addEventListener(
      'pointerleave',
      ({ pointerType }) => pointerType === 'mouse' && !this.#isPinned && this.#hide(),
    );
    slider.addEventListener('blur', () => this.#isPinned || this.#hide());
    slider.addEventListener(
      'focus',
      () => slider.matches(':focus-visible') && this.#show(this.#index < 0 ? this.#last() : this.#index),
    );
    slider.addEventListener('keydown', (event) => this.#press(event));
    window.addEventListener('resize', () => this.reset());
    slider.setAttribute('aria-valuenow', '1');
    // Which picture is seen follows only from the layout, for which the page is not to wait twice.
    whenIdle(() => this.#shown ?? this.reset());
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

  #pin(event: PointerEvent): void {
    if (event.pointerType === 'touch') return;
    this.#isPinned = !this.#isPinned;
    this.#point(event);
  }

  #point({ clientX, clientY, pointerType }: PointerEvent): void {
    const { steps } = this.#read();
    const { left, top, scale } = this.#frame();
    const { step, mark } = nearestStep(steps, { x: (clientX - left) / scale, y: (clientY - top) / scale });
    this.#readout.classList.toggle('at-bottom', pointerType === 'touch');
    this.#show(step, mark, (clientY - top) / scale);
  }

  /** Scrolls by as much as the readout at the bottom of the screen covers of the picture, but not the touched place out of sight. */
  #clear(touched: number): void {
    const { bottom, top } = this.#slider.getBoundingClientRect();
    const covered = bottom + 8 - this.#readout.getBoundingClientRect().top;
    const room = Math.max(0, top, touched - 80);
    if (!this.#readout.hidden && covered > 0) window.scrollBy({ top: Math.min(covered, room) });
  }

  #press(event: KeyboardEvent): void {
    const move = KEYS[event.key];
    if (event.key === 'Escape') this.#hide();
    if (!move) return;
    event.preventDefault();
    this.#readout.classList.remove('at-bottom');
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

  /** `height` is that of the pointer, in the picture. */
  #show(index: number, near = 0, height?: number): void {
    const { steps, columns, keys } = this.#read();
    const step = steps[index];
    if (!step) return;
    this.#index = index;
    this.#tell(index);
    const { scale, width } = this.#frame();
    this.#marks.replaceChildren(
      ...step.marks.map((mark) => markElement(mark, scale, width)),
      ...step.dots.map((dot) => dotElement(dot, scale)),
    );
    this.#readout.replaceChildren(...readoutOf(step, columns, keys), this.#close);
    this.#readout.classList.toggle('pinned', this.#isPinned);
    this.#readout.hidden = false;
    this.#beside(step.marks[near]!, scale, width, height);
  }

  /** Beside the mark: to its right while the plot goes on there, since the names of the lines follow it; else to its left. */
  #beside({ x, y, top }: Step['marks'][number], scale: number, width: number, height?: number): void {
    const { offsetWidth: room, offsetHeight: tall } = this.#readout;
    const [scaleOfPlot] = this.#read().scales;
    const end = scaleOfPlot?.kind === 'time' && x !== null ? this.#rightOf(x) * scale : width;
    const at = x === null ? width / 2 : x * scale;
    const isRight = at + 14 + room <= end || at - 14 - room < 0;
    const left = isRight ? Math.min(at + 14, Math.max(0, width - room)) : at - 14 - room;
    const below =
      y === null ? (height ?? top) * scale - (height === undefined ? 0 : tall / 2) : y * scale + 16;
    const lowest = this.#slider.offsetHeight - tall;
    this.#readout.style.left = `${left}px`;
    this.#readout.style.top = `${y === null ? Math.max(0, Math.min(below, lowest)) : below}px`;
  }

  /** The right edge of the plot that has this place. */
  #rightOf(x: number): number {
    const boxes = this.#read().scales.flatMap((scale) => (scale.kind === 'time' ? [scale.box] : []));
    return boxes.find(({ left, right }) => left <= x && x <= right)?.right ?? Number.POSITIVE_INFINITY;
  }

  #tell(index: number): void {
    const { steps, columns, keys } = this.#read();
    const step = steps[index];
    this.#slider.setAttribute('aria-valuenow', String(index + 1));
    this.#slider.setAttribute('aria-valuetext', step ? sentence(step, columns, keys) : '');
  }

  #hide(): void {
    this.#isPinned = false;
    this.#readout.hidden = true;
    this.#marks.replaceChildren();
  }
}

/** Within a second also in a page that is never idle; at once where a browser does not tell. */
function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: 1000 });
  else setTimeout(work);
}

function readShown(root: HTMLElement): Shown {
  const pictures = [...root.querySelectorAll<HTMLElement>('.plot [data-scales]')];
  const picture = pictures.find((one) => one.offsetWidth > 0) ?? pictures[0]!;
  const table = root.querySelector<HTMLTableElement>('.chart-table table')!;
  const columns = [...table.tHead!.rows[0]!.cells].map(columnOf);
  // A reader may have sorted the table.
  const inOrder = [...table.tBodies[0]!.rows].sort((a, b) => placeOf(a) - placeOf(b));
  const rows: ShownRow[] = inOrder.map((row) => ({ cells: [...row.cells].map((cell) => cell.textContent) }));
  const scales = JSON.parse(picture.dataset.scales!) as PlotScale[];
  const keys = scales.flatMap((scale) => (scale.kind === 'time' ? (scale.drawn ?? []) : []));
  return { picture, scales, columns, keys, steps: stepsOf(scales, rows, columns) };
}

/** Where the row was before the table was sorted. */
function placeOf({ dataset }: HTMLElement): number {
  return Number(dataset.place ?? 0);
}

function columnOf(cell: HTMLElement): Column {
  const unit = cell.querySelector('.column-unit')?.textContent ?? '';
  return {
    name: cell.dataset.column ?? '',
    unit,
    title: cell.textContent.slice(0, cell.textContent.length - unit.length).trim(),
  };
}

interface Line {
  name: string;
  /** With fewer decimals and its unit. */
  value: string;
  colour: string | null;
}

/** The lines of the readout: columns of a single row, or the labels and last numbers of several rows. */
function linesOf({ rows }: Step, columns: readonly Column[], keys: readonly DrawnColumn[]): Line[] {
  const [row] = rows;
  const line = (name: string, exact: string, { unit }: Column, key: DrawnColumn | undefined): Line => ({
    name,
    value: shortValue(exact, unit),
    colour: key?.colour ?? null,
  });
  const ofRow = ({ cells }: ShownRow) => keys.find(({ of }) => of !== undefined && of === cells[1]);
  if (rows.length > 1 || ofRow(row!))
    return rows.map((one) => {
      const key = ofRow(one);
      const name = key?.of ?? one.cells.slice(1, -1).join(', ');
      return line(name, one.cells.at(-1)!, columns.at(-1)!, key);
    });
  const first = isPeriod(row!) ? 2 : 1;
  return columns.slice(first).flatMap((column, index) => {
    const exact = row!.cells[index + first]!;
    return exact === ''
      ? []
      : [
          line(
            column.title,
            exact,
            column,
            keys.find((key) => key.column === column.name),
          ),
        ];
  });
}

/** The axis has the unit of shares, which is none; the table has every digit. */
function shortValue(exact: string, unit: string): string {
  const number = numberIn(exact);
  if (number === null) return exact;
  const most = Math.abs(number) >= 1000 ? 0 : Math.abs(number) >= 10 ? 1 : 4;
  const text = formatNumber(number, Math.min(most, exact.split('.')[1]?.length ?? 0));
  return unit === '' || unit === 'share' || unit === 'count' ? text : `${text} ${unit}`;
}

function isPeriod({ cells: [first = '', second = ''] }: ShownRow): boolean {
  return DATE.test(first) && DATE.test(second);
}

/** `9–15 March 2026`, or the row's first cell if it is no day. */
function heading(row: ShownRow): string {
  const [first = '', second = ''] = row.cells;
  if (isPeriod(row)) return formatDays(first, second);
  return /^\d{4}-\d{2}-\d{2}$/.test(first) ? formatDay(first) : first;
}

function sentence(step: Step, columns: readonly Column[], keys: readonly DrawnColumn[]): string {
  const lines = linesOf(step, columns, keys).map(({ name, value }) => `${name}: ${value}`);
  return [heading(step.rows[0]!), ...lines].join('; ');
}

function readoutOf(step: Step, columns: readonly Column[], keys: readonly DrawnColumn[]): HTMLElement[] {
  const title = document.createElement('strong');
  title.textContent = heading(step.rows[0]!);
  const list = document.createElement('dl');
  for (const { name, value, colour } of linesOf(step, columns, keys)) {
    const [term, description] = [document.createElement('dt'), document.createElement('dd')];
    const key = document.createElement('span');
    key.className = 'readout-key';
    if (colour !== null) key.style.background = colour;
    term.append(key, name);
    description.textContent = value;
    list.append(term, description);
  }
  list.classList.toggle('without-keys', keys.length === 0);
  return [title, list];
}

function dotElement({ x, y, colour }: Step['dots'][number], scale: number): HTMLElement {
  const dot = document.createElement('div');
  dot.className = 'dot-mark';
  dot.style.left = `${x * scale}px`;
  dot.style.top = `${y * scale}px`;
  dot.style.background = colour;
  return dot;
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
