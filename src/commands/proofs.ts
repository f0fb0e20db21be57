import { resolve } from 'node:path';
import { z } from 'zod';
import { ledgerSource } from '../../pipeline/config/ledger-address.ts';
import { hasScheme, integer, numbers, pathOrAddress } from '../../pipeline/config/setting.ts';
import { type Config, SETTINGS, SOURCE_SETTINGS } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import type { Kind } from '../../pipeline/verify/given.ts';
import { counted } from '../../pipeline/words/number.ts';
import { type Command, type Context, defineCommand, json, type Result } from './command.ts';
import {
  EVENT_HASH,
  event,
  heldCheckpoint,
  logUrl,
  READER_FLAGS,
  READER_SETTINGS,
  WITHOUT_LEDGER_KEY,
} from './reading.ts';

/** An option of which no use is made would say something that the answer does not. Throws usage. */
function refuse(
  { options }: Command,
  { flags }: Context,
  isUsed: (option: string) => boolean,
  what: string,
): void {
  const unused = [...flags.keys()].find((name) => !isUsed(name));
  if (unused === undefined) return;
  const expected = `not to be used with ${what}`;
  throw new CathedralError('usage', { place: `--${options[unused]!.flag}`, expected, found: 'both' });
}

const prove: Command = defineCommand({
  summary:
    'Proves from the public log, without a key, that an event is in it, or that a row or a whole public history follows from it.',
  details: `Given the hash of an event, it prints a proof that anybody can verify with \`verify\`, without a network.

Given a row, it shows the steps from the row to the event, the leaf, the checkpoint and the signatures. Given a file, it compares every row with the rows that follow from the log: each row that differs from the log or that the log does not have there is named with its line, and so are rows that are missing. It reads the log and its public events from --out, or with --url from a service, a mirror or a static host.

It exits with 0 if everything is proved, with 1 if something does not hold or the log lacks the cosignatures that a policy requires, with 2 for wrong use, with 3 if nothing was found wrong but something cannot be checked: a history that follows from events of which the log shows only hashes, a row that is newer than the log, columns of another release; and with 4 if the host does not answer. To verify the audited export, which is not public, use \`verify\`.`,
  examples: [
    'cathedral prove 0x1f2e… --out /srv/cathedral > event.tlog-proof',
    'cathedral prove 0x1f2e… --url https://data.example.org --ledger-key ledger.vkey --json',
    'cathedral prove economy-mic-history.csv --path economy/mic-history.csv --url https://data.example.org --ledger-key ledger.vkey',
    'cathedral prove economy/supply-by-day.csv --url https://data.example.org --ledger-key ledger.vkey',
    "cathedral prove '2026-05-04T09:12:31Z,C-305,AUREA,812.5,FOR-ECONOMISTS,61.2' --out /srv/cathedral",
  ],
  isReader: true,
  settings: ['out', 'timeLimit', ...SOURCE_SETTINGS, 'policy'],
  positionals: ['what'],
  flags: {
    what: {
      unit: 'the hash of an event, a row, a file, the path of a history, or - for standard input',
      description:
        'What to prove: the attestation_hash of an event (64 hex digits, with or without 0x), a file on this machine, a history that the service publishes (economy/mic-history.csv), or one row as text. Standard input may hold a file or a row.',
      required: true,
    },
    path: {
      unit: 'the path of a public history',
      description:
        'The history that the file is, such as economy/mic-history.csv. Without it, the first line of the file shows which one it is.',
    },
    proof: {
      flag: 'print-proof',
      description:
        'Prints the proof of the row’s event, as for the hash of an event, in place of the steps. Only for a row of one event.',
      switch: true,
    },
    logUrl,
    heldCheckpoint,
    ledger: {
      unit: SETTINGS.ledger.unit,
      description:
        'Proves an event from the events of a ledger, up to its newest ledger snapshot, instead of from the published log. CATHEDRAL_LEDGER is not read: without the flag, the log of --out or --url is used.',
      path: true,
      schema: ledgerSource,
    },
    json,
  },
  async run(config, context) {
    const { what } = config;
    const hash = EVENT_HASH.safeParse(what).data;
    if (hash !== undefined) {
      refuse(prove, context, (name) => !['path', 'heldCheckpoint'].includes(name), 'the hash of an event');
      return printProof({ ...config, event: hash }, context);
    }
    refuse(prove, context, (name) => name !== 'ledger', 'a row or a file');
    const { proveGiven } = await import('../../pipeline/verify/rows/prove-given.ts');
    const given = await proveGiven({ ...config, row: what }, context);
    const { facts, lines, verdict, proof, isUnseen } = given;
    // “Cannot be checked” is neither a proof nor a contradiction.
    const status = isUnseen ? 1 : ({ proved: 0, does_not_hold: 1, cannot_be_checked: 3 } as const)[verdict];
    if (proof === null) return { facts, lines, status };
    context.progress.end();
    await context.write(proof);
    return status;
  },
});

