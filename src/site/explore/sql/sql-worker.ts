import '../../reference/attestations/without-eval.ts';
import { CathedralError } from '../../../../pipeline/errors.ts';
import { PageOrigin } from '../../../../pipeline/verify/page-origin.ts';
import { readVersion } from '../../../../pipeline/verify/versions/file-version.ts';
import { ListedSnapshots } from '../../../../pipeline/verify/versions/listed-snapshots.ts';
import { type FoundVersion, NoSuchVersion, wantedVersion } from '../../files/versions/wanted-version.ts';
import { Engine } from './engine.ts';
import type { QueryResult } from './limits.ts';
import { csvOf, type SqlTable, sqlColumns } from './table-csv.ts';

/** One at a time. To cancel one, end the worker. */
export interface SqlJob {
  /** Address and name of the engine. */
  engine: { worker: string; archive: string; wasm: string };
  tables: readonly SqlTable[];
  sql: string;
  /** Empty: the newest snapshot. */
  asOf: string;
  /** Bytes of files that may be read without asking. */
  allowed: number;
}

/** A file that the result follows from. */
export interface ReadFile {
  path: string;
  snapshot: string;
  /** Compared with the snapshot's index, which has the hash that the list states. */
  sha256: string;
  bytes: number;
}

export type SqlReply =
  | { kind: 'working'; words: string }
  | {
      kind: 'result';
      result: QueryResult;
      files: ReadFile[];
      snapshot: string | null;
      ms: number;
      version: string;
    }
  | { kind: 'consent'; bytes: number; paths: string[] }
  | { kind: 'failed'; by: 'engine' | 'files' | 'address'; message: string; near?: string[] };

class NeedsConsent extends Error {
  readonly bytes: number;
  readonly paths: string[];

  constructor(bytes: number, paths: string[]) {
    super('consent');
    this.bytes = bytes;
    this.paths = paths;
  }
}

/** The engine's own words about the query. */
class QueryFailed extends Error {}

const origin = new PageOrigin();
const listed = new ListedSnapshots(origin);
let opening: Promise<Engine> | null = null;
/** What is in the engine, by table, for one time. */
let held = new Map<string, ReadFile>();
let heldAsOf: string | null = null;

const say = (words: string) => send({ kind: 'working', words });

function send(reply: SqlReply): void {
  postMessage(reply);
}

/** DuckDB's own worker gets its WebAssembly unpacked. */
async function openEngine({ worker, archive, wasm }: SqlJob['engine']): Promise<Engine> {
  say('Loading DuckDB …');
  const place = `/${archive}`;
  const response = await fetch(place, { credentials: 'omit' });
  if (!response.ok)
    throw new CathedralError('mirror_unreachable', {
      place,
      expected: 'status 200',
      found: `status ${response.status}`,
    });
  const bytes = new Uint8Array(await response.arrayBuffer());
  say('Starting DuckDB …');
  const headers = { 'Content-Type': 'application/wasm' };
  const address = URL.createObjectURL(await new Response(unpack(bytes, wasm), { headers }).blob());
  try {
    return await Engine.open(`/${worker}`, address);
  } finally {
    URL.revokeObjectURL(address);
  }
}

const LOCAL_HEADER = 30;

/** The one entry of a ZIP archive. */
function unpack(zip: Uint8Array<ArrayBuffer>, name: string): ReadableStream<Uint8Array> {
  const view = new DataView(zip.buffer);
  const begin = LOCAL_HEADER + view.getUint16(26, true) + view.getUint16(28, true);
  const found = new TextDecoder().decode(zip.subarray(LOCAL_HEADER, LOCAL_HEADER + view.getUint16(26, true)));
  if (view.getUint32(0, true) !== 0x04034b50 || found !== name)
    throw new CathedralError('mirror_mismatch', {
      place: name,
      expected: 'a ZIP archive with this entry',
      found,
    });
  const packed = zip.subarray(begin, begin + view.getUint32(18, true));
  return new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
}

async function answer({ engine: place, tables, sql, asOf, allowed }: SqlJob): Promise<SqlReply> {
  opening ??= openEngine(place);
  const engine = await opening.catch((error) => {
    opening = null;
    throw error;
  });
  const names = new Set(await engine.tablesIn(sql).catch(asQueryFault));
  const wanted = tables.filter(({ name }) => names.has(name));
  if (heldAsOf !== asOf) held = new Map();
  heldAsOf = asOf;
  await load(engine, wanted, { asOf, allowed });
  say('Running …');
  const begin = performance.now();
  const result = await engine.run(sql).catch(asQueryFault);
  const files = [...new Map(wanted.map(({ name, path }) => [path, held.get(name)!])).values()];
  const snapshot = files.reduce<string | null>(
    (last, file) => (last === null || file.snapshot > last ? file.snapshot : last),
    null,
  );
  return {
    kind: 'result',
    result,
    files,
    snapshot,
    ms: performance.now() - begin,
    version: engine.version,
  };
}

/** Some of its messages are JSON. */
function engineWords(message: string): string {
  try {
    const { exception_type: kind, exception_message: words } = JSON.parse(message) as Record<string, string>;
    return `${kind} Error: ${words}`;
  } catch {
    return message;
  }
}

function asQueryFault({ message }: Error): never {
  throw new QueryFailed(message);
}

/** Loads the tables that are not in the engine yet, all of one snapshot. */
async function load(
  engine: Engine,
  wanted: readonly SqlTable[],
  { asOf, allowed }: { asOf: string; allowed: number },
): Promise<void> {
  const missing = wanted.filter(({ name }) => !held.has(name));
  const versions = new Map<string, FoundVersion>();
  let at = [...held.values()][0]?.snapshot ?? asOf;
  for (const { path } of missing) {
    if (versions.has(path)) continue;
    say(`Looking for /${path} in the snapshots …`);
    const version = await wantedVersion(listed, origin, { path, asOf: at, name: 'as_of' });
    versions.set(path, version);
    if (asOf === '') at = version.entry.id;
  }
  const bytes = [...versions.values()].reduce((sum, { file }) => sum + file.bytes, 0);
  if (bytes > allowed) throw new NeedsConsent(bytes, [...versions.keys()]);
  for (const [path, version] of versions) {
    const total = Math.max(1, version.file.bytes);
    const blob = await readVersion(origin, version, (done) =>
      say(`Reading /${path}: ${Math.floor((100 * done) / total)} % …`),
    );
    for (const table of missing.filter((one) => one.path === path)) {
      await engine.addTable(table.name, await csvOf(table, blob), sqlColumns(table));
      const { sha256, bytes } = version.file;
      held.set(table.name, { path, snapshot: version.entry.id, sha256, bytes });
    }
  }
}

function failure(error: unknown): SqlReply {
  if (error instanceof NeedsConsent) return { kind: 'consent', bytes: error.bytes, paths: error.paths };
  if (error instanceof QueryFailed)
    return { kind: 'failed', by: 'engine', message: engineWords(error.message) };
  if (error instanceof NoSuchVersion)
    return { kind: 'failed', by: 'address', message: error.message, near: error.near.map(({ id }) => id) };
  const { message } = error as Error;
  return { kind: 'failed', by: error instanceof CathedralError ? 'files' : 'engine', message };
}

// The engine's loader leaves some failures to nobody: without an answer the page would wait for ever.
addEventListener('unhandledrejection', ({ reason }) => {
  opening = null;
  send(failure(reason));
});

addEventListener('message', ({ data }: MessageEvent<SqlJob>) => {
  void answer(data).then(send, (error) => send(failure(error)));
});
