import { createHash } from 'node:crypto';
import { mii } from '../../../pipeline/artifacts/economy/mii.ts';
import { parseJsonFile } from '../../../pipeline/artifacts/format/json.ts';
import { areaFeed, jsonFeed } from '../../../pipeline/forms/catalogue/feeds.ts';
import type { WebhookType } from '../../api/webhook-types.ts';
import { readReleaseText, type ServedRelease } from '../files/releases.ts';
import type { Announced, WebhookEvent } from './webhook.ts';
import type { NewsSince } from './webhook-store.ts';

/** The feeds whose entries are announced, and how their ids begin after the tag. */
const FROM_FEEDS: readonly [area: 'government' | 'philosophy', begin: string, type: WebhookType][] = [
  ['government', 'alert/', 'alert.raised'],
  ['philosophy', 'decision/', 'decision.recorded'],
];

/** `tag:data.example.org,2025:decision/decision-1` */
const TAG = /^tag:[^:]*:/;

/** What a release says, and the events in it that were not announced before. */
export interface ReleaseNews {
  current: Announced;
  newsSince: NewsSince;
}

/** Reads a release for announcing it. The public files say all that is announced, so every server finds the same events. */
export async function readNews(release: ServedRelease, baseUrl: string): Promise<ReleaseNews> {
  const index = await readMii(release);
  const entries = await readEntries(release);
  const { timestamp: asOf, ledger } = release.manifest;
  const current: Announced = { release: release.id, asOf, minting: index?.minting_active ?? null };
  const published = event('release.published', `release/${release.id}`, asOf, {
    release: release.id,
    as_of: asOf,
    snapshot: ledger.snapshot,
    events: ledger.size,
    url: `${baseUrl}/manifest.json`,
  });
  const newsSince = ({ minting }: Announced): WebhookEvent[] => {
    const isCrossed = minting !== null && index && index.minting_active !== minting;
    const crossed =
      isCrossed &&
      event('threshold.crossed', `threshold/${index.timestamp}/${index.minting_active}`, index.timestamp, {
        mii: index.mii,
        threshold: index.threshold,
        minting_active: index.minting_active,
        url: `${baseUrl}/economy/mii`,
      });
    return [published, ...(crossed ? [crossed] : []), ...entries];
  };
  return { current, newsSince };
}

type Index = { timestamp: string; mii: number; threshold: number; minting_active: boolean };

/** Null while the index or its threshold is not measured. */
async function readMii(release: ServedRelease): Promise<Index | null> {
  const text = await readReleaseText(release, mii.path);
  if (text === null) return null;
  const { timestamp, ...found } = parseJsonFile(text, mii.schema, mii.path, 'release_invalid');
  if (found.mii === null || found.threshold === null) return null;
  const { mii: value, threshold, minting_active } = found;
  return { timestamp, mii: value, threshold, minting_active };
}

/** Of the feeds of the areas, oldest first; empty for a release without feeds. */
async function readEntries(release: ServedRelease): Promise<WebhookEvent[]> {
  const found = await Promise.all(
    FROM_FEEDS.map(async ([area, begin, type]) => {
      const { path, schema } = jsonFeed(areaFeed(area));
      const text = await readReleaseText(release, path);
      if (text === null) return [];
      const { items } = parseJsonFile(text, schema, path, 'release_invalid');
      return items
        .map(({ id, ...item }) => ({ ...item, id: id.replace(TAG, '') }))
        .filter(({ id }) => id.startsWith(begin))
        .map(({ id, title, content_text, date_published, url }) =>
          event(type, id, date_published, { id, title: short(title), summary: short(content_text), url }),
        )
        .reverse();
    }),
  );
  return found.flat();
}

/** A body of a few kilobytes, as the specification advises. The address leads to all of it. */
const MAX_TEXT = 1000;

function short(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** `of`: names what happened, and nothing else. */
export function event(
  type: WebhookEvent['type'],
  of: string,
  timestamp: string,
  data: Readonly<Record<string, unknown>>,
): WebhookEvent {
  const hash = createHash('sha256').update(`${type}\n${of}`).digest('hex');
  return { id: `msg_${hash.slice(0, ID_DIGITS)}`, type, body: JSON.stringify({ type, timestamp, data }) };
}

const ID_DIGITS = 32;
