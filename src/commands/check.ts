import { z } from 'zod';
import { SOURCE_SETTINGS } from '../../pipeline/config/settings.ts';
import { software } from '../../pipeline/config/software.ts';
import type { Finding } from '../../pipeline/errors.ts';
import { counted, formatCount } from '../../pipeline/words/number.ts';
import { defineCommand, importFull, json } from './command.ts';

function formatFinding({ place, expected, found }: Finding): string {
  return `${place}: expected ${expected}, found ${found}`;
}

const check = defineCommand({
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
    const { documentsFolder } = await import('../../pipeline/artifacts/documents/folder.ts');
    const { check, softwareOf } = await import('../../pipeline/build/check.ts');
    const { openLedger } = await import('../../pipeline/sources/open-ledger.ts');
    const { readNoteVerifiers } = await import('../../pipeline/ledger/notes/note-keys.ts');
    const { out, companions, baseUrl, sourceCode, ledger, wait } = config;
    const source = ledger && (await openLedger(ledger, { ...config, mustExist: true }, context));
    const findings = await check({
      ...(source ?? { ledger: null, verifiers: [] }),
      publisherKeys: await readNoteVerifiers(config.publisherKey),
      out,
      documents: documentsFolder(config.documents, source?.ledger ?? null),
      companions,
      baseUrl,
      sourceCode,
      software: software(),
      waitMs: wait * 1000,
      log: (line) => context.progress.stage(line),
    });
    const madeBy = await softwareOf(out);
    const valid = findings.length === 0;
    const isOther = !valid && source !== null && madeBy !== null && madeBy !== software();
    return {
      facts: {
        valid,
        compared_with: source ? 'ledger' : 'manifest',
        findings: findings.map(({ place, expected, found }) => ({ place, expected, found })),
        made_by: madeBy,
        software: software(),
      },
      lines: [
        ...findings.map(formatFinding),
        ...(isOther
          ? [`${madeBy} made the release, but this is ${software()}: check it with the software that made it`]
          : []),
        valid
          ? `the release agrees with ${source ? 'its manifest and the ledger' : 'its manifest'}`
          : formatCount(findings.length, 'finding'),
      ],
      status: valid ? 0 : 1,
    };
  },
});

const asOf = defineCommand({
  summary: 'Rebuilds a published snapshot from the ledger, from genesis on, and compares the two.',
  details:
    'Use it to show that what was published at a time follows from the ledger, or with --into to get the files of a snapshot that is no longer kept.',
  examples: [
    'cathedral as-of 2025-12-01T06Z --ledger /srv/ledger --base-url https://data.example.org',
    'cathedral as-of 2025-12-01T06Z --into /tmp/files',
  ],
  isReader: true,
  settings: ['ledger', ...SOURCE_SETTINGS, 'out', 'documents', 'companions', 'baseUrl'],
  positionals: ['snapshot'],
  flags: {
    snapshot: {
      unit: 'the id of a snapshot as /snapshots/ lists it, 2025-12-01T06Z',
      description: 'The snapshot to rebuild.',
      required: true,
      schema: z.string().regex(/^\d{4}-\d\d-\d\dT(00|06|12|18)Z$/),
    },
    into: {
      unit: 'a folder that does not exist',
      description: 'Keeps the rebuilt files here, histories included. Without it they are removed.',
      path: true,
    },
    json,
  },
  async run(config, context) {
    const { documentsFolder } = await import('../../pipeline/artifacts/documents/folder.ts');
    const { asOf } = await import('../../pipeline/build/rebuild-as-of.ts');
    const { openLedger } = await import('../../pipeline/sources/open-ledger.ts');
    const { snapshot, out, into, companions, baseUrl, wait } = config;
    const source = await openLedger(config.ledger, { ...config, mustExist: true }, context);
    const { published, manifest, findings, compared, notReproducible } = await asOf({
      ...source,
      snapshot,
      out,
      into,
      documents: documentsFolder(config.documents, source.ledger),
      companions,
      baseUrl,
      software: software(),
      waitMs: wait * 1000,
      log: (line) => context.progress.stage(line),
    });
    const { size, root } = manifest.ledger;
    const agrees = published ? findings.length === 0 : null;
    const lines = [
      ...findings.map(formatFinding),
      `rebuilt: as of ${manifest.timestamp}, ${counted(size, 'event')}, root hash ${root}`,
    ];
    if (into !== null) lines.push(`the files are in ${into}`);
    if (agrees === null) lines.push(`${out} does not contain ${snapshot}, so there is nothing to compare`);
    else {
      if (notReproducible.length > 0) lines.push(`verified by hash only: ${notReproducible.join(', ')}`);
      const verdict = agrees ? 'agree' : 'do not agree';
      const count = agrees ? '' : `: ${formatCount(findings.length, 'finding')}`;
      lines.push(`the ${compared} files of ${snapshot} ${verdict} with the ledger${count}`);
    }
    return {
      facts: {
        snapshot,
        is_published: published !== null,
        agrees,
        as_of: manifest.timestamp,
        log: { size, root_hash: root },
        compared_files: compared,
        verified_by_hash_only: notReproducible,
        findings: findings.map(({ place, expected, found }) => ({ place, expected, found })),
        into,
      },
      lines,
      status: (agrees ?? into !== null) ? 0 : 1,
    };
  },
});

export const COMMANDS = { check, 'as-of': asOf };
