import { existsSync } from 'node:fs';
import type { Config } from '../../config/settings.ts';
import { CathedralError } from '../../errors.ts';
import { formatCount, formatNumber } from '../../words/number.ts';
import { printable } from '../../words/printable.ts';
import { openInput } from '../given.ts';
import type { Origin } from '../origin.ts';
import {
  type Auditor,
  auditLog,
  auditorTrust,
  heldOf,
  logOrigin,
  type Reading,
  type Seen,
  seenOf,
  unreadable,
} from '../reader.ts';
import { tableAt } from './history-tables.ts';
import { readPasted } from './pasted.ts';
import { proveRow, type RowEvent, type RowVerdict, type StepReport } from './prove-row.ts';
import { PublicLog } from './public-log.ts';
import { type HistoryVerdict, type Verdict, verifyHistory } from './verify-history.ts';

interface ProvingConfig extends Pick<Config, 'out' | 'timeLimit' | 'ledgerKey' | 'policy'> {
  /** A file, the path of a public history, a row, or `-` for standard input. */
  row: string;
  /** The history that the file is; null: as its first line shows. */
  path: string | null;
  /** Wants the proof of a row in place of its steps. */
  proof: boolean;
  /** Null: the release in `out`. */
  logUrl: string | null;
  heldCheckpoint: string | null;
}

/** For programs and people: what was proved. */
export interface Proving {
  facts: object;
  lines: string[];
  verdict: Verdict;
  /** The proof that was wanted. */
  proof: string | null;
  /** Whether the log lacks the cosignatures that the policy requires. */
  isUnseen: boolean;
}

/**
 * Verifies a public history, or a row of one, against the log of a service. Throws usage for what is neither, witness_quorum in place of a
 * proof, as `prove` does, and the errors of reading a log.
 */
export async function proveGiven(config: ProvingConfig, reading: Reading): Promise<Proving> {
  const { row, path } = config;
  const origin = await logOrigin(config, reading);
  const means = { ...config, ...(await auditorTrust(config)), origin, reading };
  const given = await openGiven(row, path, origin);
  return 'row' in given ? proveOne(given.row, means) : verifyFile(given, path ?? given.path, means);
}

interface Means extends Auditor, Pick<ProvingConfig, 'proof'> {
  origin: Origin;
  reading: Reading;
}

function butUnseen(verdict: Verdict, seen: Seen | null): string[] {
  if (!seen?.missing || verdict !== 'proved') return [];
  return ['But that may not be the log that others see: it lacks the cosignatures that the policy requires.'];
}

/** A file with its name for messages, or the text of a row. */
type Given = GivenFile | { row: string };

interface GivenFile {
  name: string;
  /** Of a history that the origin has. */
  path: string | null;
  chunks: AsyncIterable<Uint8Array>;
}

/** A longer text is not one row. */
const MOST_ROW_BYTES = 140_000;

