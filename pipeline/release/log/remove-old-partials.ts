import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asDiskErrors, sync } from '../../disk/durable.ts';
import { publicBundlePath } from '../../ledger/log/public-bundle.ts';
import {
  type Bundle,
  bundlePath,
  hashesAt,
  parseTilePath,
  TILE_WIDTH,
  tilePath,
} from '../../ledger/log/tile.ts';
import { logFile } from './log-folder.ts';
import { publicVersion } from './public-bundles.ts';

const PART = '.p';
/** Tiles in one folder. */
const FOLDER = 1000;

/**
 * Removes the partial files of tiles and bundles that are full at size `before`, the size of the published checkpoint. Readers with
 * that checkpoint or a later one do not need them. A tile that has just become full keeps its partial files until the next run.
 * `hasEntries`: false for a mirror, which has no bundles but those of public events, if any.
 */
export async function removeOldPartials(
  out: string,
  before: number,
  { hasEntries = true } = {},
): Promise<void> {
  for (let level = 0; hashesAt(level + 1, before) > 0; level += 1)
    await removeBelow(out, hashesAt(level + 1, before), (place) => tilePath({ ...place, level }));
  const whole = hashesAt(1, before);
  if (whole === 0) return;
  if (hasEntries) await removeBelow(out, whole, bundlePath);
  const version = await publicVersion(out);
  if (version !== null) await removeBelow(out, whole, (place) => publicBundlePath(place, version));
}

/** Looks in the folder of the last full tile and the one before. Every run does, so there are no older ones. */
async function removeBelow(out: string, whole: number, pathOf: (place: Bundle) => string): Promise<void> {
  for (const index of new Set([whole - 1, Math.max(0, whole - 1 - FOLDER)])) {
    const full = pathOf({ index, width: TILE_WIDTH });
    const path = dirname(full);
    const folder = dirname(logFile(out, full));
    const names = await asDiskErrors(folder, () => readdir(folder));
    const parts = names.filter((one) => one.endsWith(PART));
    for (const name of parts) {
      const found = parseTilePath(`${path}/${name.slice(0, -PART.length)}`);
      const at = found?.kind === 'tile' ? found.tile.index : found?.bundle.index;
      if (at !== undefined && at < whole)
        await asDiskErrors(folder, () => rm(join(folder, name), { recursive: true, force: true }));
    }
    if (parts.length > 0) await asDiskErrors(folder, () => sync(folder));
  }
}
