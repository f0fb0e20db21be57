import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJsonFile } from '../artifacts/format/json.ts';
import type { LedgerEvent } from '../ledger/events/event.ts';
import {
  addEvent,
  EVENT_DAYS_FOLDER,
  EventDays,
  emptyMonth,
  eventDaysPath,
  formatEventDays,
  monthOf,
} from '../ledger/log/event-days.ts';
import { accompanyingFile, sha256, storedAt } from '../release/format/manifest.ts';
import type { Staging } from '../release/staging/staging.ts';

/**
 * Writes where the events of each month are in the log. A resumed run continues with the month of the last event, and links the ones
 * before, which have ended.
 */
export class EventDaysWriter {
  readonly #staging: Staging;
  /** In their order. The last one goes on. */
  readonly #months: EventDays[];

  private constructor(staging: Staging, months: EventDays[]) {
    this.#staging = staging;
    this.#months = months;
  }

  /** `timestamp`: of the last event of the previous release, null from genesis. Throws release_invalid if its month is damaged. */
  static async open(staging: Staging, timestamp: string | null): Promise<EventDaysWriter> {
    return new EventDaysWriter(
      staging,
      timestamp === null ? [] : [await readMonth(staging, monthOf(timestamp))],
    );
  }

  add(event: LedgerEvent): void {
    const month = monthOf(event.timestamp);
    let last = this.#months.at(-1);
    if (last?.month !== month) {
      last = emptyMonth(month);
      this.#months.push(last);
    }
    addEvent(last, event);
  }

  /** Stages the files of all months. */
  async finish(): Promise<void> {
    const months = this.#months;
    for (const month of months)
      await this.#staging.write(accompanyingFile(eventDaysPath(month.month), formatEventDays(month)));
    const written = new Set(months.map(({ month }) => eventDaysPath(month)));
    if (!this.#staging.reuse) return;
    for (const { path } of this.#staging.previous?.manifest.files ?? [])
      if (path.startsWith(`${EVENT_DAYS_FOLDER}/`) && !written.has(path)) await this.#staging.carry(path);
  }
}

async function readMonth(staging: Staging, month: string): Promise<EventDays> {
  const path = eventDaysPath(month);
  const file = staging.before(path);
  if (!file || !staging.previous) throw new Error(`${path}: the previous release has no such file`);
  const text = await readFile(join(staging.previous.dir, storedAt(file)), 'utf8').catch(() => '');
  if (sha256(text) !== file.sha256) throw await staging.damage(file);
  return parseJsonFile(text, EventDays, path, 'release_invalid');
}
