import type { Clipboard } from '../files/copy-button.ts';

/** Beside the link to the code, a button that copies the code of what is shown. */
export function addFrozenButton(root: HTMLElement, code: () => Promise<string>, clipboard: Clipboard): void {
  const place = root.querySelector<HTMLElement>('[data-frozen]')!;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy-frozen';
  button.textContent = 'Copy the code';
  const status = document.createElement('span');
  status.setAttribute('role', 'status');
  button.addEventListener('click', () => {
    status.textContent = '';
    code()
      .then((text) => clipboard.writeText(text))
      .then(
        () => {
          status.textContent = 'Copied';
        },
        () => {
          status.textContent = 'Not allowed here: open the code by the link.';
        },
      );
  });
  place.append(button, status);
}
