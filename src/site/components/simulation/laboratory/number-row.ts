import { makeElement } from '../../make-element.ts';

export interface NumberRow {
  id: string;
  title: string;
  meaning: string;
  least: number;
  most: number;
  /** The value that a reset restores. */
  own: number;
  value: number;
  /** Names the own value: `scenario`. */
  ownName: string;
  change: (value: number) => void;
}

/** A slider and a number field for one number, with its own value marked and a button that restores it. */
export function numberRow(about: NumberRow): HTMLElement {
  const { id, title, meaning, least, most, own, ownName, change } = about;
  const range = input('range', { id, min: `${least}`, max: `${most}`, step: `${stepOf(least, most)}` });
  const exact = input('number', {
    id: `${id}-number`,
    min: `${least}`,
    max: `${most}`,
    step: 'any',
    required: '',
  });
  exact.setAttribute('aria-label', `${title}, as a number`);
  exact.setAttribute('aria-describedby', `${id}-fault`);
  range.setAttribute('aria-describedby', `${id}-meaning`);
  const reset = makeElement(
    'button',
    'reset',
    'Reset',
    makeElement('span', 'visually-hidden', ` ${title} to ${own}`),
  );
  reset.type = 'button';
  const fault = makeElement('p', 'fault');
  fault.id = `${id}-fault`;
  fault.setAttribute('role', 'alert');
  const mark = makeElement('span', 'own-mark');
  mark.setAttribute('aria-hidden', 'true');
  mark.style.setProperty('--at', String((own - least) / (most - least)));
  const label = makeElement('label', '', title);
  label.htmlFor = id;
  const said = makeElement('p', 'meaning', meaning);
  said.id = `${id}-meaning`;
  const row = makeElement(
    'div',
    'number-row',
    label,
    said,
    makeElement('div', 'slider', range, mark),
    exact,
    makeElement('p', 'own', `${ownName}: ${own} `, reset),
    fault,
  );
  const show = (value: number) => {
    range.value = String(value);
    range.setAttribute('aria-valuetext', String(value));
    row.classList.toggle('changed', value !== own);
    reset.hidden = value === own;
  };
  const set = (value: number) => {
    exact.value = String(value);
    exact.removeAttribute('aria-invalid');
    fault.textContent = '';
    show(value);
    change(value);
  };
  range.addEventListener('input', () => set(Number(range.value)));
  reset.addEventListener('click', () => {
    set(own);
    range.focus();
  });
  exact.addEventListener('input', () => {
    const value = exact.valueAsNumber;
    if (value >= least && value <= most) {
      exact.removeAttribute('aria-invalid');
      fault.textContent = '';
      show(value);
      change(value);
      return;
    }
    exact.setAttribute('aria-invalid', 'true');
    const found = exact.validity.badInput || exact.value === '' ? 'none' : exact.value;
    fault.textContent = `Expected a number from ${least} to ${most}, found ${found}.`;
  });
  exact.value = String(about.value);
  show(about.value);
  return row;
}

function input(type: string, attributes: Readonly<Record<string, string>>): HTMLInputElement {
  const made = document.createElement('input');
  made.type = type;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** About a hundred steps, each of a round size. */
function stepOf(least: number, most: number): number {
  const span = most - least;
  if (span <= 0.25) return 0.001;
  if (span <= 2) return 0.01;
  return span <= 10 ? 0.05 : 1;
}