async function openGiven(given: string, path: string | null, origin: Origin): Promise<Given> {
  if (given === '-') return fromStandardInput(path);
  if (existsSync(given)) return { name: given, path: null, ...(await openInput(given, () => true)) };
  const table = tableAt(given);
  if (table) return { name: origin.placeOf(given), path: given, chunks: published(given, origin) };
  if (!/[,{\n]/.test(given) && !/^(0x)?[0-9a-f]+$/i.test(given))
    throw new CathedralError('usage', {
      place: 'WHAT',
      expected: 'the hash of an event, a file on this machine, the path of a public history, or a row',
      found: JSON.stringify(given.slice(0, 80)),
    });
  return { row: given };
}

/** One or two lines are a row, perhaps with its header; --path says that they are a file. */
async function fromStandardInput(path: string | null): Promise<Given> {
  const isFile = (read: Buffer) => read.length > MOST_ROW_BYTES || linesOf(read) > 2;
  const { beginning, isWhole, chunks } = await openInput('-', isFile);
  if (isWhole && path === null && !isFile(beginning)) return { row: beginning.toString() };
  return { name: 'standard input', path: null, chunks };
}

function linesOf(text: Buffer): number {
  return text.toString('latin1').split('\n').length - 1;
}

/** Asks for it when it is read, since a transfer that nobody reads would keep its connection. */
async function* published(path: string, origin: Origin): AsyncGenerator<Uint8Array> {
  const opened = await origin.retrying(path, () => origin.openExisting(path, 'a public history'));
  yield* opened.body;
}

async function verifyFile(file: GivenFile, path: string | null, means: Means): Promise<Proving> {
  const { origin, verifiers, reading } = means;
  if (means.proof) throw proofError('a row in place of a file', file.name);
  const log = await PublicLog.open(origin, verifiers);
  const audited = await auditLog(log, means, reading.now());
  if (!(await log.policy()))
    throw new CathedralError('proof_refused', {
      place: origin.placeOf('log/public/policy.json'),
      expected: 'a log with public events',
      found: 'none',
    });
  const verdict = await compared(file, path, log, reading);
  return {
    facts: { file: file.name, ...verdict, ...audited.facts },
    lines: [...formatVerdict(verdict, file.name, audited.lines), ...butUnseen(verdict.verdict, audited.seen)],
    verdict: verdict.verdict,
    proof: null,
    isUnseen: Boolean(audited.seen?.missing),
  };
}

async function compared({ name, chunks }: GivenFile, path: string | null, log: PublicLog, reading: Reading) {
  const source = chunks[Symbol.asyncIterator]();
  try {
    const once = { [Symbol.asyncIterator]: () => source };
    return await verifyHistory(once, log, { path, onProgress: progressOf(printable(name), reading) });
  } catch (cause) {
    throw (cause as NodeJS.ErrnoException).syscall ? unreadable(name, cause as NodeJS.ErrnoException) : cause;
  } finally {
    // A host that sends without end is read no further than to the first fault.
    await source.return?.();
  }
}

function progressOf(name: string, { progress }: Reading) {
  let stage = '';
  return ({ stage: now, done, total }: { stage: string; done: number; total: number }) => {
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
    const words = now === 'folding' ? 'reading the public events' : `comparing ${name} with the log`;
    if (stage !== now) progress.stage(words);
    progress.update(`${words}: ${percent} %`);
    stage = now;
  };
}

/** For people: each finding with its line, what was compared, what could not be, and the verdict. */
function formatVerdict(verdict: HistoryVerdict, name: string, about: readonly string[]): string[] {
  const { findings, rows, proved, path, unchecked, notes, isAbandoned } = verdict;
  return [
    ...findings.map(({ line, kind, message }) => printable(`${name}:${line}: ${kind}: ${message}`)),
    ...about,
    ...(path && rows > 0
      ? [
          `${printable(name)} is ${path}: ${formatCount(proved, 'row')} of ${formatNumber(rows)} follow${proved === 1 ? 's' : ''} from the log.`,
        ]
      : []),
    ...(isAbandoned
      ? [`Stopped after row ${rows}: so much does not hold that this may be no history of this log.`]
      : []),
    ...notes,
    ...unchecked.map((line) => printable(line)),
    CONCLUSION[verdict.verdict](findings.length),
  ];
}

const CONCLUSION: Readonly<Record<Verdict, (findings: number) => string>> = {
  proved: () =>
    'The file is proved: every row follows from the log, in order, and no row after its first is missing.',
  does_not_hold: (count) => `The file does not hold: ${formatCount(count, 'finding')}.`,
  cannot_be_checked: () => 'Nothing was found wrong, but the file cannot be checked whole.',
};

/** A single row, step by step. */
async function proveOne(given: string, means: Means): Promise<Proving> {
  const { origin, verifiers } = means;
  const pasted = readPasted(given);
  if (pasted.kind === 'hash' || pasted.kind === 'export')
    throw new CathedralError('usage', {
      place: 'WHAT',
      expected: 'a row of a public history, or the number or line of an event',
      found: 'the hash of an event, which `cathedral prove HASH` proves',
    });
  const steps: StepReport[] = [];
  let seen: Seen | null = null;
  const result = await proveRow(pasted, {
    origin,
    ledgerKeys: verifiers,
    report: (step) => void steps.push(step),
    async opened(log) {
      seen = await seenOf(log, means.policy, means.reading.now());
      await heldOf(log, means);
    },
  });
  return described(result, steps, seen, means.proof);
}

function described(
  result: RowVerdict,
  steps: readonly StepReport[],
  seen: Seen | null,
  isProofWanted: boolean,
): Proving {
  const isProved = isProofWanted && result.verdict === 'proved';
  if (isProved && seen?.missing) throw seen.missing;
  return {
    facts: { ...result, steps, witnesses: seen?.facts ?? null },
    lines: formatSteps(steps, result, seen),
    verdict: result.verdict,
    proof: isProved ? onlyProof(result.events) : null,
    isUnseen: Boolean(seen?.missing),
  };
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

function formatSteps(steps: readonly StepReport[], result: RowVerdict, seen: Seen | null): string[] {
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
    ...(seen ? [`Witnesses: ${seen.line}`] : []),
    ...events.map(({ index, hash, line }) => printable(`Event ${index}, 0x${hash}: ${line ?? 'not public'}`)),
    isEvent ? 'The event is in the log.' : isOfLog ? LOG_AT_FAULT : ROW_CONCLUSION[verdict],
    ...butUnseen(verdict, seen),
  ];
}

const LOG_AT_FAULT = 'The log of this host does not hold, which says nothing about the row.';

const ROW_CONCLUSION: Readonly<Record<Verdict, string>> = {
  proved: 'The row is proved.',
  does_not_hold: 'The row does not hold.',
  cannot_be_checked: 'The row cannot be checked.',
};
