import { formatVerifierKey, parseVerifierKey, type Verifier } from '../../../../pipeline/ledger/note.ts';
import { ed25519, verifyNote } from '../../../../pipeline/ledger/verify-note.ts';
import {
  LATEST_PATH,
  type Latest,
  MANIFEST_PATH,
  SIGNATURE_PATH,
} from '../../../../pipeline/release/format/public-manifest.ts';
import { mirrorWarning } from '../../../../pipeline/verify/assert-placeable.ts';
import { openCheckpoint } from '../../../../pipeline/verify/log-head.ts';
import { lookingAgain } from '../../../../pipeline/verify/origin/looking-again.ts';
import { assertFresh, assertNoRollback } from '../../../../pipeline/verify/rules.ts';
import { readLatest, readSigned, type SignedRelease } from '../../../../pipeline/verify/signed-release.ts';
import { formatMoment } from '../../../../pipeline/words/moment.ts';
import { formatBytes, formatNumber } from '../../../../pipeline/words/number.ts';
import { oldAge } from '../site/age.ts';
import { checkHistory, openLog } from './open-log.ts';
import type { PageOrigin } from './page-origin.ts';
import type { Remembered } from './remembered.ts';
import type { Steps } from './steps.ts';

/** What the reader trusts, and what this browser knows. */
export interface Means {
  origin: PageOrigin;
  publisherKeys: () => Verifier[];
  ledgerKeys: () => Verifier[];
  recall: () => Remembered | null;
  /** ms since 1970. */
  now: () => number;
  wait: (ms: number) => Promise<void>;
}

/** A release whose manifest one of the reader's keys has signed; other steps may have failed. */
export interface VerifiedRelease extends SignedRelease {
  latest: Latest;
}

/** The release of this host, step by step. Throws Failed where its signature does not hold, Uncheckable, and Stopped. */
export async function verifyRelease(steps: Steps, means: Means): Promise<VerifiedRelease> {
  const { origin, publisherKeys, recall, now } = means;
  const release = await steps.need('Signature', async () => {
    const value = await readRelease(steps, means, publisherKeys());
    const { name, id } = value.signedBy;
    const words = `${name}+${id}, a key that stands above, has signed version ${value.manifest.version}: release ${value.manifest.release}. ${await engineWords()}`;
    return { words, value };
  });
  const { manifest } = release;
  await steps.attempt('Manifest', async () => ({ words: manifestWords(release), value: null }));
  await steps.attempt('Age', async () => {
    assertFresh(manifest, now(), origin.placeOf(LATEST_PATH));
    const { as_of, expires } = manifest;
    const age = oldAge(Date.parse(as_of), now());
    const quiet = age === null ? '' : ` The ledger has had no newer event for ${age}; the publisher says so.`;
    return {
      words: `As of ${formatMoment(as_of)}, good until ${formatMoment(expires)}.${quiet}`,
      value: null,
    };
  });
  const remembered = recall();
  await checkOrder(steps, release, remembered, origin);
  await checkLedger(steps, release, remembered, means);
  return release;
}

async function readRelease(
  steps: Steps,
  { origin, wait }: Means,
  keys: readonly Verifier[],
): Promise<VerifiedRelease> {
  // A release may be put in the place of another between two requests.
  const log = () => steps.say('The files are not of one release yet; looking again …');
  return lookingAgain({ wait, log }, async () => {
    const announced = await readLatest(origin);
    if (announced === 'unchanged') throw new Error('nothing was held that could be unchanged');
    return { ...(await readSigned(origin, announced, keys)), latest: announced.latest };
  });
}

async function engineWords(): Promise<string> {
  const { engine } = await ed25519();
  return engine === 'WebCrypto'
    ? 'Verified by this browser’s own cryptography (Ed25519, WebCrypto).'
    : 'Verified by the library noble-curves that comes with this page: this browser has no Ed25519 of its own, or the page did not come over HTTPS.';
}

function manifestWords({ manifest: { files, keys }, latest, signedBy }: VerifiedRelease): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const others = keys.filter((key) => key !== formatVerifierKey(signedBy));
  const learned =
    others.length > 0
      ? ` It also names, and is signed by, ${others.join(', ')}: the key that comes next.`
      : '';
  const warning = mirrorWarning(
    files.map(({ path }) => path),
    `/${MANIFEST_PATH}`,
  );
  const warned = warning === null ? '' : ` Warning: ${warning}.`;
  return `What was signed is SHA-256 ${latest.manifest.sha256} of ${MANIFEST_PATH}, which names ${formatNumber(files.length)} files, ${formatBytes(bytes)}.${learned}${warned}`;
}

/** That the release is the remembered one or a later one, by the same publisher. */
async function checkOrder(
  steps: Steps,
  { latest, proofs }: VerifiedRelease,
  remembered: Remembered | null,
  origin: PageOrigin,
): Promise<void> {
  if (!remembered)
    return steps.skip('Order', 'This browser remembers no earlier release to compare it with.');
  await steps.attempt('Order', async () => {
    const { version, sha256, log, keys, as_of } = remembered;
    assertNoRollback({ manifest: { version, log }, sha256 }, latest, origin.placeOf(LATEST_PATH));
    const place = origin.placeOf(SIGNATURE_PATH);
    await verifyNote(proofs.get(SIGNATURE_PATH)!, keys.map(parseVerifierKey), place);
    const same = version === latest.version ? 'It is' : 'It is not older than, and signed by a key of,';
    return {
      words: `${same} the release that this browser remembers, as of ${formatMoment(as_of)}.`,
      value: null,
    };
  });
}

/** The ledger's own signature in the manifest, and that its log goes on from the one that is remembered. */
async function checkLedger(
  steps: Steps,
  { manifest }: VerifiedRelease,
  remembered: Remembered | null,
  { origin, ledgerKeys }: Means,
): Promise<void> {
  const opened = await steps.attempt('Ledger', async () => {
    const place = `${origin.placeOf(MANIFEST_PATH)}: log.checkpoint`;
    const head = await openCheckpoint(manifest, ledgerKeys(), place);
    const words = `The ledger’s key has signed what the release was made from: ${manifest.log.origin}, ${formatNumber(head.size)} events, root ${head.root}.`;
    return { words, value: head };
  });
  if (!opened) return steps.skip('History of the log', 'The ledger’s signature was not verified.');
  await checkHistory(steps, () => openLog(origin, opened.value), manifest.log.origin, remembered);
}
