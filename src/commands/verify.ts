import { randomInt } from 'node:crypto';
import { printable } from '../../pipeline/attestation/printable.ts';
import { describeProxies } from '../../pipeline/config/proxies.ts';
import { integer, pathOrAddress } from '../../pipeline/config/setting.ts';
import { parseVerifierKey } from '../../pipeline/ledger/notes/note.ts';
import { readMirrorState } from '../../pipeline/mirror/mirror-state.ts';
import { Random } from '../../pipeline/random.ts';
import type { Choice } from '../../pipeline/verify/checks.ts';
import { FolderOrigin } from '../../pipeline/verify/folder-origin.ts';
import { isOutage, type Verification, verify as verifyOrigin } from '../../pipeline/verify/verify.ts';
import { defineCommand, formatJson, json } from './command.ts';
import {
  heldCheckpoint,
  httpOrigin,
  READER_FLAGS,
  READER_SETTINGS,
  readerOptions,
  readHeld,
  WITHOUT_LEDGER_KEY,
  witnessesOf,
} from './reader.ts';

export const verify = defineCommand({
  summary: 'Verifies a service, a mirror or a folder as its readers see it: is it what its publisher signed?',
  details:
    'It needs nothing but the public files, and says for each check what was proved. It exits with 1 if there are findings, and with 4 if they are only that the host did not answer: a monitor tells an outage from tampering. To compare your own published folder with the ledger, use `check`.',
  examples: [
    'cathedral verify https://data.example.org --verifier-key data.example.org+1a2b3c4d+AQ…',
    'cathedral verify /srv/mirror --sample-size 200 --json',
  ],
  isReader: true,
  settings: READER_SETTINGS,
  optional: { ledgerKey: WITHOUT_LEDGER_KEY },
  positionals: ['place'],
  flags: {
    place: {
      flag: 'place',
      default: null,
      unit: 'http(s)://host[:port][/path], or a folder',
      description:
        'What to verify: the address of a service or a mirror, the folder of either, or a folder with a plain copy of the public files.',
      required: true,
      path: true,
      schema: pathOrAddress(),
    },
    ...READER_FLAGS,
    sampleSize: {
      flag: 'sample-size',
      default: null,
      unit: 'a number, 1 to 1000000',
      description:
        'Reads this many randomly chosen files, tiles and snapshots. Without it, all of them, which may take long.',
      schema: integer(1, 1_000_000),
    },
    sampleSeed: {
      flag: 'sample-seed',
      default: null,
      unit: 'a whole number, 0 to 4294967295',
      description:
        'Repeats the choice of --sample-size. Without it the choice is different each time, and the result names the seed.',
      schema: integer(0, 0xffffffff),
    },
    heldCheckpoint,
    json,
  },
  async run(config, context) {
    const { place, sampleSize, readerApiKey: apiKey, staticOrigin: isStatic } = config;
    const seed = config.sampleSeed ?? randomInt(2 ** 32);
    const isRemote = /^https?:\/\//.test(place);
    const folder = isRemote ? null : await FolderOrigin.at(place);
    const { keys: givenKeys, ledgerKeys, policy, ...options } = await readerOptions(config, context);
    const keys = givenKeys ?? (folder && (await rememberedKeys(place)));
    const checkpoint = await readHeld(config.heldCheckpoint);
    const reading = {
      apiKey,
      isStatic,
      wait: context.wait,
      log: (line: string) => context.progress.note(line),
    };
    const origin = folder ?? httpOrigin(place, config, reading);
    const trust = { keys, ledgerKeys, checkpoint, policy };
    const choose = sampleSize === null ? {} : { choose: sampleOf(sampleSize, seed) };
    // Nobody updates a folder while it is verified.
    const wait = folder ? { wait: async () => {} } : {};
    const verification = await verifyOrigin(origin, trust, { ...options, ...choose, ...wait });
    context.progress.end();
    const sample = sampleSize === null ? null : { size: sampleSize, seed };
    const format = config.json ? formatVerificationJson : formatVerification;
    context.print(format({ place, sample, isTrusted: keys !== null }, verification));
    return { verified: 0, failed: 1, unreachable: 4 }[verdictOf(verification)] as 0 | 1 | 4;
  },
});

/** The keys that a mirror trusts. */
async function rememberedKeys(folder: string) {
  const state = await readMirrorState(folder);
  return state?.keys.map(parseVerifierKey) ?? null;
}

function sampleOf(size: number, seed: number): Choice {
  const random = new Random('verify', seed);
  const draw = <T>(all: readonly T[]) => (size >= all.length ? all : random.shuffled(all).slice(0, size));
  return { files: draw, tiles: draw, snapshots: draw };
}

/** What was verified, and how. */
export interface Scope {
  place: string;
  /** Null: everything was read. */
  sample: { size: number; seed: number } | null;
  /** Whether the user named the keys to trust. */
  isTrusted: boolean;
}

function verdictOf({ findings }: Pick<Verification, 'findings'>): 'verified' | 'failed' | 'unreachable' {
  if (findings.length === 0) return 'verified';
  return isOutage(findings) ? 'unreachable' : 'failed';
}

const VERDICTS = {
  verified: 'is what its publisher signed, as far as it was verified.',
  whole: 'is complete and signed by a key that it names itself; give --verifier-key to verify whose it is.',
  failed: 'is not what its publisher signed, or that cannot be proved.',
  unreachable:
    'did not answer everything, so it cannot be verified now; nothing was found wrong in what it answered.',
};

export function formatVerification(
  { place, sample, isTrusted }: Scope,
  { verdicts, findings, warnings, notProven }: Verification,
): string {
  const lines = verdicts.map(
    ({ check, state, detail }) => `${check.padEnd(10)}  ${state.padEnd(11)}  ${printable(detail)}`,
  );
  const details = findings.map(({ code, place: at, expected, found }) =>
    printable(`${at}: expected ${expected}, found ${found} (${code})`),
  );
  for (const warning of warnings) lines.push(`warning: ${printable(warning)}`);
  if (notProven.length > 0) lines.push(notProvenLine(notProven));
  const outcome = verdictOf({ findings });
  if (outcome === 'unreachable') details.push(describeProxies());
  const verdict = VERDICTS[outcome === 'verified' && !isTrusted ? 'whole' : outcome];
  const choice = sample ? ` Repeat with --sample-size ${sample.size} --sample-seed ${sample.seed}.` : '';
  return [...lines, ...(details.length > 0 ? ['', ...details] : []), '', `${place} ${verdict}${choice}`].join(
    '\n',
  );
}

function notProvenLine(paths: readonly string[]): string {
  const answers = paths.length === 1 ? '1 answer' : `${paths.length} answers`;
  const list = paths.map((path) => `/${path}`).join(', ');
  return `not proven: ${answers} with newer data than the release (${list}); the release’s bytes were verified in its snapshot`;
}

export function formatVerificationJson(
  { place, sample, isTrusted }: Scope,
  { release: signed, verdicts, findings, warnings, witnessing, notProven }: Verification,
): string {
  const { version, release, snapshot, as_of, expires, keys } = signed?.manifest ?? {};
  const checks = verdicts.map(({ check, state, detail }) => ({ check, state, detail }));
  const verdict = verdictOf({ findings });
  const facts = signed && { version, release, snapshot, as_of, expires, keys };
  const about = { verdict, place, trusted_key: isTrusted, sample, release: facts };
  const witnesses = witnessing && witnessesOf(witnessing);
  return formatJson({ ...about, checks, witnesses, not_proven: notProven, warnings, findings });
}
