import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors } from '../disk/durable.ts';
import { makeTemporaryFolder } from '../disk/temporary-folder.ts';
import { CathedralError, type Finding } from '../errors.ts';
import { openDirectory } from '../ledger/reading/directory.ts';
import { readVerifierKeys } from '../ledger/reading/ledger-verifiers.ts';
import type { Manifest } from '../release/format/manifest.ts';
import { SNAPSHOTS, type Snapshot, type SnapshotFile } from '../release/format/snapshot-index.ts';
import { build } from './build.ts';
import type { CheckOptions } from './check.ts';
import { compareByName, compareMembers } from './compare-manifests.ts';
import { type BuildPlan, DATA_ONLY } from './plan.ts';
import { PUBLISHER_KEYS_PATH, shownBy } from './publisher.ts';
import { publishedIds, readPublished } from './snapshots/read-published.ts';
import { verifyList, verifySnapshot } from './snapshots/verify-published-snapshots.ts';

export interface AsOfOptions extends Omit<CheckOptions, 'ledger' | 'publisherKeys'> {
  ledger: string;
  /** Id of the ledger snapshot. */
  snapshot: string;
  /** Folder for the rebuilt files. It must not exist. Null: the files are discarded. */
  into: string | null;
}

export interface AsOfReport {
  /** The rebuilt snapshot. */
  manifest: Manifest;
  /** Null if OUT does not have the snapshot. */
  published: Snapshot | null;
  /** How the published snapshot differs from the rebuilt one, from its own index, or from what is signed. */
  findings: Finding[];
  /** Number of files compared with the ledger. */
  compared: number;
  /** Files that cannot be rebuilt byte for byte from the ledger: PDFs, signatures and keys. */
  notReproducible: string[];
}

/**
 * Rebuilds a snapshot from genesis and compares it with the published one. Throws the errors of a build, and ledger_unreadable if the
 * ledger has no such snapshot.
 */
export async function asOf(options: AsOfOptions): Promise<AsOfReport> {
  const { out, ledger, snapshot: id, into, log } = options;
  await assertSealed(ledger, id);
  const isKept = (await publishedIds(out)).includes(id);
  const published = isKept ? (await readPublished(out, id)).snapshot : null;
  await using folder = makeTemporaryFolder();
  const made = folder.path;
  log(`rebuilding from the ledger, up to ${id}`);
  const { manifest } = await build({ ...options, plan: await planOf(options), out: made });
  const { snapshot: again } = await readPublished(made, id);
  if (into !== null) await keepMade(made, id, into);
  if (!published) return { manifest, published, findings: [], compared: 0, notReproducible: [] };
  log(`reading every byte of ${join(out, SNAPSHOTS, id)}`);
  const findings = [
    ...(await verifyList(out)),
    ...(await verifySnapshot(out, id)),
    ...compareSnapshots(published, again),
  ];
  const notReproducible = published.files.filter(isNotMade).map(({ path }) => path);
  return {
    manifest,
    published,
    findings,
    compared: published.files.length - notReproducible.length,
    notReproducible,
  };
}

/** The plan, whatever the release was made with: data files only, all from the ledger. */
async function planOf({ out, snapshot }: AsOfOptions): Promise<BuildPlan> {
  const kept = join(out, SNAPSHOTS, snapshot);
  return {
    purpose: 'compare',
    from: 'genesis',
    until: snapshot,
    contents: DATA_ONLY,
    publisher: await shownBy(await readVerifierKeys(join(kept, PUBLISHER_KEYS_PATH)), kept),
    snapshots: { days: 0 },
  };
}

async function assertSealed(ledger: string, id: string): Promise<void> {
  const sealed = await openDirectory(ledger).snapshots(null);
  if (sealed.some((snapshot) => snapshot.id === id)) return;
  throw new CathedralError('ledger_unreadable', {
    place: `${SNAPSHOTS}/${id}`,
    expected: 'a snapshot of the ledger',
    found: sealed.length === 0 ? 'none' : `only ${sealed[0]!.id} to ${sealed.at(-1)!.id}`,
  });
}

async function keepMade(made: string, id: string, into: string): Promise<void> {
  await asDiskErrors(into, async () => {
    await cp(join(made, 'current/public'), into, { recursive: true, errorOnExist: true, force: false });
    await cp(join(made, SNAPSHOTS, id, 'index.json'), join(into, 'index.json'));
  });
}

function isNotMade({ path, media_type }: SnapshotFile): boolean {
  return media_type === 'application/pdf' || /^manifest\.json(\.sig)?$/.test(path);
}

function compareSnapshots(published: Snapshot, again: Snapshot): Finding[] {
  const index = `${SNAPSHOTS}/${published.id}/index.json`;
  const made = published.files.filter((file) => !isNotMade(file));
  return [
    ...compareMembers(index, ['as_of', 'software'], again, published),
    ...compareMembers(`${index} log`, ['origin', 'size', 'root_hash'], again.log, published.log),
    ...compareByName<SnapshotFile>(again.files, made, ({ path }) => path, ['sha256']),
  ];
}
