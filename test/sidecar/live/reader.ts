import { EventSource } from 'eventsource';
import { onTestFinished } from 'vitest';
import { LIVE_PATHS } from '../../../pipeline/artifacts/table.ts';
import { until } from './until.ts';

export interface Reader {
  /** What a page would show: the newest value of each path, with the newest time. */
  held: Map<string, Record<string, unknown>>;
  /** The value of a path after each message, in order. */
  seen: (path: string) => readonly Record<string, unknown>[];
  /** Ids of the messages that had one, in order. */
  ids: string[];
  /** How often the client connected. */
  opened: () => number;
  /** Resolves when the values are those of these files. */
  untilHolds: (files: Record<string, string>) => Promise<void>;
  close: () => void;
}

/** An independent client, which reconnects on its own. */
export function listenTo(url: string, paths: readonly string[] = LIVE_PATHS): Reader {
  const held: Reader['held'] = new Map();
  const seen = new Map<string, Record<string, unknown>[]>();
  const ids: string[] = [];
  let opened = 0;
  const source = new EventSource(url);
  source.addEventListener('open', () => {
    opened += 1;
  });
  for (const path of paths) {
    source.addEventListener(path, ({ data, lastEventId }) => {
      const message = JSON.parse(data);
      if (message.value === undefined && !held.has(path)) throw new Error(`${path}: a time without a value`);
      const value = { ...(message.value ?? held.get(path)), timestamp: message.timestamp };
      held.set(path, value);
      seen.set(path, [...(seen.get(path) ?? []), value]);
      if (lastEventId && lastEventId !== ids.at(-1)) ids.push(lastEventId);
    });
  }
  const untilHolds = (files: Record<string, string>) =>
    until(() => paths.every((path) => isSame(held.get(path), files[path]!)));
  onTestFinished(() => source.close());
  return {
    held,
    seen: (path) => seen.get(path) ?? [],
    ids,
    opened: () => opened,
    untilHolds,
    close: () => source.close(),
  };
}

function isSame(value: unknown, file: string): boolean {
  return JSON.stringify(value) === JSON.stringify(JSON.parse(file));
}
