import { SLOT_MS, slotId } from '../ledger/events/slot.ts';
import type { Artifact, FileVersion } from './artifact.ts';

/** A JSON document that states its time does so first; the newest row of a table by time is its first one. */
const OWN_TIME = [/^\{\s*"timestamp":\s*"([^"]+)"/, /^timestamp,[^\n]*\n([^,\n]+),/];

/** The time that a text states of itself, from its beginning. */
export function statedTime(text: string): string | undefined {
  for (const pattern of OWN_TIME) {
    const [, time] = pattern.exec(text) ?? [];
    if (time !== undefined) return time;
  }
}

/** The versions of the files of a release, and the time of its newest event. */
export interface Versions {
  asOf: string;
  /** By path. */
  versions?: Pick<ReadonlyMap<string, FileVersion>, 'get'> | undefined;
}

/**
 * Time of the last event that a file reflects; null for a file without a time of its own, such as a written text or a table
 * without rows. It changes only with the file. So a citation that states it, unlike one with the time of the release, changes only
 * with the file too.
 */
export function asOfFile(release: Versions, artifact: Artifact): string | null {
  // Printed after the pages, assembled for each request, or a list of all the others: these follow every event.
  if (artifact.kind === 'printed' || artifact.mediaType.startsWith('application/x-bibtex'))
    return release.asOf;
  if (artifact.kind === 'history' && !artifact.assembled) return release.asOf;
  return release.versions?.get(artifact.path)?.as_of ?? null;
}

/**
 * The permanent address of the version of a file with this time, a path from the root: below the first snapshot that can have it. So
 * an unchanged file keeps its address from release to release.
 */
export function permanentPath(path: string, time: string): string {
  return `snapshots/${firstSnapshotAfter(time, path.endsWith('-by-day.csv'))}/${path}`;
}

/** The same of a file that something with this time was made of: all of its sources are in one snapshot. `time` may be a whole day. */
export function permanentPathOfSource(path: string, time: string): string {
  return `snapshots/${firstSnapshotAfter(time, time.length === 'YYYY-MM-DD'.length)}/${path}`;
}

const DAY_MS = 4 * SLOT_MS;
/** No later slot has an id: years have four digits. */
const LAST_SLOT_MS = Date.parse('9999-12-31T18:00:00Z');

/**
 * The first snapshot that can have a version of a file, given the time of its newest event; `byDay`: of a table by day, which gets
 * its newest row with the first event of the next day. A snapshot holds the events before its slot. Follows from the content alone,
 * so a ledger that was quiet or was sealed late may have its snapshot a little later.
 */
export function firstSnapshotAfter(time: string, byDay: boolean): string {
  const ms = Date.parse(time);
  const after = byDay ? Math.floor(ms / DAY_MS) * DAY_MS + DAY_MS + SLOT_MS : ms + SLOT_MS;
  return slotId(Math.min(after, LAST_SLOT_MS));
}
