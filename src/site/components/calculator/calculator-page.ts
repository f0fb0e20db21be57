import {
  type CalculatorState,
  calculate,
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  formatCalculator,
  type Numbers,
  parseCalculator,
  parseField,
  resultWords,
} from './calculator.ts';

const form = document.querySelector<HTMLFormElement>('#calculator');
const PAUSE = 300;

function begin(form: HTMLFormElement): void {
  // The page was made with the newest supply and index: those are the defaults here.
  const defaults = Object.fromEntries(
    FIELD_NAMES.map((name) => [name, Number(fieldOf(form, name).defaultValue)]),
  ) as Numbers;
  let state = parseCalculator(new URLSearchParams(location.search), defaults);
  let timer = 0;
  const update = () => {
    state = read(form, state);
    show(form, state);
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      history.replaceState(null, '', `${location.pathname}${formatCalculator(state, defaults)}`);
    }, PAUSE);
  };
  fill(form, state);
  show(form, state);
  form.addEventListener('input', update);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    update();
  });
}

function fieldOf(form: HTMLFormElement, name: FieldName): HTMLInputElement {
  return form.elements.namedItem(name) as HTMLInputElement;
}

function fill(form: HTMLFormElement, { from, numbers }: CalculatorState): void {
  for (const name of FIELD_NAMES) fieldOf(form, name).value = String(numbers[name]);
  for (const radio of form.querySelectorAll<HTMLInputElement>('[name="from"]')) {
    radio.checked = radio.value === from;
  }
}

/** What is entered; of a field with a fault, what was before. */
function read(form: HTMLFormElement, before: CalculatorState): CalculatorState {
  const from = new FormData(form).get('from') === 'work' ? 'work' : 'score';
  const numbers = { ...before.numbers };
  for (const name of FIELD_NAMES) {
    const field = fieldOf(form, name);
    const value = parseField(name, field.value);
    tell(field, value === null ? limitWords(name) : '');
    if (value !== null) numbers[name] = value;
  }
  return { from, numbers };
}

function limitWords(name: FieldName): string {
  const { least, most } = FIELDS[name];
  return `A number from ${least} to ${most}. The results are for the value before.`;
}

/** What is wrong with a field stands below it, and is read with it. */
function tell(field: HTMLInputElement, fault: string): void {
  const place = document.getElementById(`${field.id}-fault`);
  field.setAttribute('aria-invalid', String(fault !== ''));
  if (place && place.textContent !== fault) place.textContent = fault;
}

function show(form: HTMLFormElement, state: CalculatorState): void {
  const result = calculate(state);
  const words: Record<string, string> = resultWords(result);
  for (const element of document.querySelectorAll<HTMLElement>('[data-result]')) {
    element.textContent = words[element.dataset.result ?? ''] ?? '';
  }
  for (const list of document.querySelectorAll<HTMLElement>('[data-steps]')) {
    const steps = result.steps[list.dataset.steps as keyof typeof result.steps];
    list.hidden = steps.length === 0;
    list.replaceChildren(
      ...steps.map((step) => Object.assign(document.createElement('li'), { textContent: step })),
    );
  }
  for (const part of form.querySelectorAll<HTMLElement>('[data-from]')) {
    part.hidden = part.dataset.from !== state.from;
  }
  const chart = document.querySelector<HTMLAnchorElement>('#on-the-curve');
  const s = Math.min(200, Math.round(result.score * 100) / 100);
  if (chart) chart.search = `?s=${s}&multiplier=${state.numbers.multiplier}`;
}

if (form) begin(form);
