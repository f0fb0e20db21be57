import { asOf as makeAgain } from '../../pipeline/build/as-of.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { defineCommand } from './command.ts';
import { openSource, SOURCE_SETTINGS } from './ledger-source.ts';
import { SOFTWARE } from './software.ts';

export const asOf = defineCommand({
  summary: 'Makes a published snapshot again from the first event of the ledger on, and compares the two.',
  settings: [
    'snapshot',
    'ledger',
    ...SOURCE_SETTINGS,
    'out',
    'documents',
    'companions',
    'baseUrl',
    'contact',
    'into',
  ],
  async run(config, context) {
    const { snapshot, out, into, documents, companions, baseUrl, contact, wait } = config;
    const { progress, print } = context;
    if (snapshot === null) {
      const expected = 'the id of a snapshot, as /snapshots/ lists it';
      throw new CathedralError('usage', { place: '--snapshot', expected, found: 'no value' });
    }
    const source = await openSource(config.ledger, config, context);
    const { published, manifest, findings, compared, notReproducible } = await makeAgain({
      ...source,
      snapshot,
      out,
      into,
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
    const { size, root } = manifest.ledger;
    print(`made again: as of ${manifest.timestamp}, ${size} events, root ${root}`);
    if (into !== null) print(`the files are in ${into}`);
    if (!published) {
      print(`${snapshot} is not kept in ${out}: there is nothing to compare`);
      return into === null ? 1 : 0;
    }
    if (notReproducible.length > 0) print(`checked by their hashes alone: ${notReproducible.join(', ')}`);
    const verdict = findings.length === 0 ? 'agrees with the ledger' : `differs: ${findings.length} findings`;
    print(`${snapshot}, ${compared} files: ${verdict}`);
    return findings.length === 0 ? 0 : 1;
  },
});
