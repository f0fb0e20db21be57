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
  const add = (word: string, press: (button: HTMLElement) => void) => {
    const button = document.createElement('button');
    const ariaLabel = `${word} ${about}`;
    Object.assign(button, { type: 'button', className: 'copy', textContent: word, ariaLabel });
    button.addEventListener('click', () => press(button));
    block.append(button);
  };
  const status = Object.assign(document.createElement('span'), {
    className: 'visually-hidden',
    role: 'status',
  });
  add('Copy', (button) => {
    const say = (words: string) => {
      [button.textContent, status.textContent] = [words, words];
      setTimeout(() => {
        [button.textContent, status.textContent] = ['Copy', ''];
      }, SAID_MS);
    };
    clipboard.writeText(textOf()).then(
      () => say('Copied'),
      () => say('Not allowed'),
    );
  });
  block.append(status);
  if (file === undefined) return;
  add('Save', () => {
    // HTML has no line ends of two characters, which RIS requires.
    const end = file.endsWith('.ris') ? '\r\n' : '\n';
    saveFile(file, new Blob([`${textOf()}\n`.replaceAll('\n', end)]));
  });
}
