import { createReadStream, existsSync } from 'node:fs';
import { printable } from '../../pipeline/attestation/printable.ts';
import { text } from '../../pipeline/config/setting.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import type { Checkpoint } from '../../pipeline/ledger/notes/checkpoint.ts';
import type { Verifier } from '../../pipeline/ledger/notes/note.ts';
import type { WitnessPolicy } from '../../pipeline/ledger/notes/witness-policy.ts';
import {
  formatWitnessing,
  missingQuorum,
  readWitnesses,
  type Witnessing,
} from '../../pipeline/ledger/notes/witness-quorum.ts';
import { assertExtendsKept, type KeptCheckpoint } from '../../pipeline/verify/audit/audited-log.ts';
import { NATIVE } from '../../pipeline/verify/audit/read-export.ts';
import { FolderOrigin } from '../../pipeline/verify/folder-origin.ts';
import { LOG, type Origin } from '../../pipeline/verify/origin.ts';
import { HistoryBytes } from '../../pipeline/verify/rows/history-bytes.ts';
import { tableAt } from '../../pipeline/verify/rows/history-tables.ts';
import { readPasted } from '../../pipeline/verify/rows/pasted.ts';
import {
  proveRow as prove,
  type RowEvent,
  type RowVerdict,
  type StepReport,
} from '../../pipeline/verify/rows/prove-row.ts';
import { openPublicLog } from '../../pipeline/verify/rows/public-log.ts';
import { RowLog } from '../../pipeline/verify/rows/row-log.ts';
import {
  type HistoryVerdict,
  type Verdict,
  verifyHistory,
} from '../../pipeline/verify/rows/verify-history.ts';
import { formatCount } from '../../pipeline/words/number.ts';
import { type Context, defineCommand, type ExitStatus, formatJson, json, SWITCH } from './command.ts';
import { logUrl } from './prove.ts';
import { auditorTrust, heldCheckpoint, httpOrigin, readHeld, witnessesOf } from './reader.ts';
import { unreadable } from './verify-proof.ts';

/** “Cannot be checked” is neither a proof nor a contradiction. */
const STATUS: Readonly<Record<Verdict, ExitStatus>> = { proved: 0, does_not_hold: 1, cannot_be_checked: 3 };

export const proveRow = defineCommand({
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
      flag: 'row',
      default: null,
      unit: 'a file, the path of a history, a row, or - for standard input',
      description:
        'What to verify: a file on this machine, a history that the service publishes (economy/mic-history.csv), or one row as text. Standard input may hold a file or a row.',
      required: true,
      schema: text,
    },
    path: {
      flag: 'path',
      default: null,
      unit: 'the path of a public history',
      description:
        'The history that the file is, such as economy/mic-history.csv. Without it, the first line of the file shows which one it is.',
      schema: text,
    },
    proof: {
      flag: 'print-proof',
      description:
        'Prints the proof of the row’s event as `prove` prints it, in place of the steps; `verify-proof` verifies it without a network. Only for a row of one event.',
      ...SWITCH,
    },
    logUrl,
    heldCheckpoint,
    json,
  },
  async run(config, context) {
    const { row, path } = config;
    const origin = await originOf(config, context);
    const { policy, verifiers } = await auditorTrust(config);
    const held = await readHeld(config.heldCheckpoint);
    const given = await openGiven(row, path, origin);
    const means: Means = {
      origin,
      verifiers,
      policy,
      held,
      isJson: config.json,
      isProofWanted: config.proof,
      context,
    };
    return 'row' in given ? proveOne(given.row, means) : verifyFile(given, path ?? given.path, means);
  },
});

interface Means {
  origin: Origin;
  verifiers: readonly Verifier[];
  policy: WitnessPolicy | null;
  held: KeptCheckpoint | null;
  isJson: boolean;
  /** Prints the proof of a row in place of its steps. */
  isProofWanted: boolean;
  context: Context;
}

/** What the witnesses of the policy say about the log’s checkpoint. */
interface Seen {
  witnessing: Witnessing;
  /** The error if they are too few. */
  missing: CathedralError | null;
}

/** Null without a policy. Throws witness_signature. */
async function seenBy({ note }: RowLog, { origin, policy, context }: Means): Promise<Seen | null> {
  if (!policy) return null;
  const place = origin.placeOf(`${LOG}/checkpoint`);
  const witnessing = await readWitnesses(note, policy, { place, now: context.now() });
  return { witnessing, missing: missingQuorum(witnessing, place) };
}

function formatSeen({ witnessing, missing }: Seen, { now }: Context): string {
  return missing ? printable(missing.message) : `${formatWitnessing(witnessing, now())}.`;
}

/** What is proved is proved of a log that, without a quorum, others need not see. */
function statusOf(verdict: Verdict, seen: Seen | null): ExitStatus {
  return seen?.missing ? 1 : STATUS[verdict];
}

const BUT_UNSEEN =
  'But that may not be the log that others see: it lacks the cosignatures that the policy requires.';

interface OriginConfig extends Pick<Config, 'out' | 'timeLimit'> {
  logUrl: string | null;
}

