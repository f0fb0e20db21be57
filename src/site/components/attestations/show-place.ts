import type { Range } from '../../../../pipeline/ledger/json.ts';

/** Selects a part of the text, where one can then go on with the keyboard, and brings it into view. */
export function showPlace(text: HTMLTextAreaElement, { start, end }: Range): void {
  text.focus();
  text.setSelectionRange(start, end);
  // Browsers differ in whether they scroll to what a script selects.
  text.scrollTop = heightOf(text, start) - text.clientHeight / 2;
}

/** How high the first characters of the text are as they are wrapped, px. */
function heightOf(text: HTMLTextAreaElement, characters: number): number {
  const copy = text.cloneNode() as HTMLTextAreaElement;
  copy.removeAttribute('id');
  copy.classList.add('measured');
  copy.style.width = `${text.offsetWidth}px`;
  copy.value = text.value.slice(0, characters);
  text.after(copy);
  const { scrollHeight } = copy;
  copy.remove();
  return scrollHeight;
}
