import { formatNumber } from '../../../pipeline/words/number.ts';
import { formatToken } from '../../../pipeline/words/phrase.ts';
import type { Parameter } from '../../simulation/scenario.ts';
import { make } from '../layout/make-element.ts';

/** At least as many stops between the ends of a slider. */
const STOPS = 8;

/** A slider with its value, or a list to choose from, with a label. */
export function parameterField(id: string, name: string, about: Parameter): HTMLElement {
  const label = make('label', { for: id }, sentenceCase(about.meaning));
  if (about.kind === 'one_of') {
    const options = about.values.map((value) =>
      make('option', { value, selected: value === about.default && '' }, value),
    );
    return make('p', { class: 'field' }, label, make('select', { id, name }, ...options));
  }
  const { minimum: min, maximum: max } = about;
  const step = stepOf(about);
  const output = make('output', { for: id }, formatNumber(about.default, { max: 4 }));
  const input = make('input', { id, name, type: 'range', min, max, step, value: about.default });
  input.value = String(about.default);
  input.addEventListener('input', () => {
    output.textContent = formatNumber(Number(input.value), { max: 4 });
  });
  const ends = make(
    'span',
    { class: 'ends', 'aria-hidden': 'true' },
    make('span', {}, formatNumber(min, { max: 4 })),
    make('span', {}, formatNumber(max, { max: 4 })),
  );
  return make('p', { class: 'field' }, label, make('span', { class: 'slide' }, input, output), ends);
}

/** The largest of 1, 2 and 5 times a power of ten that meets the default and the end, with enough stops to try. */
function stepOf({ minimum, maximum, default: start }: Extract<Parameter, { kind: 'number' }>): number {
  const range = maximum - minimum;
  const meets = (step: number, value: number) =>
    Math.abs((value - minimum) / step - Math.round((value - minimum) / step)) < 1e-6;
  const size = 10 ** Math.floor(Math.log10(range));
  const steps = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01].map((part) => Number((part * size).toPrecision(1)));
  return (
    steps.find((step) => range / step >= STOPS && meets(step, start) && meets(step, maximum)) ?? range / 100
  );
}

/** `multiplier` 1.5 → `multiplier 1.5`. */
export function formatParameter(name: string, value: number | string, about?: Parameter): string {
  const text = typeof value === 'number' ? formatNumber(value, { max: 4 }) : value;
  return about && typeof value === 'number' ? `${formatToken(name)} ${text}` : text;
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
