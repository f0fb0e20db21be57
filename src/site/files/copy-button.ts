/** How long a button shows the result, ms. */
const SAID_MS = 2000;

/** The browser's clipboard; absent on pages from an insecure origin. */
export type Clipboard = Pick<Navigator['clipboard'], 'writeText'>;

/** Adds a button that copies the text of the block, unless it has one. The block's `data-copy` names it. */
export function addCopyButton(block: HTMLElement, clipboard: Clipboard): void {
  if (block.querySelector('.copy')) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  const said = document.createElement('span');
  said.textContent = 'Copy';
  const name = document.createElement('span');
  name.className = 'visually-hidden';
  name.textContent = ` ${block.dataset.copy ?? ''}`;
  const status = document.createElement('span');
  status.className = 'visually-hidden';
  status.setAttribute('role', 'status');
  button.append(said, name);
  const say = (words: string) => {
    said.textContent = words;
    status.textContent = words;
    setTimeout(() => {
      said.textContent = 'Copy';
      status.textContent = '';
    }, SAID_MS);
  };
  button.addEventListener('click', () => {
    const text = block.querySelector('pre')?.textContent ?? '';
    clipboard.writeText(text).then(
      () => say('Copied'),
      () => say('Not allowed'),
    );
  });
  block.append(button, status);
}
