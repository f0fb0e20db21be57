import type { DayRange, Days } from '../../../pipeline/charts/day-range.ts';
import { addDays, daysFrom } from '../../../pipeline/words/day.ts';
import { formatDay } from '../../../pipeline/words/moment.ts';
import { OVERVIEW } from './overview-path.ts';

type End = 'from' | 'to';

const KEYS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageUp: 30,
  PageDown: -30,
};
/** A choice by keys is taken when no key follows for so long, ms: the chart is not drawn for each day on the way. */
const KEY_PAUSE_MS = 400;

/**
 * Lets a reader choose the days of a chart on a small picture of all of them: by two handles, which are sliders for keyboards
 * and screen readers, or by moving the part between them.
 */
export class Brush {
  readonly #range: DayRange;
  readonly #all: number;
  readonly #root: HTMLElement;
  readonly #outside: SVGRectElement[];
  readonly #window = document.createElement('div');
  readonly #handles: Readonly<Record<End, HTMLElement>>;
  /** Says the days that would be shown; `isChosen` if the reader has let go. */
  readonly #tell: (days: Days, isChosen: boolean) => void;
  #days: Days;
  #pause: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement, range: DayRange, days: Days, tell: (days: Days, isChosen: boolean) => void) {
    this.#root = root;
    this.#range = range;
    this.#all = daysFrom(range.first, range.last);
    this.#days = days;
    this.#tell = tell;
    this.#outside = [...root.querySelectorAll<SVGRectElement>('rect')];
    this.#handles = { from: this.#handle('from', 'First day'), to: this.#handle('to', 'Last day') };
    this.#window.className = 'brush-window';
    root.append(this.#window, this.#handles.from, this.#handles.to);
    root.addEventListener('pointerdown', (event) => this.#grasp(event));
    this.show(days);
  }

  show(days: Days): void {
    clearTimeout(this.#pause);
    this.#place(days);
  }

  #handle(end: End, name: string): HTMLElement {
    const handle = document.createElement('div');
    handle.className = `brush-handle ${end}`;
    handle.tabIndex = 0;
    handle.dataset.end = end;
    handle.setAttribute('role', 'slider');
    handle.setAttribute('aria-label', name);
    handle.setAttribute('aria-valuemin', '1');
    handle.setAttribute('aria-valuemax', String(this.#all));
    handle.title = 'Arrow keys move by a day, Page Up and Page Down by 30; with Shift both ends move';
    handle.addEventListener('keydown', (event) => this.#press(event, end));
    handle.addEventListener('blur', () => this.#settle());
    return handle;
  }

  #place(days: Days): void {
    this.#days = days;
    const left = (this.#index(days.from) / this.#all) * 100;
    const right = ((this.#index(days.to) + 1) / this.#all) * 100;
    this.#window.style.left = this.#handles.from.style.left = `${left}%`;
    this.#window.style.width = `${right - left}%`;
    this.#handles.to.style.left = `${right}%`;
    const unit = OVERVIEW.width / 100;
    this.#outside[0]?.setAttribute('width', String(left * unit));
    this.#outside[1]?.setAttribute('x', String(right * unit));
    this.#outside[1]?.setAttribute('width', String((100 - right) * unit));
    for (const end of ['from', 'to'] as const) {
      this.#handles[end].setAttribute('aria-valuenow', String(this.#index(days[end]) + 1));
      this.#handles[end].setAttribute('aria-valuetext', formatDay(days[end]));
    }
  }

  #index(day: string): number {
    return daysFrom(this.#range.first, day) - 1;
  }

  /** Moves one end, not past the other, or both by the same number of days, not past the data. */
  #moved({ from, to }: Days, end: End | 'both', by: number): Days {
    const [start, stop] = [this.#index(from), this.#index(to)];
    const between = (least: number, value: number, most: number) => Math.min(most, Math.max(least, value));
    if (end === 'both') {
      const shift = between(-start, by, this.#all - 1 - stop);
      return { from: addDays(from, shift), to: addDays(to, shift) };
    }
    return end === 'from'
      ? { from: addDays(from, between(0, start + by, stop) - start), to }
      : { from, to: addDays(to, between(start, stop + by, this.#all - 1) - stop) };
  }

  #press(event: KeyboardEvent, end: End): void {
    const by = event.key === 'Home' ? -this.#all : event.key === 'End' ? this.#all : KEYS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    this.#place(this.#moved(this.#days, event.shiftKey ? 'both' : end, by));
    this.#tell(this.#days, false);
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#settle(), KEY_PAUSE_MS);
  }

  /** Takes a choice by keys that still waits for another key. */
  #settle(): void {
    if (this.#pause === undefined) return;
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#tell(this.#days, true);
  }

  #grasp(event: PointerEvent): void {
    if (event.button !== 0) return;
    const target = event.target as HTMLElement;
    const { left, width } = this.#root.getBoundingClientRect();
    const dayAt = (x: number) => ((x - left) / width) * this.#all;
    const grasped = (target.dataset.end as End | undefined) ?? 'both';
    // A press beside the window moves its middle there.
    if (grasped === 'both' && target !== this.#window) {
      const middle = (this.#index(this.#days.from) + this.#index(this.#days.to) + 1) / 2;
      this.#place(this.#moved(this.#days, 'both', Math.round(dayAt(event.clientX) - middle)));
    }
    const [before, start] = [this.#days, dayAt(event.clientX)];
    const follow = ({ clientX }: PointerEvent) => {
      this.#place(this.#moved(before, grasped, Math.round(dayAt(clientX) - start)));
      this.#tell(this.#days, false);
    };
    const end = ({ type }: PointerEvent) => {
      for (const name of ['pointermove', 'pointerup', 'pointercancel'] as const)
        this.#root.removeEventListener(name, name === 'pointermove' ? follow : end);
      // The page took the finger's movement as scrolling.
      if (type === 'pointercancel') this.#place(before);
      this.#tell(this.#days, true);
    };
    this.#root.setPointerCapture(event.pointerId);
    this.#root.addEventListener('pointermove', follow);
    this.#root.addEventListener('pointerup', end);
    this.#root.addEventListener('pointercancel', end);
    if (grasped !== 'both') target.focus();
    event.preventDefault();
  }
}
