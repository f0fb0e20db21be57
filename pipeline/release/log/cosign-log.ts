import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { asDiskErrors, replaceFile, replaceFiles } from '../../disk/durable.ts';
import { withLock } from '../../disk/lock.ts';
import { readGiven } from '../../disk/read-given.ts';
import { CathedralError } from '../../errors.ts';
import { cosignedPath } from '../../ledger/log/cosigned-path.ts';
import { parseCheckpoint } from '../../ledger/notes/checkpoint.ts';
import { mergeNotes } from '../../ledger/notes/merge-notes.ts';
import { type Cosigner, isBy, noteText, readSignatures } from '../../ledger/notes/note.ts';
import { parseWitnessPolicy, type WitnessPolicy } from '../../ledger/notes/witness-policy.ts';
import { withoutInvalidCosignatures } from '../../ledger/notes/witness-quorum.ts';
import { type Answer, askWitness, type WitnessServer } from './ask-witness.ts';
import { logFile } from './log-folder.ts';
import { openLog } from './open-log.ts';

export interface CosignOptions {
  out: string;
  witnesses: readonly WitnessServer[];
  /** How long to wait for a run that uses OUT, ms. */
  waitMs: number;
  now: () => number;
  /** Gets each new fault of a witness, and that it cosigns again. */
  log: (line: string) => void;
  /** With machines that share a bucket. */
  shared?: SharedNote;
  signal?: AbortSignal;
}

/** The note of the current checkpoint, as machines that share a bucket serve it. */
export interface SharedNote {
  /** Null before the first release. */
  read: () => Promise<string | null>;
  /** Adds the signatures of a note, if it is of the current checkpoint. */
  add: (note: string) => Promise<void>;
}

