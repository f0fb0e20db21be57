import { addCopyButton } from './copy-button.ts';

// Absent where the page is not from a secure origin: then there is nothing to copy with, and no button.
const { clipboard } = navigator as { clipboard?: Navigator['clipboard'] };
if (clipboard) {
  for (const block of document.querySelectorAll<HTMLElement>('[data-copy]')) addCopyButton(block, clipboard);
}
