import { PageOrigin } from '../../../../pipeline/verify/page-origin.ts';
import { readVersion } from '../../../../pipeline/verify/versions/file-version.ts';
import { ListedSnapshots } from '../../../../pipeline/verify/versions/listed-snapshots.ts';
import { type FoundVersion, NoSuchVersion, wantedVersion } from '../../files/versions/wanted-version.ts';
import { answerJobs, askHost, bytesOf, CannotRead, NeedsConsent } from '../../layout/worker-jobs.ts';
import { answerOf, type ReadFile, refusal, type SqlAnswer } from './answer-parts.ts';
import { CannotShow, type Engine, openEngine } from './engine.ts';
import { csvOf, type SqlTable, sqlColumns } from './table-csv.ts';

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

/** The engine's own words about the query. */
class QueryFailed extends Error {}

type Say = (words: string) => void;

const origin = new PageOrigin();
const listed = new ListedSnapshots(origin);
let opening: Promise<Engine> | null = null;
/** What is in the engine, by table, for one time. */
let held = new Map<string, ReadFile>();
let heldAsOf: string | null = null;

/** DuckDB's own worker gets its WebAssembly unpacked. */
async function loadEngine({ worker, archive, wasm }: SqlJob['engine'], say: Say): Promise<Engine> {
  if (!('WebAssembly' in globalThis))
    throw new CannotRead('DuckDB needs WebAssembly, which this browser lacks or has switched off.');
  say('Loading DuckDB …');
  const place = `/${archive}`;
  const response = await askHost(place);
  if (!response.ok) throw new CannotRead(`${place}: the host answered with status ${response.status}.`);
  const bytes = new Uint8Array(await bytesOf(place, response));
  say('Starting DuckDB …');
  const headers = { 'Content-Type': 'application/wasm' };
  const unpacked = await new Response(unpack(bytes, wasm), { headers }).blob().catch((cause: Error) => {
    throw new CannotRead(`${place}: the archive is damaged (${cause.message}).`);
  });
  const address = URL.createObjectURL(unpacked);
  try {
    return await openEngine(`/${worker}`, address);
  } finally {
    URL.revokeObjectURL(address);
  }
}

const LOCAL_HEADER = 30;

/** The one entry of a ZIP archive. */
function unpack(zip: Uint8Array<ArrayBuffer>, name: string): ReadableStream<Uint8Array> {
  const view = new DataView(zip.buffer);
  const length = view.getUint16(26, true);
  const begin = LOCAL_HEADER + length + view.getUint16(28, true);
  const found = new TextDecoder().decode(zip.subarray(LOCAL_HEADER, LOCAL_HEADER + length));
  if (view.getUint32(0, true) !== 0x04034b50 || found !== name)
    throw new CannotRead(`The engine: expected a ZIP archive with ${name}, found ${found}.`);
  const packed = zip.subarray(begin, begin + view.getUint32(18, true));
  return new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
}

answerJobs<SqlJob, SqlAnswer>(async (job, { say }) => {
  try {
    return await answer(job, say);
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof QueryFailed)
      return refusal('DuckDB refuses the query:', engineWords(message), job.sql);
    if (error instanceof CannotShow) return refusal('This page cannot show the result:', message, job.sql);
    if (error instanceof NoSuchVersion) {
      const near = error.near.map(({ id }) => id);
      return refusal('These data do not exist:', message, job.sql, near);
    }
    throw error;
  }
});

async function answer({ engine: place, tables, sql, asOf, allowed }: SqlJob, say: Say): Promise<SqlAnswer> {
  opening ??= loadEngine(place, say);
  const engine = await opening.catch((error) => {
    opening = null;
    throw error;
  });
  const names = new Set(await engine.tablesIn(sql).catch(asQueryFault));
  const wanted = tables.filter(({ name }) => names.has(name));
  if (heldAsOf !== asOf) held = new Map();
  heldAsOf = asOf;
  await load(engine, wanted, { asOf, allowed, say });
  say('Running …');
  const begin = performance.now();
  const result = await engine.run(sql).catch(asQueryFault);
  const files = [...new Map(wanted.map(({ name, artifact }) => [artifact.path, held.get(name)!])).values()];
  return answerOf({ sql, result, files, ms: performance.now() - begin, version: engine.version });
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

function asQueryFault(error: Error): never {
  throw error instanceof CannotShow ? error : new QueryFailed(error.message);
}

/** Loads the tables that are not in the engine yet, all of one snapshot. */
async function load(
  engine: Engine,
  wanted: readonly SqlTable[],
  { asOf, allowed, say }: Pick<SqlJob, 'asOf' | 'allowed'> & { say: Say },
): Promise<void> {
  const missing = wanted.filter(({ name }) => !held.has(name));
  const versions = new Map<string, FoundVersion>();
  let at = [...held.values()][0]?.snapshot ?? asOf;
  for (const {
    artifact: { path },
  } of missing) {
    if (versions.has(path)) continue;
    say(`Looking for /${path} in the snapshots …`);
    const version = await wantedVersion(listed, origin, { path, asOf: at });
    versions.set(path, version);
    if (asOf === '') at = version.entry.id;
  }
  const bytes = [...versions.values()].reduce((sum, { file }) => sum + file.bytes, 0);
  if (bytes > allowed)
    throw new NeedsConsent(bytes, `to read ${[...versions.keys()].map((path) => `/${path}`).join(', ')}`);
  for (const [path, version] of versions) {
    const total = Math.max(1, version.file.bytes);
    const blob = await readVersion(origin, version, (done) =>
      say(`Reading /${path}: ${Math.floor((100 * done) / total)} % …`),
    );
    for (const table of missing.filter(({ artifact }) => artifact.path === path)) {
      await engine.addTable(table.name, await csvOf(table, blob), sqlColumns(table));
      const { sha256, bytes } = version.file;
      held.set(table.name, { path, snapshot: version.entry.id, sha256, bytes });
    }
  }
}