interface Proving extends Pick<Config, 'out' | 'timeLimit' | 'policy' | (typeof SOURCE_SETTINGS)[number]> {
  /** The hash, without 0x. */
  event: string;
  logUrl: string | null;
  /** Null: the published log. */
  ledger: ReturnType<typeof ledgerSource.parse> | null;
}

async function printProof(config: Proving, context: Context): Promise<Result> {
  const { formatTlogProof } = await import('../../pipeline/ledger/log/tlog-proof.ts');
  const { proveFromLedger, proveFromLog } = await import('../../pipeline/verify/audit/prove-event.ts');
  const { CHECKPOINT } = await import('../../pipeline/verify/log.ts');
  const { auditorTrust, logOrigin, witnessing } = await import('../../pipeline/verify/reader.ts');
  const { event, ledger } = config;
  const { policy, verifiers } = await auditorTrust(config);
  const fromLedger = async (address: NonNullable<typeof ledger>) => {
    // Every kind of source and its database take far longer to load than a proof from the log takes.
    const { openLedger } = await import('../../pipeline/sources/open-ledger.ts');
    const opened = await openLedger(address, { ...config, mustExist: true }, context);
    return proveFromLedger(opened.ledger, event, opened.verifiers);
  };
  const origin = ledger ? null : await logOrigin(config, context);
  const proof = origin ? await proveFromLog(origin, event, verifiers) : await fromLedger(ledger!);
  const place = origin ? origin.placeOf(CHECKPOINT) : `${ledger}`;
  const seen = await witnessing(proof.checkpoint, policy, { place, now: context.now() });
  if (seen?.missing) throw seen.missing;
  const text = formatTlogProof(proof);
  const facts = { event: `0x${event}`, index: proof.index, proof: text, witnesses: seen?.facts ?? null };
  return { facts, lines: text.replace(/\n$/, '') };
}

/** The options of which use is made for each kind of thing, beside those for all. */
const USED: Readonly<Record<Kind, readonly string[]>> = {
  service: [
    ...['readerKeys', 'policy', 'ledgerKey', 'parallelRequests', 'timeLimit'],
    ...['acceptExpired', 'staticOrigin', 'sampleSize', 'sampleSeed', 'heldCheckpoint'],
  ],
  file: ['readerKeys', 'out', 'logUrl', 'timeLimit'],
  export: ['ledgerKey', 'policy', 'out', 'logUrl', 'timeLimit', 'from', 'to', 'filter', 'heldCheckpoint'],
  proof: ['ledgerKey', 'policy', 'event'],
};
const MOMENT = 'a date or a date-time, as in the address of the export';
const moment = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

const USED_FOR_ALL = ['what', 'kind', 'json'];

