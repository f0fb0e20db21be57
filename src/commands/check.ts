import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { documentsFolder } from '../../pipeline/artifacts/documents/folder.ts';
import { check as checkRelease } from '../../pipeline/build/check.ts';
import { SOURCE_SETTINGS } from '../../pipeline/config/settings.ts';
import { software } from '../../pipeline/config/software.ts';
import type { Verifier } from '../../pipeline/ledger/notes/note.ts';
import { readNoteKeys, signerOf } from '../../pipeline/ledger/notes/note-keys.ts';
import { openLedger } from '../../pipeline/sources/open-ledger.ts';
import { formatCount } from '../../pipeline/words/number.ts';
import { defineCommand, formatJson, importFull, json } from './command.ts';

export const check = defineCommand({
  summary: 'Checks your own published folder, restricted files included; with --ledger, against a rebuild.',
  details:
    'It reads every byte of the current release, the snapshots and their signed list, and compares them with what was signed. With --ledger it also rebuilds the release from genesis and compares. To verify a service or a copy as its readers see it, use `verify`.',
  examples: [
    'cathedral check --out /srv/cathedral',
    'cathedral check --out /srv/cathedral --ledger /srv/ledger --base-url https://data.example.org --json',
  ],
  isReader: true,
  settings: ['out', ...SOURCE_SETTINGS, 'documents', 'companions', 'baseUrl', 'sourceCode', 'publisherKey'],
  optional: { ledger: 'Without it, the release is only compared with its own manifest.' },
  flags: { importFull, json },
  async run(config, context) {
    const { out, companions, baseUrl, sourceCode, ledger, wait } = config;
    const { progress, print } = context;
    const source = ledger && (await openLedger(ledger, { ...config, mustExist: true }, context));
    const findings = await checkRelease({
      ...(source ?? { ledger: null, verifiers: [] }),
      publisherKeys: await publisherVerifiers(config.publisherKey),
      out,
      documents: documentsFolder(config.documents, source?.ledger ?? null),
      companions,
      baseUrl,
      sourceCode,
      software: software(),
      waitMs: wait * 1000,
      log: (line) => progress.stage(line),
    });
    progress.end();
    const madeBy = await softwareOf(out);
    const valid = findings.length === 0;
    if (config.json) {
      const comparedWith = source ? 'ledger' : 'manifest';
      const listed = findings.map(({ place, expected, found }) => ({ place, expected, found }));
      print(
        formatJson({
          valid,
          compared_with: comparedWith,
          findings: listed,
          made_by: madeBy,
          software: software(),
        }),
      );
      return valid ? 0 : 1;
    }
    for (const { place, expected, found } of findings)
      print(`${place}: expected ${expected}, found ${found}`);
    if (!valid && source && madeBy !== null && madeBy !== software())
      print(`${madeBy} made the release, but this is ${software()}: check it with the software that made it`);
    const against = source ? 'its manifest and the ledger' : 'its manifest';
    print(valid ? `the release agrees with ${against}` : formatCount(findings.length, 'finding'));
    return valid ? 0 : 1;
  },
});

/** The publisher's public keys; null where there is no key file, so that those in the release count. */
async function publisherVerifiers(keyFile: string): Promise<Verifier[] | null> {
  const keys = await readNoteKeys(keyFile);
  return keys?.map((key) => signerOf(key).verifier) ?? null;
}

/** The software that a manifest names, even a damaged one; null if it names none. */
async function softwareOf(out: string): Promise<string | null> {
  const text = await readFile(join(out, 'current/manifest.json'), 'utf8').catch(() => '');
  return /^ *"software": *"([^"]*)"/m.exec(text)?.[1] ?? null;
}
