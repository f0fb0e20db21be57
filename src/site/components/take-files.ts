/** Gives `take` each file that is chosen in the form, or dropped on it; `target` is marked while one is above it. */
export function takeFiles(form: HTMLElement, target: HTMLElement, take: (file: File) => void): void {
  const input = form.querySelector<HTMLInputElement>('input[type="file"]');
  input?.addEventListener('change', () => {
    const file = input.files?.[0];
    if (file) take(file);
  });
  // Else to choose the same file again, after it was mended, would be no change.
  input?.addEventListener('click', () => {
    input.value = '';
  });
  const mark = (isOver: boolean) => target.classList.toggle('is-over', isOver);
  form.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    mark(true);
  });
  form.addEventListener('dragleave', () => mark(false));
  form.addEventListener('drop', (event) => {
    mark(false);
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    take(file);
  });
}