/** The witnesses of a policy that have an address, by address. Throws config_invalid for an address that is none. */
function witnessServers({ witnesses }: WitnessPolicy, place: string): WitnessServer[] {
  const byUrl = new Map<string, Map<string, Cosigner>>();
  for (const { name, key, url, line } of witnesses) {
    if (url === null) continue;
    if (!/^https?:\/\/[^?#\s@\\]+$/.test(url) || !URL.canParse(url))
      throw new CathedralError('config_invalid', {
        place: `${place}:${line}`,
        expected: 'http://… or https://…, the submission prefix of the witness',
        found: JSON.stringify(url),
      });
    const prefix = url.replace(/\/+$/, '');
    byUrl.set(prefix, (byUrl.get(prefix) ?? new Map()).set(name, key));
  }
  return [...byUrl].map(([url, cosigners]) => ({ url, cosigners }));
}

/** The witnesses to ask, from a policy file. Throws config_invalid. */
export async function readWitnesses(path: string): Promise<WitnessServer[]> {
  const servers = witnessServers(parseWitnessPolicy(await readGiven(path, 'a readable policy'), path), path);
  if (servers.length > 0) return servers;
  const expected = 'a line “witness <name> <verifier key> <address>”';
  throw new CathedralError('config_invalid', { place: path, expected, found: 'none with an address' });
}

const Time = z.iso.datetime();
/** Of one witness, by the name that the policy gives it. */
const WitnessState = z.strictObject({
  /** The newest checkpoint that it cosigned, and when, by its clock; null before the first. */
  cosigned: z.strictObject({ size: z.int().min(0), at: Time }).nullable(),
  asked_at: Time,
  /** What was wrong with its last answer. */
  fault: z.string().nullable(),
});
const Witnesses = z.strictObject({
  format: z.literal('cathedral-witnesses/1'),
  witnesses: z.record(z.string(), WitnessState),
});
export type WitnessStates = z.infer<typeof Witnesses>['witnesses'];

const WITNESSES = 'witnesses.json';

/** What is known of each witness; empty before the first was asked, and where the file is damaged: asking again finds it out. */
export async function readWitnessStates(out: string): Promise<WitnessStates> {
  const text = await readFile(join(out, WITNESSES), 'utf8').catch(() => '{}');
  try {
    return Witnesses.parse(JSON.parse(text)).witnesses;
  } catch {
    return {};
  }
}

/**
 * Asks those witnesses that have not cosigned the published checkpoint, all at once, and adds their cosignatures to its note. Returns how many
 * have still not cosigned it. Does nothing before the first release. Throws log_invalid, locked, publish_failed and disk_full.
 */
export async function cosignLog(options: CosignOptions): Promise<number> {
  const { out, witnesses, now, signal } = options;
  const { checkpoint, note: local, reader } = await openLog(out);
  if (!checkpoint || !reader) return 0;
  const note = await newestNote(local, options);
  // Another publisher has released a longer log, and asks for that.
  if (note === null) return 0;
  const { signatures } = readSignatures(note, logFile(out, 'checkpoint'));
  const hasSigned = (cosigner: Cosigner) => signatures.some((signature) => isBy(cosigner, signature));
  const due = witnesses.filter(({ cosigners }) => ![...cosigners.values()].every(hasSigned));
  const states = await readWitnessStates(out);
  const answers = await Promise.all(
    due.map(async (server) => {
      const sizes = [...server.cosigners.keys()].map((name) => states[name]?.cosigned?.size ?? 0);
      const earlier = await notesOf(out, sizes);
      const asked = { note, checkpoint, reader, from: Math.max(...sizes), earlier, now: now() };
      return [server, await askWitness(server, { ...asked, ...(signal && { signal }) })] as const;
    }),
  );
  // What was under way when the process was told to stop says nothing about the witnesses.
  if (signal?.aborted) return due.length;
  const lines = answers.flatMap(([{ cosigners }, { cosigned }]) =>
    [...new Map(cosigned.map((one) => [one.witness, one])).values()]
      .filter(({ witness }) => !hasSigned(cosigners.get(witness)!))
      .map(({ line }) => line),
  );
  if (lines.length > 0) await keep(`${note}${lines.join('')}`, options);
  await keepStates(states, answers, checkpoint.size, options);
  return answers.filter(([{ cosigners }, { cosigned }]) => cosigned.length < cosigners.size).length;
}

/**
 * Without lines in the name of these witnesses that do not verify, so that the witnesses are asked. Null if the shared note is of another
 * checkpoint.
 */
async function newestNote(local: string, { out, shared, witnesses }: CosignOptions): Promise<string | null> {
  const place = logFile(out, 'checkpoint');
  const keys = witnesses.flatMap(({ cosigners }) => [...cosigners.values()].map((key) => ({ key })));
  const own = await withoutInvalidCosignatures(local, { witnesses: keys }, place);
  const note = (await shared?.read()) ?? null;
  if (note === null) return own;
  if (noteText(note, place) !== noteText(local, place)) return null;
  return mergeNotes(own, await withoutInvalidCosignatures(note, { witnesses: keys }, place), place);
}

/** Under the lock of OUT: a run would replace the checkpoint by the next one, which must not be replaced by this one. */
async function keep(cosigned: string, { out, waitMs, shared }: CosignOptions): Promise<void> {
  await shared?.add(cosigned);
  await withLock(out, { waitMs, holder: `cosignatures, process ${process.pid}` }, () =>
    keepCosigned(out, cosigned),
  );
}

/**
 * Adds the verified signatures of a note to the notes of its checkpoint: `log/checkpoint`, unless the log has grown meanwhile, and
 * `log/cosigned/<size>`, which stays. They take precedence over those that are there. Call it with the lock of OUT. Throws publish_failed and disk_full.
 */
export async function keepCosigned(out: string, cosigned: string): Promise<void> {
  const place = logFile(out, 'checkpoint');
  const { text } = readSignatures(cosigned, place);
  const { size } = parseCheckpoint(text, place);
  const lasting = logFile(out, cosignedPath(size));
  const [current, before] = await Promise.all([readNote(place, text), readNote(lasting, text)]);
  let note = before === null ? cosigned : mergeNotes(cosigned, before, lasting);
  if (current !== null) note = mergeNotes(note, current, place);
  const files: [string, string][] = [[lasting, note]];
  if (current !== null) files.push([place, note]);
  await replaceFiles(files);
}

/** The notes of earlier checkpoints with these sizes, as far as they are kept. */
async function notesOf(out: string, sizes: readonly number[]): Promise<string[]> {
  const read = (size: number) => readFile(logFile(out, cosignedPath(size)), 'utf8').catch(() => null);
  const notes = await Promise.all([...new Set(sizes)].map(read));
  return notes.filter((note) => note !== null);
}

/** Null for a note of another text, or none. */
async function readNote(place: string, text: string): Promise<string | null> {
  const note = await readFile(place, 'utf8').catch(() => null);
  return note?.startsWith(`${text}\n`) ? note : null;
}

async function keepStates(
  states: WitnessStates,
  answers: readonly (readonly [WitnessServer, Answer])[],
  size: number,
  { out, now, log }: CosignOptions,
): Promise<void> {
  if (answers.length === 0) return;
  const all = { ...states };
  for (const [{ cosigners }, { cosigned, faults }] of answers)
    for (const name of cosigners.keys()) {
      const before = states[name];
      const own = cosigned.find(({ witness }) => witness === name);
      const fault = own || faults.length === 0 ? null : faults.join('; ');
      if (fault !== null && fault !== before?.fault) log(`The witness ${name} has not cosigned: ${fault}.`);
      if (fault === null && before?.fault) log(`The witness ${name} cosigns again.`);
      all[name] = {
        cosigned: own ? { size, at: timeOf(own.timestamp * 1000) } : (before?.cosigned ?? null),
        asked_at: timeOf(now()),
        fault,
      };
    }
  const text = `${JSON.stringify({ format: 'cathedral-witnesses/1', witnesses: all }, null, 1)}\n`;
  await asDiskErrors(out, () => replaceFile(join(out, WITNESSES), text));
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
