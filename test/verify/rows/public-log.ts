import { formatEventLine } from '../../../pipeline/ledger/events/event-line.ts';
import {
  addEvent,
  type EventDays,
  emptyMonth,
  eventDaysPath,
  formatEventDays,
  monthOf,
} from '../../../pipeline/ledger/log/event-days.ts';
import type { Leaf } from '../../../pipeline/ledger/log/leaf.ts';
import { formatPublicBundle, publicBundlePath } from '../../../pipeline/ledger/log/public-bundle.ts';
import { formatPolicy, isPublic, POLICY_PATH } from '../../../pipeline/ledger/log/public-events.ts';
import { TILE_WIDTH, tileAt } from '../../../pipeline/ledger/log/tile.ts';
import { type Opened, Origin } from '../../../pipeline/verify/origin.ts';
import { logOf, type Site } from '../../mirror/small-service.ts';

/** What a host serves of a log of these events: tiles, checkpoint, public bundles and the indexes of months. */
export function publicSite(leaves: readonly Leaf[]): Site {
  const lines = leaves.map(({ event }) => formatEventLine(event));
  const site = logOf(lines.length, (index) => lines[index]!).files;
  const months = new Map<string, EventDays>();
  for (const { event } of leaves) {
    const month = monthOf(event.timestamp);
    const days = months.get(month) ?? emptyMonth(month);
    months.set(month, days);
    addEvent(days, event);
  }
  for (const [month, days] of months) site.set(eventDaysPath(month), Buffer.from(formatEventDays(days)));
  for (let number = 0; number * TILE_WIDTH < lines.length; number += 1) {
    const from = number * TILE_WIDTH;
    const entries = leaves
      .slice(from, from + TILE_WIDTH)
      .map(({ event }, at) => (isPublic(event) ? Buffer.from(lines[from + at]!) : null));
    const path = `log/${publicBundlePath(tileAt(0, number, lines.length)!)}`;
    site.set(path, Buffer.from(formatPublicBundle(entries)));
  }
  site.set(`log/${POLICY_PATH}`, Buffer.from(formatPolicy()));
  return site;
}

/** A host in memory, which counts what it sends. */
export class SiteOrigin extends Origin {
  readonly asked: string[] = [];
  readonly #site: Site;

  constructor(site: Site) {
    super();
    this.#site = site;
  }

  placeOf(path: string): string {
    return `/${path}`;
  }

  retrying<T>(_path: string, work: () => Promise<T>): Promise<T> {
    return work();
  }

  async open(path: string): Promise<Opened | null> {
    this.asked.push(path);
    const bytes = this.#site.get(path);
    if (!bytes) return null;
    const body = (async function* () {
      yield bytes;
    })();
    return { from: 0, bytes: bytes.length, validator: { etag: null, lastModified: null }, body };
  }
}
