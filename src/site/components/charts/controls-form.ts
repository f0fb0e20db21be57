import type { ChartState } from '../../../../pipeline/charts/chart-state.ts';

/** What a form says: fields that are empty are left out, and so are all series or none. */
export function formParameters(form: HTMLFormElement): URLSearchParams {
  const given = [...new FormData(form)].filter(([, value]) => value !== '') as [string, string][];
  const boxes = [...form.querySelectorAll<HTMLInputElement>('[name="series"]')];
  const isAll = boxes.every(({ checked }) => checked);
  return new URLSearchParams(given.filter(([name]) => name !== 'tab' && !(isAll && name === 'series')));
}

/** Sets the fields to a state: after a step back in the history, the form says what is shown. */
export function fillForm(form: HTMLFormElement, state: ChartState): void {
  for (const input of form.querySelectorAll<HTMLInputElement>('input[name]')) {
    const value = state[input.name as keyof ChartState];
    if (input.name === 'series') input.checked = state.series === null || state.series.includes(input.value);
    else if (input.type === 'radio') input.checked = input.value === value;
    else input.value = value === null ? '' : String(value);
    for (const slider of slidersOf(input)) slider.value = input.value || slider.dataset.start!;
  }
}

/** A slider beside each number: it moves the number, and the number moves it. */
export function addSliders(form: HTMLFormElement): void {
  for (const input of form.querySelectorAll<HTMLInputElement>('input[type="number"]')) {
    const slider = document.createElement('input');
    slider.type = 'range';
    for (const name of ['min', 'max', 'step'] as const) slider[name] = input[name];
    slider.dataset.start = input.dataset.start!;
    slider.value = input.value || input.dataset.start!;
    slider.setAttribute('aria-label', input.labels?.[0]?.textContent?.trim() ?? '');
    slider.addEventListener('input', () => {
      input.value = slider.value;
    });
    input.addEventListener('input', () => {
      slider.value = input.value;
    });
    input.closest('label')!.after(slider);
  }
}

function slidersOf(input: HTMLInputElement): HTMLInputElement[] {
  const next = input.closest('label')?.nextElementSibling;
  return next instanceof HTMLInputElement && next.type === 'range' ? [next] : [];
}
