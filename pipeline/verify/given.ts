import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { hasScheme } from '../config/setting.ts';
import { CathedralError } from '../errors.ts';
import { FIRST_LINE } from '../ledger/log/tlog-proof.ts';
import { MAX_ROW_CHARACTERS, readExport } from './audit/read-export.ts';
import { unreadable } from './reader.ts';

/** What a reader can ask about, and how messages call it. */
export const KINDS = {
  service: 'a service, a mirror or a folder',
  file: 'a file that is neither an audited export nor a proof',
  export: 'an audited export',
  proof: 'a proof of an event',
} as const;
export type Kind = keyof typeof KINDS;

/** A file, or standard input, of which the beginning was read: a pipe can be read only once. */
interface Input {
  beginning: Buffer;
  /** There is no more than the beginning. */
  isWhole: boolean;
  /** All of its bytes. */
  chunks: AsyncIterable<Uint8Array>;
  /** Ends the reading of a pipe, too. */
  [Symbol.dispose](): void;
}

type Given =
  | { kind: 'service'; [Symbol.dispose](): void }
  | (Pick<Input, 'chunks' | typeof Symbol.dispose> & { kind: Exclude<Kind, 'service'> });

const CHUNK_BYTES = 1 << 20;
const LINE_END = 0x0a;
/** Of another version too, or with Windows line ends: its reader says what is wrong. */
const PROOF = new RegExp(`^${FIRST_LINE.replace(/@.*/, '@')}`);
/** A character of UTF-8 has at most four bytes. */
const MOST_LINE_BYTES = 4 * MAX_ROW_CHARACTERS;

/**
 * What was given, by its name and its first line, or as the reader says. Throws config_invalid where nothing is, usage where the name shows
 * something else than the reader says, and proof_refused for a file that cannot be read.
 */
export async function openGiven(given: string, said: Kind | null): Promise<Given> {
  const isSaidFile = said !== null && said !== 'service';
  const service = await serviceNamed(given, isSaidFile);
  if (service !== null && isSaidFile) throw another(given, said, service);
  if (service !== null) return { kind: 'service', [Symbol.dispose]: () => undefined };
  if (said === 'service') throw another(given, said, given === '-' ? 'standard input' : 'a file');
  // Unless it is longer than that of any export.
  const hasLine = (read: Buffer) => read.includes(LINE_END) || read.length > MOST_LINE_BYTES;
  const input = await openInput(given, hasLine);
  const { beginning } = input;
  const line = beginning.subarray(0, beginning.indexOf(LINE_END) + 1 || undefined);
  return { ...input, kind: said ?? (await kindOf(line)) };
}

/** Reads the beginning of a file, or of standard input, until it is enough. Throws proof_refused if it cannot be read. */
export async function openInput(given: string, isEnough: (read: Buffer) => boolean): Promise<Input> {
  const stream = given === '-' ? process.stdin : createReadStream(given, { highWaterMark: CHUNK_BYTES });
  const source: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  let [beginning, isWhole] = [Buffer.of(), false];
  while (!isWhole && !isEnough(beginning)) {
    const { done, value } = await source.next().catch((cause) => {
      throw unreadable(given, cause);
    });
    isWhole = done === true;
    if (value) beginning = Buffer.concat([beginning, value]);
  }
  const chunks = async function* () {
    yield beginning;
    yield* { [Symbol.asyncIterator]: () => source };
  };
  return { beginning, isWhole, chunks: chunks(), [Symbol.dispose]: () => void stream.destroy() };
}

function another(place: string, said: Kind, found: string): CathedralError {
  return new CathedralError('usage', { place, expected: KINDS[said], found });
}

/** Null: it names a file. */
async function serviceNamed(given: string, isSaidFile: boolean): Promise<string | null> {
  if (given === '-') return null;
  if (hasScheme(given)) return 'an address';
  const expected = isSaidFile ? 'a file' : 'a folder or a file';
  const found = await stat(given).catch((cause: NodeJS.ErrnoException) => {
    const fault = { place: given, expected, found: cause.code ?? cause.message, cause };
    throw new CathedralError('config_invalid', fault);
  });
  // `/dev/zero` has no end.
  if (found.isCharacterDevice())
    throw new CathedralError('config_invalid', { place: given, expected, found: 'a device' });
  return found.isDirectory() ? 'a folder' : null;
}

async function kindOf(line: Uint8Array): Promise<Exclude<Kind, 'service'>> {
  if (PROOF.test(Buffer.from(line).toString('latin1'))) return 'proof';
  const only = async function* () {
    yield line;
  };
  try {
    return (await readExport(only())) ? 'export' : 'file';
  } catch (error) {
    // It is no text.
    if (error instanceof CathedralError) return 'file';
    throw error;
  }
}
