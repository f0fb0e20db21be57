import { randomInt } from 'node:crypto';
import { parseVerifierKey } from '../../pipeline/ledger/note.ts';
import { Random } from '../../pipeline/random.ts';
import { readMirrorState } from '../../pipeline/verify/mirror-state.ts';
import { FolderOrigin } from '../../pipeline/verify/origin/folder-origin.ts';
import { verify as verifyService } from '../../pipeline/verify/verify.ts';
import { defineCommand } from './command.ts';
import { formatVerification, formatVerificationJson } from './format-verification.ts';
import { httpOrigin, READER_SETTINGS, readerOptions, readHeld } from './reader-settings.ts';
import { required } from './required.ts';

export const verify = defineCommand({
  summary:
    'Compares what a service, a mirror or a folder has with what is signed, and says what was proved; exits 1 where something is wrong.',
  settings: ['verifiedPlace', ...READER_SETTINGS, 'sampleSize', 'sampleSeed', 'heldCheckpoint', 'json'],
  words: ['verifiedPlace'],
  async run(config, context) {
    const place = required('verifiedPlace', config.verifiedPlace);
    const { sampleSize, json, readerApiKey: apiKey, staticOrigin: isStatic } = config;
    const seed = config.sampleSeed ?? randomInt(2 ** 32);
    const isRemote = /^https?:\/\//.test(place);
    const folder = isRemote ? null : await FolderOrigin.at(place);
    const reader = await readerOptions(config, context);
    const keys = reader.keys ?? (folder && (await rememberedKeys(place)));
    const verification = await verifyService({
      ...reader,
      // A folder does not change by itself.
      ...(folder && { wait: async () => {} }),
      keys,
      origin:
        folder ?? httpOrigin(place, config, { apiKey, isStatic, log: (line) => context.progress.note(line) }),
      root: folder?.root ?? null,
      held: await readHeld(config.heldCheckpoint),
      choose: choiceOf(sampleSize, seed),
    });
    context.progress.end();
    const sample = sampleSize === null ? null : { size: sampleSize, seed };
    const format = json ? formatVerificationJson : formatVerification;
    context.print(format({ place, sample, isTrusted: keys !== null }, verification));
    return verification.findings.length === 0 ? 0 : 1;
  },
});

/** Those that a mirror has learnt. */
async function rememberedKeys(folder: string) {
  const state = await readMirrorState(folder);
  return state?.keys.map(parseVerifierKey) ?? null;
}

function choiceOf(size: number | null, seed: number): <T>(all: readonly T[]) => readonly T[] {
  const random = new Random('verify', seed);
  return (all) => (size === null || size >= all.length ? all : random.shuffled(all).slice(0, size));
}
