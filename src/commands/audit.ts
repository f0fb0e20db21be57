import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Config } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { formatTlogProof } from '../../pipeline/ledger/log/tlog-proof.ts';
import { nodeHash } from '../../pipeline/ledger/merkle.ts';
import {
  assertGoesOn,
  folderSource,
  type LogSource,
  originSource,
} from '../../pipeline/verify/audit/audited-log.ts';
import { LogEntries } from '../../pipeline/verify/audit/log-entries.ts';
import { proveFromLedger, proveFromLog } from '../../pipeline/verify/audit/prove-event.ts';
import { readExport } from '../../pipeline/verify/audit/read-export.ts';
import { verifyExport } from '../../pipeline/verify/audit/verify-export.ts';
import { verifyProof } from '../../pipeline/verify/audit/verify-proof.ts';
import { exportOptions } from './audit/export-options.ts';
import { formatExportVerdict } from './audit/format-export-verdict.ts';
import { type Command, type Context, defineCommand } from './command.ts';
import { openSource, readVerifiers, SOURCE_SETTINGS } from './ledger-source.ts';
import { httpOrigin, PATIENCE_SETTINGS, readHeld } from './reader-settings.ts';
import { required } from './required.ts';

const prove = defineCommand({
  summary: 'Prints a proof that an event is in the log, which anybody can verify with the public key alone.',
  settings: [
    'provenEvent',
    'out',
    'logUrl',
    'provenLedger',
    ...PATIENCE_SETTINGS,
    ...SOURCE_SETTINGS,
    'json',
  ],
  words: ['provenEvent'],
  async run(config, context) {
    const { provenLedger: ledger, json } = config;
    const event = required('provenEvent', config.provenEvent);
    const proof = ledger
      ? await openSource(ledger, config, context).then((source) =>
          proveFromLedger(source.ledger, event, source.verifiers),
        )
      : await proveFromLog(sourceOf(config, context), event, await readVerifiers(config.ledgerKey));
    context.progress.end();
    const text = formatTlogProof(proof);
    if (json)
      context.print(JSON.stringify({ event: `0x${event}`, index: proof.index, proof: text }, null, 2));
    else await context.write(text);
    return 0;
  },
});

const verifyProofCommand = defineCommand({
  summary: 'Verifies such a proof, without a network: that this event is in the log that the key signs.',
  settings: ['proofFile', 'provenEvent', 'ledgerKey', 'json'],
  words: ['proofFile'],
  async run({ proofFile, provenEvent, ledgerKey, json }, { print }) {
    const [place, event] = [required('proofFile', proofFile), required('provenEvent', provenEvent)];
    const text = await readFile(place, 'utf8').catch((cause) => {
      throw unreadable(place, cause);
    });
    const means = { verifiers: await readVerifiers(ledgerKey), nodeHash };
    const { index, checkpoint, verifier } = await verifyProof(text, event, means, place);
    const { origin, size, root } = checkpoint;
    const key = `${verifier.name}+${verifier.id}`;
    if (json)
      print(JSON.stringify({ valid: true, event: `0x${event}`, index, origin, size, root, key }, null, 2));
    else {
      print(`The proof holds: event 0x${event} is number ${index} of the log ${origin},`);
      print(`in its tree of ${size} events with the root ${root}, signed by ${key}.`);
    }
    return 0;
  },
});

const verifyExportCommand = defineCommand({
  summary: 'Compares an audited export with the log: every row, and that none of its period is missing.',
  settings: [
    'exportFile',
    'exportFrom',
    'exportTo',
    'exportFilter',
    'out',
    'logUrl',
    ...PATIENCE_SETTINGS,
    'governmentKey',
    'ledgerKey',
    'heldCheckpoint',
    'json',
  ],
  words: ['exportFile'],
  async run(config, context) {
    const { print, progress } = context;
    const place = required('exportFile', config.exportFile);
    const file = await openExport(place);
    const options = exportOptions(file.head, config);
    const verifiers = await readVerifiers(config.ledgerKey);
    const log = await LogEntries.open(sourceOf(config, context, config.governmentKey), verifiers);
    const held = await readHeld(config.heldCheckpoint);
    const goesOnFrom = held && (await assertGoesOn(log.log, held, verifiers)).size;
    progress.stage(`comparing ${place} with the log`);
    const verdict = await verifyExport(file, log, options).catch((cause) => {
      throw cause.syscall ? unreadable(place, cause) : cause;
    });
    progress.end();
    const { checkpoint, verifier: key } = log.log;
    const about = { file: place, checkpoint, key, held, goesOnFrom, options };
    const isGood = verdict.faults.length === 0;
    if (config.json) print(JSON.stringify({ valid: isGood, ...verdict, ...checkpoint, goesOnFrom }, null, 2));
    else for (const line of formatExportVerdict(verdict, about)) print(line);
    return isGood ? 0 : 1;
  },
});

/** By name. */
export const AUDIT: Readonly<Record<string, Command>> = {
  prove,
  'verify-proof': verifyProofCommand,
  'verify-export': verifyExportCommand,
};

type LogConfig = Pick<Config, 'out' | 'logUrl' | (typeof PATIENCE_SETTINGS)[number]>;

function sourceOf(config: LogConfig, { progress }: Context, governmentKey: string | null = null): LogSource {
  const { out, logUrl } = config;
  if (logUrl === null) return folderSource(out);
  const [origin, withKey] = [null, governmentKey].map((apiKey) =>
    httpOrigin(logUrl, config, { apiKey, isStatic: false, log: (line) => progress.note(line) }),
  );
  return originSource(origin!, withKey!);
}

async function openExport(place: string) {
  const bytes = place === '-' ? process.stdin : createReadStream(place, { highWaterMark: 1 << 20 });
  const file = await readExport(bytes, place).catch((cause) => {
    throw cause.syscall ? unreadable(place, cause) : cause;
  });
  if (file) return file;
  throw new CathedralError('proof_refused', {
    place: `${place}:1`,
    expected: 'the first line of an audited export as CSV, JSON or NDJSON',
    found: 'another one',
  });
}

function unreadable(place: string, cause: NodeJS.ErrnoException): CathedralError {
  const found = cause.code ?? cause.message;
  return new CathedralError('proof_refused', { place, expected: 'a file that can be read', found, cause });
}
