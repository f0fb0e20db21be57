/** Calls `take` with each file that a reader chooses in the form or drops on it. Highlights `target` during a drag. */
export function takeFiles(form: HTMLElement, target: HTMLElement, take: (file: File) => void): void {
  const input = form.querySelector<HTMLInputElement>('input[type="file"]');
  input?.addEventListener('change', () => {
    const file = input.files?.[0];
    if (file) take(file);
  });
  // Otherwise choosing the same file again after editing it would fire no change event.
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
