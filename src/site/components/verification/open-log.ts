import type { TreeHead } from '../../../../pipeline/ledger/log/hash.ts';
import { TileReader } from '../../../../pipeline/ledger/log/tile-reader.ts';
import { assertBeginsWith, headOf } from '../../../../pipeline/verify/log-head.ts';
import { readTile } from '../../../../pipeline/verify/origin/read-tile.ts';
import { forked } from '../../../../pipeline/verify/rules.ts';
import { formatMoment } from '../../../../pipeline/words/moment.ts';
import { formatNumber } from '../../../../pipeline/words/number.ts';
import { nodeHash } from './merkle-hashes.ts';
import type { PageOrigin } from './page-origin.ts';
import type { Remembered } from './remembered.ts';
import type { Steps } from './steps.ts';

/** The log of this host, its tiles checked against a head that was signed. Throws log_invalid, mirror_mismatch. */
export function openLog(origin: PageOrigin, head: TreeHead): Promise<TileReader> {
  return TileReader.open(head, (tile) => readTile(origin, tile), nodeHash);
}

/** That the log goes on from the one that is remembered; false where it does not. */
export async function checkHistory(
  steps: Steps,
  open: () => Promise<TileReader>,
  logOrigin: string,
  remembered: Remembered | null,
): Promise<boolean> {
  const name = 'History of the log';
  if (!remembered) {
    steps.skip(name, 'This browser remembers no earlier checkpoint to compare it with.');
    return true;
  }
  const { log, as_of } = remembered;
  const shown = await steps.attempt(name, async () => {
    const place = '/log/checkpoint';
    if (log.origin !== logOrigin) throw forked(place, `the log ${log.origin}, as remembered`, logOrigin);
    const reader = await open();
    await assertBeginsWith(reader, headOf(log), place);
    const [before, now] = [formatNumber(log.size), formatNumber(reader.head.size)];
    const words = `The log of ${now} events begins with the ${before} that this browser remembers, as of ${formatMoment(as_of)}: nothing of them was changed or removed.`;
    return { words, value: null };
  });
  return shown !== null;
}