const verify: Command = defineCommand({
  summary:
    'Verifies, as a reader, a service or a copy of one, a downloaded file, an audited export, or a proof of an event.',
  details: `A service, a mirror or a folder: is it what its publisher signed? It needs nothing but the public files, and says for each check what was proved. It exits with 1 if there are findings, and with 4 if the host merely did not answer, so that a monitor can tell an outage from tampering. To compare your own published folder with the ledger, use \`check\`.

A file: did the publisher list exactly these bytes, in the current release of --out or --url or in a snapshot? To compare the rows of a public history with the log, use \`prove\`.

An audited export (CSV, JSON or NDJSON): is every row in the log, and is no row missing? It reads the log of --out, or with --url that of a service, for which it needs a government key in CATHEDRAL_GOVERNMENT_KEY.

A proof from \`prove\`: is the event in the log that a key signed? It needs no network.`,
  examples: [
    'cathedral verify https://data.example.org --verifier-key data.example.org+1a2b3c4d+AQ…',
    'cathedral verify /srv/mirror --sample-size 200 --json',
    'cathedral verify supply.json --url https://data.example.org --verifier-key publisher.vkey',
    'cathedral verify ledger-export.csv --from 2025-12-01 --to 2025-12-31 --out /srv/cathedral',
    'cathedral verify event.tlog-proof --event 0x1f2e… --ledger-key ledger.vkey',
  ],
  isReader: true,
  settings: [...READER_SETTINGS, 'out', 'governmentKey'],
  optional: {
    ledgerKey: `${WITHOUT_LEDGER_KEY} For an export or a proof, the published key of demo ledgers is taken.`,
  },
  positionals: ['what'],
  flags: {
    what: {
      unit: 'http(s)://host[:port][/path], a folder, a file, or - for standard input',
      description:
        'What to verify: the address of a service or a mirror, the folder of either, a folder with a plain copy of the public files, or a file.',
      required: true,
      schema: pathOrAddress(),
    },
    kind: {
      unit: 'service, file, export or proof',
      description:
        'What it has to be; anything else is refused. Without it, the first line of a file shows what it is, so a script that expects an export or a proof should say so.',
      schema: z.enum(['service', 'file', 'export', 'proof']),
    },
    ...READER_FLAGS,
    sampleSize: {
      ...numbers('a number', 1, 1_000_000),
      description:
        'Reads this many randomly chosen files, tiles and snapshots of a service. Without it, all of them, which may take a long time.',
    },
    sampleSeed: {
      unit: 'a whole number, 0 to 4294967295',
      description:
        'Repeats the choice of --sample-size. Without it the choice is different each time, and the result names the seed.',
      schema: integer(0, 0xffffffff),
    },
    heldCheckpoint,
    event,
    from: {
      unit: MOMENT,
      schema: moment,
      description:
        'The start of the period that was exported. Without it, the start that a JSON file names, or else its oldest row; rows missing before that are not noticed.',
    },
    to: {
      unit: MOMENT,
      schema: moment,
      description:
        'The end of the period that was exported. Without it, the end that a JSON file names, or else its newest row.',
    },
    filter: {
      unit: 'RSQL, as in the address of the export',
      description: 'The filter of the export. Without it, the one that a JSON file names, or else none.',
    },
    logUrl,
    json,
  },
  async run(config, context) {
    const { KINDS, openGiven } = await import('../../pipeline/verify/given.ts');
    const { what, kind: said, event, from, to, filter } = config;
    const isOfExport = [from, to, filter].some((flag) => flag !== null);
    const shown = event !== null ? 'proof' : isOfExport ? 'export' : null;
    // Not disposed before it was read: what reads it is awaited here.
    using given = await openGiven(what, said ?? shown);
    const { kind } = given;
    const named = { ...config, what: what === '-' ? 'standard input' : what };
    refuse(verify, context, (name) => [...USED[kind], ...USED_FOR_ALL].includes(name), KINDS[kind]);
    if (kind === 'proof') return await verifyProofFile(named, given.chunks, context);
    if (kind === 'file') {
      const { verifyPublishedFile } = await import('../../pipeline/verify/verify-published-file.ts');
      const { valid, ...result } = await verifyPublishedFile(named, given.chunks, context);
      return { ...result, status: valid ? 0 : 1 };
    }
    if (kind === 'export') {
      const { auditExport } = await import('../../pipeline/verify/audit/audit-export.ts');
      const { SERVER_PARSERS } = await import('./export-parsers.ts');
      const { valid, ...result } = await auditExport(named, given.chunks, context, SERVER_PARSERS);
      return { ...result, status: valid ? 0 : 1 };
    }
    const { verifyPlace } = await import('../../pipeline/mirror/verify-place.ts');
    const place = hasScheme(what) ? what : resolve(what);
    const { verdict, ...result } = await verifyPlace({ ...config, place }, context);
    return { ...result, status: ({ verified: 0, failed: 1, unreachable: 4 } as const)[verdict] };
  },
});

type ProofConfig = Pick<Config, 'ledgerKey' | 'policy'> & { what: string; event: string | null };

async function verifyProofFile(
  { what: path, event, ...config }: ProofConfig,
  chunks: AsyncIterable<Uint8Array>,
  { now }: Context,
): Promise<Result> {
  const { LONGEST_PROOF } = await import('../../pipeline/ledger/log/tlog-proof.ts');
  const { verifyProof } = await import('../../pipeline/verify/audit/verify-proof.ts');
  const { auditorTrust, unreadable, witnessing } = await import('../../pipeline/verify/reader.ts');
  if (event === null)
    throw new CathedralError('usage', {
      place: '--event',
      expected: 'the hash of the event that the proof is of',
      found: 'no value',
    });
  const read: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      read.push(chunk);
      bytes += chunk.length;
      // So long a text is refused, whatever follows.
      if (bytes > 4 * LONGEST_PROOF) break;
    }
  } catch (cause) {
    throw unreadable(path, cause as NodeJS.ErrnoException);
  }
  const proof = Buffer.concat(read).toString();
  const { policy, verifiers } = await auditorTrust(config);
  const proved = await verifyProof(proof, event, verifiers, path);
  const { index, checkpoint, verifier, note } = proved;
  const seen = await witnessing(note, policy, { place: path, now: now() });
  const { origin, size, root } = checkpoint;
  const key = `${verifier.name}+${verifier.id}`;
  const valid = !seen?.missing;
  return {
    facts: { valid, event: `0x${event}`, index, origin, size, root, key, witnesses: seen?.facts ?? null },
    lines: [
      `The proof holds: event 0x${event} is number ${index} of the log ${origin},`,
      `in the tree of ${counted(size, 'event')} with root hash ${root}, signed by ${key}.`,
      ...(seen ? [seen.line] : []),
    ],
    status: valid ? 0 : 1,
  };
}

export const COMMANDS = { prove, verify };
