import { HISTORIES } from '../../../pipeline/artifacts/table.ts';
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
import { emptyState } from '../../../pipeline/model/empty-state.ts';
import { apply } from '../../../pipeline/model/fold.ts';
import { isNewDay } from '../../../pipeline/model/period.ts';
import { type Opened, type OpenOptions, Origin } from '../../../pipeline/verify/origin.ts';
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

/** Every row of every history, oldest first, as a run makes them of these events; and the state after them. */
export function rowsMadeOf(leaves: readonly Leaf[]) {
  const rows = new Map<string, string[]>(HISTORIES.map(({ path }) => [path, []]));
  let state = emptyState();
  for (const leaf of leaves) {
    if (isNewDay(state, leaf.event.timestamp))
      for (const history of HISTORIES) rows.get(history.path)!.push(...(history.dayRows?.(state) ?? []));
    for (const history of HISTORIES) rows.get(history.path)!.push(...history.rows(leaf));
    state = apply(state, leaf);
  }
  return { rows, state };
}

const CHUNK = 1000;

/** A host in memory, as a page sees it, which counts what it is asked for. */
export class SiteOrigin extends Origin {
  readonly asked: string[] = [];
  readonly #site: Site;
  readonly #hasRanges: boolean;

  constructor(site: Site, { hasRanges = true } = {}) {
    super();
    this.#site = site;
    this.#hasRanges = hasRanges;
  }

  placeOf(path: string): string {
    return `/${path}`;
  }

  retrying<T>(_path: string, work: () => Promise<T>): Promise<T> {
    return work();
  }

  async open(path: string, { from = 0, to, last }: OpenOptions = {}): Promise<Opened | null> {
    this.asked.push(path);
    const bytes = this.#site.get(path);
    if (!bytes) return null;
    const isPart = this.#hasRanges && (from > 0 || to !== undefined || last !== undefined);
    const first = !isPart ? 0 : last === undefined ? from : Math.max(0, bytes.length - last);
    const sent = isPart ? bytes.subarray(first, to) : bytes;
    const body = (async function* () {
      for (let at = 0; at < sent.length; at += CHUNK) yield sent.subarray(at, at + CHUNK);
    })();
    const about = isPart ? { bytes: null, total: bytes.length } : { bytes: bytes.length };
    return { from: first, ...about, validator: { etag: null, lastModified: null }, body };
  }
}
