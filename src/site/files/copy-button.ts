import { saveFile } from '../layout/save-file.ts';

/** How long a button shows the result, ms. */
const SAID_MS = 2000;

/** The browser's clipboard; absent on pages from an insecure origin. */
export type Clipboard = Pick<Navigator['clipboard'], 'writeText'>;

/**
 * Adds a button that copies the text of the block, unless it has one, and one that saves it where `data-save` has the name of a file. The
 * block's `data-copy` names it.
 */
export function addCopyButton(block: HTMLElement, clipboard: Clipboard): void {
  if (block.querySelector('.copy')) return;
  const { copy: about = '', save: file } = block.dataset;
  const textOf = () => block.querySelector('pre')?.textContent ?? '';
  const status = document.createElement('span');
  status.className = 'visually-hidden';
  status.setAttribute('role', 'status');
  const button = makeButton('Copy', about);
  const said = button.firstChild!;
  const say = (words: string) => {
    said.textContent = words;
    status.textContent = words;
    setTimeout(() => {
      said.textContent = 'Copy';
      status.textContent = '';
    }, SAID_MS);
  };
  button.addEventListener('click', () => {
    clipboard.writeText(textOf()).then(
      () => say('Copied'),
      () => say('Not allowed'),
    );
  });
  block.append(button, status);
  if (file === undefined) return;
  const save = makeButton('Save', about);
  save.addEventListener('click', () => {
    // HTML has no line ends of two characters, which RIS requires.
    const end = file.endsWith('.ris') ? '\r\n' : '\n';
    saveFile(file, new Blob([`${textOf()}\n`.replaceAll('\n', end)]));
  });
  block.append(save);
}

function makeButton(word: string, about: string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = word === 'Copy' ? 'copy' : 'copy save';
  const said = document.createElement('span');
  said.textContent = word;
  const name = document.createElement('span');
  name.className = 'visually-hidden';
  name.textContent = ` ${about}`;
  button.append(said, name);
  return button;
}
