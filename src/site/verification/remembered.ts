import { z } from 'zod';
import { formatVerifierKey, MOST_KEYS } from '../../../pipeline/ledger/notes/note.ts';
import { MAX_POLICY_BYTES } from '../../../pipeline/ledger/notes/witness-policy.ts';
import { Latest, PublicManifest } from '../../../pipeline/release/format/public-manifest.ts';
import type { SignedRelease } from '../../../pipeline/verify/signed-release.ts';
import { formatMoment } from '../../../pipeline/words/moment.ts';
import { makeElement } from '../layout/make-element.ts';
import { element } from './steps.ts';

const NAME = 'cathedral-verified';

/** What this browser keeps of the last release that it verified, if its reader asked for that. */
const Remembered = z.strictObject({
  format: z.literal('cathedral-verified/1'),
  version: Latest.shape.version,
  release: Latest.shape.release,
  as_of: Latest.shape.as_of,
  /** Of `manifest.json`. */
  sha256: Latest.shape.manifest.shape.sha256,
  /** Verifier keys that signed it. */
  keys: PublicManifest.shape.keys.max(MOST_KEYS),
  log: PublicManifest.shape.log,
  /** The policy with which it was verified. */
  policy: z.string().max(MAX_POLICY_BYTES).optional(),
});
export type Remembered = z.infer<typeof Remembered>;

/** Null if nothing readable is remembered, or the browser offers no storage. */
export function recall(): Remembered | null {
  try {
    return Remembered.parse(JSON.parse(localStorage.getItem(NAME) ?? ''));
  } catch {
    return null;
  }
}

/** False: the browser offers no storage. */
function remember({ manifest, sha256, keys }: SignedRelease, policy: string): boolean {
  const { version, release, as_of, log } = manifest;
  const format = 'cathedral-verified/1';
  const kept = {
    format,
    version,
    release,
    as_of,
    sha256,
    keys: keys.map(formatVerifierKey),
    log,
    ...(policy.trim() !== '' && { policy }),
  };
  try {
    localStorage.setItem(NAME, JSON.stringify(Remembered.parse(kept)));
    return true;
  } catch {
    return false;
  }
}

function forget(): void {
  try {
    localStorage.removeItem(NAME);
  } catch {
    // Without storage nothing is remembered.
  }
}

/** Shows what this browser remembers, and lets the reader delete it. */
export function showRemembered(): void {
  element('#forget').addEventListener('click', () => {
    forget();
    show();
  });
  show();
}

/** After all steps of a release hold: replaces the earlier release that is remembered, or offers a button to begin. */
export function offerToRemember(release: SignedRelease, policy: string): Node[] {
  if (recall()) {
    remember(release, policy);
    show();
    return [];
  }
  const button = makeElement('button', '', 'Remember this in this browser');
  button.type = 'button';
  button.addEventListener('click', () => {
    const isKept = remember(release, policy);
    button.replaceWith(makeElement('span', '', isKept ? 'Remembered.' : 'This browser offers no storage.'));
    show();
  });
  return [makeElement('p', 'form-buttons', button)];
}

function show(): void {
  const kept = recall();
  element('#remembered').textContent = kept
    ? `This browser remembers release ${kept.release}, as of ${formatMoment(kept.as_of)}, with its checkpoint of the log${kept.policy === undefined ? '' : ', and a policy'}.`
    : 'This browser remembers nothing yet.';
  element('#forget').hidden = kept === null;
}
