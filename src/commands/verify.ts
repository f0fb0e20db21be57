import { randomInt } from 'node:crypto';
import { parseVerifierKey } from '../../pipeline/ledger/note.ts';
import { readMirrorState } from '../../pipeline/mirror/mirror-state.ts';
import { Random } from '../../pipeline/random.ts';
import type { Choice } from '../../pipeline/verify/checks.ts';
import { FolderOrigin } from '../../pipeline/verify/folder-origin.ts';
import { verify as verifyOrigin } from '../../pipeline/verify/verify.ts';
import { defineCommand } from './command.ts';
import { formatVerification, formatVerificationJson } from './format-verification.ts';
import { httpOrigin, READER_SETTINGS, readerOptions, readHeld } from './reader-settings.ts';
import { required } from './required.ts';

export const verify = defineCommand({
  summary:
    'Verifies what a service, a mirror or a folder publishes against its signatures; exits 1 if anything is wrong.',
  settings: ['verifiedPlace', ...READER_SETTINGS, 'sampleSize', 'sampleSeed', 'heldCheckpoint', 'json'],
  words: ['verifiedPlace'],
  async run(config, context) {
    const place = required('verifiedPlace', config.verifiedPlace);
    const { sampleSize, json, readerApiKey: apiKey, staticOrigin: isStatic } = config;
    const seed = config.sampleSeed ?? randomInt(2 ** 32);
    const isRemote = /^https?:\/\//.test(place);
    const folder = isRemote ? null : await FolderOrigin.at(place);
    const { keys: givenKeys, ledgerKeys, ...options } = await readerOptions(config, context);
    const keys = givenKeys ?? (folder && (await rememberedKeys(place)));
    const checkpoint = await readHeld(config.heldCheckpoint);
    const told = { apiKey, isStatic, log: (line: string) => context.progress.note(line) };
    const origin = folder ?? httpOrigin(place, config, told);
    const trust = { keys, ledgerKeys, checkpoint };
    const choose = sampleSize === null ? {} : { choose: sampleOf(sampleSize, seed) };
    // Nobody updates a folder while it is verified.
    const wait = folder ? { wait: async () => {} } : {};
    const verification = await verifyOrigin(origin, trust, { ...options, ...choose, ...wait });
    context.progress.end();
    const sample = sampleSize === null ? null : { size: sampleSize, seed };
    const format = json ? formatVerificationJson : formatVerification;
    context.print(format({ place, sample, isTrusted: keys !== null }, verification));
    return verification.findings.length === 0 ? 0 : 1;
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
