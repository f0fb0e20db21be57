import { makeButton, makeElement } from './make-element.ts';
import type { Ending, StepNews } from './steps.ts';
import { drawPart, Tool } from './tool.ts';

/** Runs the steps of a proof in a worker and shows each with its verdict: one proof at a time, which replaces the one before. */
export class StepTool<Job> {
  readonly #script: string;
  readonly #stopped: string;
  readonly #level: 'h2' | 'h4';
  #running: { place: HTMLElement; tool: Tool<Job, Ending, StepNews> } | null = null;

  /** `stopped`: the verdict of a proof that the reader stopped. `level`: of the verdict among the headings of the page. */
  constructor(script: string, stopped: string, level: 'h2' | 'h4' = 'h4') {
    this.#script = script;
    this.#stopped = stopped;
    this.#level = level;
  }

  /** Ends the proof that runs, of which nothing more is shown. */
  leave(): void {
    this.#running?.tool.end();
    this.#running = null;
  }

  run(place: HTMLElement, job: Job): void {
    if (this.#running) return;
    const list = makeElement('ol', 'rows');
    // Verdicts are announced as they come; progress changes too often for that.
    list.setAttribute('aria-live', 'polite');
    // A heading with the role of a status would be none, and one that is announced has to be put into what is there.
    const verdict = makeElement('div', '');
    verdict.setAttribute('role', 'status');
    const said = makeElement('span', '');
    const notice = makeElement('p', '');
    const tool = new Tool<Job, Ending, StepNews>({ script: this.#script, place, notice });
    const end = (words: string, mark: Ending['verdict'], more: readonly Node[]) => {
      this.#running = null;
      tool.end();
      verdict.append(makeElement(this.#level, `verdict-title is-${mark}`, words));
      working.replaceWith(...more);
      verdict.scrollIntoView({ block: 'nearest' });
    };
    const stop = makeButton('Stop', () => end(this.#stopped, 'open', []), 'quiet');
    const again = makeButton('Try again', () => this.run(place, job));
    this.#running = { place, tool };
    const working = makeElement('p', 'row note muted', said, ' ', stop);
    place.replaceChildren(verdict, list, working);
    place.hidden = false;
    tool.run('Reading …', () => job, {
      working: (words) => {
        said.textContent = words;
      },
      news: (step) => (step ? list.append(drawPart(step)) : list.replaceChildren()),
      done: ({ words, verdict: mark, more, unreached }) => {
        const retry =
          unreached.length > 0
            ? [makeElement('p', 'buttons', `${unreached.join(', ')} could not be loaded. `, again)]
            : [];
        end(words, mark, [...retry, ...more.map(drawPart)]);
      },
      failed: (message) => end(`This page failed: ${message}`, 'open', [makeElement('p', 'buttons', again)]),
    });
  }
}
