/** How long a button says that it has copied. */
const SAID_MS = 2000;

/** What a browser gives to write to, with leave of the reader; absent where a page is not from a secure origin. */
export type Clipboard = Pick<Navigator['clipboard'], 'writeText'>;

/** Adds a button that copies the text of the block; it is named for the block's `data-copy`. */
export function addCopyButton(block: HTMLElement, clipboard: Clipboard): void {
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
