import { randomInt } from 'node:crypto';
import type { Config } from '../config/settings.ts';
import { parseVerifierKey, type Verifier } from '../ledger/notes/note.ts';
import { Random } from '../random.ts';
import type { Choice } from '../verify/checks.ts';
import { formatVerification, verdictOf, verificationFacts } from '../verify/describe-verification.ts';
import { FolderOrigin } from '../verify/folder-origin.ts';
import { originAt, type Reading, readerOptions, readHeld } from '../verify/reader.ts';
import { verify } from '../verify/verify.ts';
import { readMirrorState } from './mirror-state.ts';

type VerifyConfig = Pick<
  Config,
  'readerKeys' | 'policy' | 'parallelRequests' | 'timeLimit' | 'readerApiKey'
> & {
  /** An address, or a folder. */
  place: string;
  ledgerKey: string | null;
  acceptExpired: boolean;
  staticOrigin: boolean;
  /** How many files, tiles and snapshots are read; null: all. */
  sampleSize: number | null;
  sampleSeed: number | null;
  heldCheckpoint: string | null;
};

/** Verifies a service, a mirror or a folder as its readers see it. Throws config_invalid and the errors of keys that cannot be read. */
export async function verifyPlace(config: VerifyConfig, reading: Reading) {
  const { place, sampleSize, readerApiKey: apiKey, staticOrigin: isStatic } = config;
  const seed = config.sampleSeed ?? randomInt(2 ** 32);
  const { wait, progress } = reading;
  const origin = await originAt(place, config, { apiKey, isStatic, wait, log: progress.note });
  const isFolder = origin instanceof FolderOrigin;
  const { keys: given, ledgerKeys, policy, ...options } = await readerOptions(config, reading);
  const keys = given ?? (isFolder ? await rememberedKeys(place) : null);
  const checkpoint = await readHeld(config.heldCheckpoint);
  const verification = await verify(
    origin,
    { keys, ledgerKeys, checkpoint, policy },
    {
      ...options,
      ...(sampleSize !== null && { choose: sampleOf(sampleSize, seed) }),
      // Nobody updates a folder while it is verified.
      ...(isFolder && { wait: async () => {} }),
    },
  );
  const sample = sampleSize === null ? null : { size: sampleSize, seed };
  const scope = { place, sample, isTrusted: keys !== null };
  return {
    verdict: verdictOf(verification),
    facts: verificationFacts(scope, verification),
    lines: formatVerification(scope, verification),
  };
}

/** The keys that a mirror trusts. */
async function rememberedKeys(folder: string): Promise<Verifier[] | null> {
  const state = await readMirrorState(folder);
  return state?.keys.map(parseVerifierKey) ?? null;
}

function sampleOf(size: number, seed: number): Choice {
  const random = new Random('verify', seed);
  const draw = <T>(all: readonly T[]) => (size >= all.length ? all : random.shuffled(all).slice(0, size));
  return { files: draw, tiles: draw, snapshots: draw };
}