function originOf(
  { out, logUrl: url, ...patience }: OriginConfig,
  { wait, progress }: Context,
): Promise<Origin> | Origin {
  if (url === null) return FolderOrigin.at(out);
  return httpOrigin(url, patience, {
    apiKey: null,
    isStatic: false,
    wait,
    log: (line) => progress.note(line),
  });
}

/** A file with its name for messages, or the text of a row. */
type Given = GivenFile | { row: string };

interface GivenFile {
  name: string;
  /** Of a history that the origin has. */
  path: string | null;
  chunks: AsyncIterable<Uint8Array>;
}

const CHUNK_BYTES = 1 << 20;
/** A longer text is not one row. */
const MOST_ROW_BYTES = 140_000;

async function openGiven(given: string, path: string | null, origin: Origin): Promise<Given> {
  if (given === '-') return fromStandardInput(path);
  if (existsSync(given))
    return { name: given, path: null, chunks: createReadStream(given, { highWaterMark: CHUNK_BYTES }) };
  const table = tableAt(given);
  if (table) return published(given, origin);
  if (!/[,{\n]/.test(given) && !/^(0x)?[0-9a-f]+$/i.test(given))
    throw new CathedralError('usage', {
      place: 'row',
      expected: 'a file on this machine, the path of a public history, or a row',
      found: JSON.stringify(given.slice(0, 80)),
    });
  return { row: given };
}

/** One or two lines are a row, perhaps with its header; --path says that they are a file. */
async function fromStandardInput(path: string | null): Promise<Given> {
  const chunks: Buffer[] = [];
  let [bytes, lines] = [0, 0];
  const input = process.stdin[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let isDone = false;
  while (!isDone && bytes <= MOST_ROW_BYTES && lines <= 2) {
    const { done, value } = await input.next();
    isDone = done === true;
    if (isDone) break;
    chunks.push(value);
    bytes += value.length;
    for (const byte of value) if (byte === 0x0a) lines += 1;
  }
  if (isDone && path === null && lines <= 2) return { row: Buffer.concat(chunks).toString() };
  const rest = async function* () {
    yield* chunks;
    for (let next = await input.next(); !next.done; next = await input.next()) yield next.value;
  };
  return { name: 'standard input', path: null, chunks: rest() };
}

async function published(path: string, origin: Origin): Promise<GivenFile> {
  const name = origin.placeOf(path);
  const opened = await origin.retrying(path, () => origin.open(path));
  if (opened === null || opened === 'unchanged')
    throw new CathedralError('mirror_mismatch', {
      place: name,
      expected: 'a public history',
      found: 'no such file',
    });
  return { name, path, chunks: opened.body };
}

async function verifyFile(file: GivenFile, path: string | null, means: Means): Promise<ExitStatus> {
  const { origin, verifiers, held, context, isJson } = means;
  if (means.isProofWanted) throw proofError('a row in place of a file', file.name);
  const { print, progress } = context;
  const log = await RowLog.open(origin, verifiers);
  const seen = await seenBy(log, means);
  const goesOnFrom = held && (await assertExtendsKept(log, held, verifiers)).size;
  const events = await openPublicLog(log);
  if (!events)
    throw new CathedralError('proof_refused', {
      place: origin.placeOf('log/public/policy.json'),
      expected: 'a log with public events',
      found: 'none',
    });
  const name = printable(file.name);
  using rowBytes = await HistoryBytes.of(origin, log);
  let stage = '';
  const verdict = await verifyHistory(file.chunks, events, {
    path,
    platform: NATIVE,
    rowBytes,
    onProgress({ stage: now, done, total }) {
      const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
      const words = now === 'folding' ? 'reading the public events' : `comparing ${name} with the log`;
      if (stage !== now) progress.stage(words);
      progress.update(`${words}: ${percent} %`);
      stage = now;
    },
  }).catch((cause) => {
    throw cause.syscall ? unreadable(file.name, cause) : cause;
  });
  progress.end();
  const { checkpoint } = log;
  if (isJson) {
    const witnesses = seen && witnessesOf(seen.witnessing);
    print(formatJson({ file: file.name, ...verdict, ...checkpoint, goesOnFrom, witnesses }));
  } else {
    const witnesses = seen && formatSeen(seen, context);
    for (const line of formatVerdict(verdict, { name: file.name, log, witnesses, held, goesOnFrom }))
      print(line);
    if (seen?.missing && verdict.verdict === 'proved') print(BUT_UNSEEN);
  }
  return statusOf(verdict.verdict, seen);
}

interface Compared {
  name: string;
  log: { checkpoint: Checkpoint; verifier: Pick<Verifier, 'name' | 'id'> };
  /** What the witnesses of the policy say; null: none was given. */
  witnesses: string | null;
  held: KeptCheckpoint | null;
  goesOnFrom: number | null;
}

/** For people: each finding with its line, what was compared, what could not be, and the verdict. */
function formatVerdict(
  verdict: HistoryVerdict,
  { name, log, witnesses, held, goesOnFrom }: Compared,
): string[] {
  const { findings, rows, proved, path, unchecked, notes, isAbandoned } = verdict;
  const { checkpoint, verifier } = log;
  return [
    ...findings.map(({ line, kind, message }) => printable(`${name}:${line}: ${kind}: ${message}`)),
    `Compared with the log ${checkpoint.origin}, ${checkpoint.size} events, root hash ${checkpoint.root}, signed by ${verifier.name}+${verifier.id}.`,
    ...(witnesses === null ? [] : [witnesses]),
    ...(held ? [printable(`It extends the ${goesOnFrom} events of ${held.place}.`)] : []),
    ...(path && rows > 0
      ? [
          `${printable(name)} is ${path}: ${formatCount(proved, 'row')} of ${rows} follow${proved === 1 ? 's' : ''} from the log.`,
        ]
      : []),
    ...(isAbandoned ? [`Stopped after row ${rows}: this is not a history of this log.`] : []),
    ...notes,
    ...unchecked.map((line) => printable(line)),
    CONCLUSION[verdict.verdict](findings.length),
  ];
}

const CONCLUSION: Readonly<Record<Verdict, (findings: number) => string>> = {
  proved: () => 'The file is proved: every row follows from the log, in order, and no row is missing.',
  does_not_hold: (count) => `The file does not hold: ${formatCount(count, 'finding')}.`,
  cannot_be_checked: () => 'Nothing was found wrong, but the file cannot be checked whole.',
};

/** A single row, step by step. */
async function proveOne(given: string, means: Means): Promise<ExitStatus> {
  const { origin, verifiers, held, isJson, isProofWanted, context } = means;
  const pasted = readPasted(given);
  if (pasted.kind === 'hash' || pasted.kind === 'export')
    throw new CathedralError('usage', {
      place: 'row',
      expected: 'a row of a public history, or the number or line of an event',
      found: 'the hash of an event, for which `cathedral prove` makes a proof',
    });
  const steps: StepReport[] = [];
  let seen: Seen | null = null;
  const verdict = await prove(pasted, {
    origin,
    ledgerKeys: verifiers,
    report: (step) => void steps.push(step),
    async opened(log) {
      seen = await seenBy(log, means);
      if (held) await assertExtendsKept(log, held, verifiers);
    },
  });
  context.progress.end();
  return printRow(verdict, { steps, seen, isJson, isProofWanted, context });
}

interface Shown extends Pick<Means, 'isJson' | 'isProofWanted' | 'context'> {
  steps: readonly StepReport[];
  seen: Seen | null;
}

/** Throws witness_quorum in place of a proof, as `prove` does. */
async function printRow(verdict: RowVerdict, shown: Shown): Promise<ExitStatus> {
  const { steps, seen, context } = shown;
  if (shown.isProofWanted && verdict.verdict === 'proved') {
    if (seen?.missing) throw seen.missing;
    await context.write(onlyProof(verdict.events));
  } else if (shown.isJson) {
    const witnesses = seen && witnessesOf(seen.witnessing);
    context.print(formatJson({ ...verdict, steps, witnesses }));
  } else {
    const witnesses = seen && formatSeen(seen, context);
    for (const line of formatSteps(steps, verdict, witnesses)) context.print(line);
    if (seen?.missing && verdict.verdict === 'proved') context.print(BUT_UNSEEN);
  }
  return statusOf(verdict.verdict, seen);
}

function onlyProof(events: readonly RowEvent[]): string {
  const [only, ...others] = events;
  if (others.length === 0) return only!.proof;
  const indexes = events.map(({ index }) => index).join(', ');
  throw proofError('a row of one event, or the number of an event', `events ${indexes.slice(0, 200)}`);
}

function proofError(expected: string, found: string): CathedralError {
  return new CathedralError('usage', { place: '--print-proof', expected, found });
}

/** `witnesses`: what they say; null without a policy. */
function formatSteps(steps: readonly StepReport[], result: RowVerdict, witnesses: string | null): string[] {
  const { verdict, history } = result;
  const isEvent = verdict === 'proved' && history === null;
  const isOfLog = result.verdict === 'does_not_hold' && result.about === 'log';
  const events = result.verdict === 'proved' ? result.events : [];
  return [
    ...steps.flatMap(({ step, words, findings }) => [
      printable(`${step}: ${words}`),
      ...findings.map(({ place, expected, found }) =>
        printable(`  ${place}: expected ${expected}, found ${found}`),
      ),
    ]),
    ...(witnesses === null ? [] : [`Witnesses: ${witnesses}`]),
    ...events.map(({ index, hash, line }) => printable(`Event ${index}, 0x${hash}: ${line ?? 'not public'}`)),
    isEvent ? 'The event is in the log.' : isOfLog ? LOG_AT_FAULT : ROW_CONCLUSION[verdict],
  ];
}

const LOG_AT_FAULT = 'The log of this host does not hold, which says nothing about the row.';

const ROW_CONCLUSION: Readonly<Record<Verdict, string>> = {
  proved: 'The row is proved.',
  does_not_hold: 'The row does not hold.',
  cannot_be_checked: 'The row cannot be checked.',
};
