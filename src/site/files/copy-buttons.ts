import { addCopyButton } from './copy-button.ts';

// Pages from an insecure origin have no clipboard, and so no copy button.
const { clipboard } = navigator as { clipboard?: Navigator['clipboard'] };
if (clipboard) {
  const addAll = () => {
    for (const block of document.querySelectorAll<HTMLElement>('[data-copy]'))
      addCopyButton(block, clipboard);
  };
  addAll();
  // Tools draw theirs.
  for (const outcome of document.querySelectorAll('.outcome'))
    new MutationObserver(addAll).observe(outcome, { childList: true });
}
