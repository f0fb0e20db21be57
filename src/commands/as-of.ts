import { z } from 'zod';
import { documentsFolder } from '../../pipeline/artifacts/documents/folder.ts';
import { asOf as rebuildSnapshot } from '../../pipeline/build/as-of.ts';
import { text } from '../../pipeline/config/setting.ts';
import { SOURCE_SETTINGS } from '../../pipeline/config/settings.ts';
import { software } from '../../pipeline/config/software.ts';
import { openLedger } from '../../pipeline/sources/open-ledger.ts';
import { formatCount } from '../../pipeline/words/number.ts';
import { defineCommand, formatJson, json } from './command.ts';

export const asOf = defineCommand({
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
      flag: 'snapshot',
      default: null,
      unit: 'the id of a snapshot as /snapshots/ lists it, 2025-12-01T06Z',
      description: 'The snapshot to rebuild.',
      required: true,
      schema: z.string().regex(/^\d{4}-\d\d-\d\dT(00|06|12|18)Z$/),
    },
    into: {
      flag: 'into',
      default: null,
      unit: 'a folder that does not exist',
      description: 'Keeps the rebuilt files here, histories included. Without it they are removed.',
      path: true,
      schema: text,
    },
    json,
  },
  async run(config, context) {
    const { snapshot, out, into, companions, baseUrl, wait } = config;
    const { progress, print } = context;
    const source = await openLedger(config.ledger, { ...config, mustExist: true }, context);
    const report = await rebuildSnapshot({
      ...source,
      snapshot,
      out,
      into,
      documents: documentsFolder(config.documents, source.ledger),
      companions,
      baseUrl,
      software: software(),
      waitMs: wait * 1000,
      log: (line) => progress.stage(line),
    });
    progress.end();
    const { published, findings } = report;
    const failed = published ? findings.length > 0 : into === null;
    if (config.json) print(formatJson(factsOf(report, snapshot, into)));
    else for (const line of formatReport(report, { snapshot, out, into })) print(line);
    return failed ? 1 : 0;
  },
});

type Report = Awaited<ReturnType<typeof rebuildSnapshot>>;

function factsOf(
  { published, manifest, findings, compared, notReproducible }: Report,
  snapshot: string,
  into: string | null,
) {
  const { size, root } = manifest.ledger;
  return {
    snapshot,
    is_published: published !== null,
    agrees: published === null ? null : findings.length === 0,
    as_of: manifest.timestamp,
    log: { size, root_hash: root },
    compared_files: compared,
    verified_by_hash_only: notReproducible,
    findings: findings.map(({ place, expected, found }) => ({ place, expected, found })),
    into,
  };
}

function formatReport(
  { published, manifest, findings, compared, notReproducible }: Report,
  { snapshot, out, into }: { snapshot: string; out: string; into: string | null },
): string[] {
  const { size, root } = manifest.ledger;
  const lines = findings.map(
    ({ place, expected, found }) => `${place}: expected ${expected}, found ${found}`,
  );
  lines.push(`rebuilt: as of ${manifest.timestamp}, ${size} events, root hash ${root}`);
  if (into !== null) lines.push(`the files are in ${into}`);
  if (!published) return [...lines, `${out} does not contain ${snapshot}, so there is nothing to compare`];
  if (notReproducible.length > 0) lines.push(`verified by hash only: ${notReproducible.join(', ')}`);
  const verdict =
    findings.length === 0
      ? 'agree with the ledger'
      : `do not agree with the ledger: ${formatCount(findings.length, 'finding')}`;
  return [...lines, `the ${compared} files of ${snapshot} ${verdict}`];
}
