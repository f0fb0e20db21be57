import { addCopyButton } from './copy-button.ts';

// Pages from an insecure origin have no clipboard, and so no copy button.
const { clipboard } = navigator as { clipboard?: Navigator['clipboard'] };
if (clipboard) {
  for (const block of document.querySelectorAll<HTMLElement>('[data-copy]')) addCopyButton(block, clipboard);
}
