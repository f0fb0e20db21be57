import { ledgerSource } from '../../pipeline/config/ledger-address.ts';
import { SETTINGS, SOURCE_SETTINGS } from '../../pipeline/config/settings.ts';
import { defineCommand, json } from './command.ts';
import { event, heldCheckpoint, logUrl } from './reading.ts';

const prove = defineCommand({
  summary: 'Prints a proof that an event is in the log. Anybody can verify it with `verify-proof`.',
  examples: [
    'cathedral prove 0x1f2e… --out /srv/cathedral > event.tlog-proof',
    'cathedral prove 0x1f2e… --url https://data.example.org --ledger-key ledger.vkey --json',
  ],
  isReader: true,
  settings: ['out', 'timeLimit', ...SOURCE_SETTINGS, 'policy'],
  positionals: ['event'],
  flags: {
    event,
    logUrl,
    ledger: {
      unit: SETTINGS.ledger.unit,
      description:
        'Proves from the events of a ledger, up to its newest ledger snapshot, instead of from the published log. CATHEDRAL_LEDGER is not read: without the flag, the log of --out or --url is used.',
      path: true,
      schema: ledgerSource,
    },
    json,
  },
  async run(config, context) {
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
  },
});

const verifyProof = defineCommand({
  summary: 'Verifies a proof from `prove`: that one event is in the log that a key signed. Needs no network.',
  details:
    'It verifies one event. To verify an audited export use `verify-export`; to verify a service or its files use `verify`.',
  examples: [
    'cathedral verify-proof event.tlog-proof --event 0x1f2e… --ledger-key ledger.vkey',
    'cathedral verify-proof event.tlog-proof --event 0x1f2e… --policy policy.txt',
  ],
  isReader: true,
  settings: ['ledgerKey', 'policy'],
  positionals: ['proof'],
  flags: {
    proof: {
      unit: 'a file',
      description: 'The proof, as `prove` printed it.',
      required: true,
      path: true,
    },
    event,
    json,
  },
  async run({ proof: place, event, ...config }, { now }) {
    const { readFile } = await import('node:fs/promises');
    const { nodeHash } = await import('../../pipeline/ledger/log/merkle.ts');
    const { verifyProof } = await import('../../pipeline/verify/audit/verify-proof.ts');
    const { auditorTrust, unreadable, witnessing } = await import('../../pipeline/verify/reader.ts');
    const proof = await readFile(place, 'utf8').catch((cause) => {
      throw unreadable(place, cause);
    });
    const { policy, verifiers } = await auditorTrust(config);
    const proved = await verifyProof(proof, event, { verifiers, nodeHash }, place);
    const { index, checkpoint, verifier, note } = proved;
    const seen = await witnessing(note, policy, { place, now: now() });
    const { origin, size, root } = checkpoint;
    const key = `${verifier.name}+${verifier.id}`;
    const valid = !seen?.missing;
    return {
      facts: { valid, event: `0x${event}`, index, origin, size, root, key, witnesses: seen?.facts ?? null },
      lines: [
        `The proof holds: event 0x${event} is number ${index} of the log ${origin},`,
        `in the tree of ${size} events with root hash ${root}, signed by ${key}.`,
        ...(seen ? [seen.line] : []),
      ],
      status: valid ? 0 : 1,
    };
  },
});

const proveRow = defineCommand({
  summary:
    'Verifies a public history, or a single row of one, against the log, without a key: that each row follows from the log’s public events.',
  details: `Given a file, it compares every row with the rows that follow from the log: each row that was edited, added, moved or repeated is named with its line, and so are rows that are missing. Given a row, it shows the steps from the row to the event, the leaf, the checkpoint and the signatures. It reads the log and its public events from --out, or with --url from a service, a mirror or a static host.

It exits with 0 if everything is proved, with 1 if something does not hold or the log lacks the cosignatures that a policy requires, with 2 after an error, and with 3 if nothing was found wrong but something cannot be checked: a history that follows from events of which the log shows only hashes, a row that is newer than the log, columns of another release. To verify the audited export, which is not public, use \`verify-export\`.`,
  examples: [
    'cathedral prove-row economy-mic-history.csv --path economy/mic-history.csv --url https://data.example.org --ledger-key ledger.vkey',
    'cathedral prove-row economy/supply-by-day.csv --url https://data.example.org --ledger-key ledger.vkey',
    "cathedral prove-row '2026-05-04T09:12:31Z,C-305,AUREA,812.5,FOR-ECONOMISTS,61.2' --out /srv/cathedral",
  ],
  isReader: true,
  settings: ['out', 'timeLimit', 'ledgerKey', 'policy'],
  positionals: ['row'],
  flags: {
    row: {
      unit: 'a file, the path of a history, a row, or - for standard input',
      description:
        'What to verify: a file on this machine, a history that the service publishes (economy/mic-history.csv), or one row as text. Standard input may hold a file or a row.',
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
        'Prints the proof of the row’s event as `prove` prints it, in place of the steps; `verify-proof` verifies it without a network. Only for a row of one event.',
      switch: true,
    },
    logUrl,
    heldCheckpoint,
    json,
  },
  async run(config, context) {
    const { proveGiven } = await import('../../pipeline/verify/rows/prove-given.ts');
    const { facts, lines, verdict, proof, isUnseen } = await proveGiven(config, context);
    // “Cannot be checked” is neither a proof nor a contradiction.
    const status = isUnseen ? 1 : ({ proved: 0, does_not_hold: 1, cannot_be_checked: 3 } as const)[verdict];
    if (proof === null) return { facts, lines, status };
    context.progress.end();
    await context.write(proof);
    return status;
  },
});

const verifyExport = defineCommand({
  summary: 'Verifies an audited export against the log: that every row is in it, and that no row is missing.',
  details:
    'To verify a proof of a single event use `verify-proof`. This command reads the log of --out, or with --url that of a service, for which it needs a government key in CATHEDRAL_GOVERNMENT_KEY.',
  examples: [
    'cathedral verify-export ledger-export.csv --from 2025-12-01 --to 2025-12-31 --out /srv/cathedral',
    'cathedral verify-export export.json --url https://data.example.org --json',
  ],
  isReader: true,
  settings: ['out', 'timeLimit', 'governmentKey', 'ledgerKey', 'policy'],
  positionals: ['export'],
  flags: {
    export: {
      unit: 'a file, or - for standard input',
      description: 'The audited export, as CSV, JSON or NDJSON.',
      required: true,
    },
    from: {
      unit: 'a date or a date-time, as in the address of the export',
      description:
        'The start of the period that was exported. Without it, the start that a JSON file names, or else its oldest row; rows missing before that are not noticed.',
    },
    to: {
      unit: 'a date or a date-time, as in the address of the export',
      description:
        'The end of the period that was exported. Without it, the end that a JSON file names, or else its newest row.',
    },
    filter: {
      unit: 'RSQL, as in the address of the export',
      description: 'The filter of the export. Without it, the one that a JSON file names, or else none.',
    },
    logUrl,
    heldCheckpoint,
    json,
  },
  async run(config, context) {
    const { auditExport } = await import('../../pipeline/verify/audit/audit-export.ts');
    const { SERVER_PARSERS } = await import('./export-parsers.ts');
    const { valid, ...result } = await auditExport(config, context, SERVER_PARSERS);
    return { ...result, status: valid ? 0 : 1 };
  },
});

export const COMMANDS = {
  prove,
  'verify-proof': verifyProof,
  'prove-row': proveRow,
  'verify-export': verifyExport,
};
