import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Artifact, View } from '../../pipeline/artifacts/artifact.ts';
import { statedTime } from '../../pipeline/artifacts/as-of.ts';
import { readDocuments } from '../../pipeline/artifacts/documents.ts';
import { DOCUMENTS, HISTORIES, YEARLY } from '../../pipeline/artifacts/table.ts';
import type { Leaf } from '../../pipeline/ledger/log/leaf.ts';
import { emptyState } from '../../pipeline/model/empty-state.ts';
import { apply } from '../../pipeline/model/fold.ts';
import type { State } from '../../pipeline/model/state.ts';
import {
  type DraftFile,
  type DraftManifest,
  sha256,
  storedAt,
} from '../../pipeline/release/format/manifest.ts';
import { schemaFiles } from '../../pipeline/release/format/schemas.ts';
import { historyRows } from '../artifacts/history-rows.ts';
import { DEMO_COMPANIONS } from '../attestation/demo-companions.ts';
import { fixtureLedger } from './fixture-ledger.ts';

export const BASE_URL = 'https://data.example.org';
const DATA = new URL('../../data/documents/', import.meta.url).pathname;

interface Staged extends Omit<DraftFile, 'bytes' | 'sha256' | 'encodings'> {
  content: string;
}

/** Writes a staging folder as the site's build finds it: every data file of the table and a draft manifest. */
export async function writeFixtureRelease(
  dir: string,
  { leaves } = fixtureLedger(),
  folder = DATA,
): Promise<DraftManifest> {
  const documents = await readDocuments(folder);
  const view = (state: State): View => ({ state, documents, companions: DEMO_COMPANIONS, baseUrl: BASE_URL });
  const [since] = leaves.map(({ event }) => event.timestamp);
  const yearEnd = since! < '2026' ? leaves.findIndex(({ event }) => event.timestamp >= '2026') : 0;
  const staged = [
    ...(yearEnd > 0 ? yearlyFiles(view(fold(leaves.slice(0, yearEnd))), true) : []),
    ...yearlyFiles(view(fold(leaves)), false),
    ...documentFiles(view(fold(leaves))),
    ...historyFiles(view(fold(leaves)), leaves),
    ...schemaFiles(BASE_URL).map(({ mediaType, content, ...rest }) => ({
      ...rest,
      media_type: mediaType,
      content: String(content),
    })),
  ];
  const files = await Promise.all(staged.map((file) => write(dir, file)));
  const draft = draftOf(fold(leaves), files);
  await writeFile(join(dir, 'manifest.json'), JSON.stringify(draft, null, 2));
  return draft;
}

/** The fold takes its state over, so each use gets a new one. */
function fold(leaves: readonly Leaf[]): State {
  return leaves.reduce(apply, emptyState());
}

function yearlyFiles(view: View, closed: boolean): Staged[] {
  return YEARLY.map((artifact) => ({
    ...describe(artifact),
    path: closed ? artifact.closedPath(view.state.year.year) : artifact.path,
    content: artifact.render(view, closed),
    as_of: closed ? undefined : view.state.asOf,
    immutable: closed,
  }));
}

function documentFiles(view: View): Staged[] {
  return DOCUMENTS.map((artifact) => {
    const content = artifact.render(view);
    const as_of = statedTime(content);
    return { ...describe(artifact), content, as_of, rows: artifact.rows?.(view) ?? null };
  });
}

function historyFiles(view: View, leaves: readonly Leaf[]): Staged[] {
  const assembled = HISTORIES.filter((artifact) => artifact.assembled);
  const rowsOf = historyRows(assembled, leaves);
  return assembled.map((artifact) => {
    const rows = rowsOf[artifact.path]!;
    const content = artifact.head(view) + rows.join(artifact.separator) + artifact.tail;
    return { ...describe(artifact), content, as_of: statedTime(content), rows: rows.length };
  });
}

function describe({ path, area, restricted, mediaType }: Artifact): Omit<Staged, 'content'> {
  return { path, area, restricted, kind: 'data', media_type: mediaType, rows: null, immutable: false };
}

async function write(dir: string, { content, ...file }: Staged): Promise<DraftFile> {
  const target = join(dir, storedAt(file));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, content);
  return { ...file, bytes: Buffer.byteLength(content), sha256: sha256(content), encodings: {} };
}

function draftOf({ asOf, events }: State, files: DraftFile[]): DraftManifest {
  return {
    format: 'cathedral-draft/1',
    timestamp: asOf,
    ledger: {
      origin: 'ledger.example.org/cathedral',
      snapshot: '2026-10-01T00Z',
      size: events,
      root: sha256('root'),
    },
    software: 'cathedral-data-service 1.0.0',
    inputs: sha256('inputs'),
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}
