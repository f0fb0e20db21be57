import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { check as checkRelease } from '../../pipeline/build/check.ts';
import type { Verifier } from '../../pipeline/ledger/note.ts';
import { signerOf } from '../../pipeline/release/signing/publisher-key-file.ts';
import { readPublisherKeys } from '../../pipeline/release/signing/publisher-keys.ts';
import { defineCommand } from './command.ts';
import { openSource, SOURCE_SETTINGS } from './ledger-source.ts';
import { SOFTWARE } from './software.ts';

/** The publisher's public keys; null where there is no key file: then it is those that the release names. */
async function publisherVerifiers(keyFile: string): Promise<Verifier[] | null> {
  const keys = await readPublisherKeys(keyFile);
  return keys?.map((key) => signerOf(key).verifier) ?? null;
}

/** What a manifest says that made it, damaged or not; null where it says nothing. */
async function softwareOf(out: string): Promise<string | null> {
  const text = await readFile(join(out, 'current/manifest.json'), 'utf8').catch(() => '');
  return /^ *"software": *"([^"]*)"/m.exec(text)?.[1] ?? null;
}

export const check = defineCommand({
  summary:
    'Reads every byte of the published release; with --ledger it also makes everything again from genesis and compares.',
  settings: [
    'out',
    'checkedLedger',
    ...SOURCE_SETTINGS,
    'importFull',
    'documents',
    'companions',
    'baseUrl',
    'contact',
    'publisherKey',
  ],
  async run(config, context) {
    const { out, documents, companions, baseUrl, contact, checkedLedger, wait } = config;
    const { progress, print } = context;
    const source = checkedLedger && (await openSource(checkedLedger, config, context));
    const findings = await checkRelease({
      ...(source ?? { ledger: null, verifiers: [] }),
      publisherKeys: await publisherVerifiers(config.publisherKey),
      out,
      documents,
      companions,
      baseUrl,
      contact,
      software: SOFTWARE,
      waitMs: wait * 1000,
      log: (line) => progress.stage(line),
    });
    progress.end();
    for (const { place, expected, found } of findings)
      print(`${place}: expected ${expected}, found ${found}`);
    const made = await softwareOf(out);
    if (findings.length > 0 && source && made !== null && made !== SOFTWARE)
      print(`${made} made the release, and this is ${SOFTWARE}: compare with the software that made it`);
    const against = source ? 'its manifest and the ledger' : 'its manifest';
    print(findings.length === 0 ? `the release agrees with ${against}` : `${findings.length} findings`);
    return findings.length === 0 ? 0 : 1;
  },
});
