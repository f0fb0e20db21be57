import { formatVerifierKey } from '../../../pipeline/ledger/notes/note.ts';
import { ed25519 } from '../../../pipeline/ledger/notes/verify-note.ts';
import { MANIFEST_PATH } from '../../../pipeline/release/format/public-manifest.ts';
import type { Choice, Trust, Verdict } from '../../../pipeline/verify/checks.ts';
import { headOf } from '../../../pipeline/verify/log.ts';
import { mirrorWarning } from '../../../pipeline/verify/placeable-paths.ts';
import type { SignedRelease } from '../../../pipeline/verify/signed-release.ts';
import { verify } from '../../../pipeline/verify/verify.ts';
import { formatMoment } from '../../../pipeline/words/moment.ts';
import { formatBytes, formatCount } from '../../../pipeline/words/number.ts';
import { capitalise } from '../../../pipeline/words/phrase.ts';
import { oldAge } from '../layout/age.ts';
import { Failed, type Steps, Uncheckable } from '../layout/steps.ts';
import { isGiven, type Means, WITNESSES } from './trust.ts';

const NO_POLICY = 'No policy is given above, so witnesses were not looked for.';

/** The checks that this page runs, as it calls them. Files are verified when the reader chooses one. */
const STEPS = {
  signature: 'Signature',
  freshness: 'Age',
  log: 'Ledger',
  witnesses: WITNESSES,
} as const;
type StepName = keyof typeof STEPS;
const CHECKS = Object.keys(STEPS) as StepName[];

const OF_THE_LOG: ReadonlySet<StepName> = new Set(['log', 'witnesses']);

/** Tiles are verified when the reader proves an event. */
const NO_TILES: Choice = { files: (all) => all, tiles: () => [], snapshots: (all) => all };
/** Requests at once, as many as browsers send to one host. */
const PARALLEL = 6;

/**
 * Runs `verify` against the host of this page and shows each verdict. Throws Failed if the signature does not hold, and Uncheckable.
 * Other steps may have failed.
 */
export async function verifyRelease(steps: Steps, means: Means): Promise<SignedRelease> {
  const { origin, publisherKeys: keys, ledgerKeys, policy, now, wait } = means;
  if (!isGiven(keys)) {
    steps.cannotCheck(STEPS.signature, keys);
    throw new Uncheckable();
  }
  const engine = await engineWords();
  const show = (verdict: Verdict, release: SignedRelease | null) => {
    if (verdict.check === 'signature') steps.clear();
    if (release || verdict.check === 'signature') showVerdict(steps, verdict, { release, engine, now });
  };
  const trust: Trust = {
    keys,
    ledgerKeys: isGiven(ledgerKeys) ? ledgerKeys : null,
    earlier: null,
    checkpoint: null,
    policy: isGiven(policy) ? policy : null,
  };
  const checks = CHECKS.filter(
    (name) => (isGiven(ledgerKeys) || !OF_THE_LOG.has(name)) && (isGiven(policy) || name !== 'witnesses'),
  );
  const log = (line: string) => steps.say(`${line} …`);
  const clock = () => now;
  const options = { checks, choose: NO_TILES, parallel: PARALLEL, now: clock, wait, log, report: show };
  steps.say('Reading the release …');
  const { release } = await verify(origin, trust, options);
  if (!release) throw steps.uncheckable > 0 ? new Uncheckable() : new Failed();
  if (!isGiven(ledgerKeys)) steps.cannotCheck(STEPS.log, ledgerKeys);
  if (!isGiven(policy)) steps.cannotCheck(STEPS.witnesses, policy);
  return release;
}

interface Context {
  release: SignedRelease | null;
  engine: string;
  now: number;
}

function showVerdict(steps: Steps, { check, state, detail, findings }: Verdict, context: Context): void {
  const step = check as StepName;
  const { release } = context;
  if (state === 'failed' || state === 'unreachable') steps.fail(STEPS[step], findings);
  else if (state === 'not checked')
    steps.skip(STEPS[step], step === 'witnesses' ? NO_POLICY : 'The ledger’s log was not verified.');
  else steps.pass(STEPS[step], WORDS[step](release!, { ...context, detail }));
  if (check === 'signature' && release) steps.pass('Manifest', manifestWords(release));
}

/** What a check has shown. */
const WORDS: Readonly<
  Record<StepName, (release: SignedRelease, context: Context & { detail: string }) => string>
> = {
  signature: ({ signedBy: { name, id }, manifest }, { engine }) =>
    `${name}+${id}, a key shown above, signed version ${manifest.version}: release ${manifest.release}. ${engine}`,
  freshness({ manifest: { as_of, expires } }, { now }) {
    const age = oldAge(Date.parse(as_of), now);
    const quiet = age === null ? '' : ` The ledger has had no new event for ${age}; the publisher says so.`;
    return `As of ${formatMoment(as_of)}, valid until ${formatMoment(expires)}.${quiet}`;
  },
  log({ manifest: { log } }) {
    return `The ledger’s key signed the log that the release was made from: ${log.origin}, ${formatCount(log.size, 'event')}, root ${headOf(log).root}. The log of this host is that one, or extends it.`;
  },
  witnesses: (_, { detail }) => `${capitalise(detail)}.`,
};

async function engineWords(): Promise<string> {
  const { engine } = await ed25519();
  return engine === 'WebCrypto'
    ? 'Verified by this browser’s own cryptography (Ed25519, WebCrypto).'
    : 'Verified by the library noble-curves, which comes with this page: this browser does not have Ed25519, or the page did not come over HTTPS.';
}

function manifestWords({ manifest: { files, keys }, sha256, signedBy }: SignedRelease): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const others = keys.filter((key) => key !== formatVerifierKey(signedBy));
  const next =
    others.length > 0 ? ` It also names ${others.join(', ')}, the next key, which signed it as well.` : '';
  const warning = mirrorWarning(
    files.map(({ path }) => path),
    `/${MANIFEST_PATH}`,
  );
  const warned = warning === null ? '' : ` Warning: ${warning}.`;
  return `The signature covers SHA-256 ${sha256} of ${MANIFEST_PATH}, which names ${formatCount(files.length, 'file')}, ${formatBytes(bytes)}.${next}${warned}`;
}
