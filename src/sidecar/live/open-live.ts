import { LIVE_PATHS } from '../../../pipeline/artifacts/table.ts';
import { chooseEncoding, type Encoding } from '../files/accept-encoding.ts';
import type { Asked, Live } from '../services.ts';
import { FolderWatch } from './folder-watch.ts';
import { LiveDocuments } from './live-documents.ts';
import { LIVE_ENCODINGS } from './live-file.ts';
import { type HubOptions, LiveHub } from './live-hub.ts';
import { LiveState, type LiveStateOptions } from './live-state.ts';
import { Pacer } from './pacer.ts';

export interface LiveOptions
  extends Omit<LiveStateOptions, 'shown'>,
    Pick<HubOptions, 'gapMs' | 'maxListeners' | 'maxPerClient' | 'epoch'> {
  /** How often to look at the ledger where the system does not tell of a change, ms. */
  pollMs: number;
  /** See HubOptions; by default, two to five seconds. */
  retryMs?: HubOptions['retryMs'];
}

export interface OpenLive extends Live {
  /** Connections that listen. */
  listeners: () => number;
  /** Time of the newest event that is shown, Unix s; null before there is one. */
  time: () => number | null;
  /** Why what is shown may be older than the ledger; null where it is not. */
  fault: () => string | null;
  /** Ends every stream and stops following. */
  close: () => Promise<void>;
}

/** After each look, ms: a burst of events is taken together, and nobody sees so short a time. */
const REST_MS = 10;
/** After a look that failed, in times as long as it took and at least as many ms: a damaged ledger must not keep a server busy. */
const FAULT_REST_FACTOR = 10;
const FAULT_REST_MS = 250;
const STREAM = {
  /** Shorter than the 60 s after which proxies give up on a silent connection, by enough for some to get lost. */
  heartbeatMs: 15_000,
  stallMs: 60_000,
  /** A server that begins anew gets its listeners back within seconds, and not all in one. */
  retryMs: [2000, 5000],
} as const;

/**
 * Follows a ledger from the newest release on, and answers with its newest state. Resolves after the first look, whatever
 * came of it: what is wrong is reported, said by `fault`, and looked at again.
 */
export async function openLive(options: LiveOptions): Promise<OpenLive> {
  const { ledger, pollMs, report } = options;
  const documents = new LiveDocuments(report);
  const state = new LiveState({ ...options, shown: documents });
  const hub = openHub(documents, options);
  const update = async () => {
    const start = performance.now();
    if (await state.update()) hub.changed();
    const took = performance.now() - start;
    return state.fault === null ? REST_MS : Math.max(FAULT_REST_MS, FAULT_REST_FACTOR * took);
  };
  const following = await follow(ledger, pollMs, update);
  return {
    representation: (path, request) => documents.file(path)?.representation(encodingFor(request)) ?? null,
    listen: (request, response, listening) => hub.listen(request, response, listening),
    listeners: () => hub.listeners,
    time: () => (state.timestamp === null ? null : Date.parse(state.timestamp) / 1000),
    fault: () => state.fault ?? documents.fault,
    async close() {
      hub.close();
      await following.close();
    },
  };
}

function openHub(documents: LiveDocuments, options: LiveOptions): LiveHub {
  return new LiveHub({
    ...STREAM,
    ...options,
    paths: LIVE_PATHS,
    read: (path) => documents.file(path)?.text ?? null,
    now: () => performance.now(),
    random: Math.random,
  });
}

/** A range is of the file as it is, as everywhere. */
function encodingFor({ headers }: Asked): Encoding | null {
  const accepted = headers['accept-encoding'];
  const header = Array.isArray(accepted) ? accepted.join(',') : accepted;
  return headers.range ? null : chooseEncoding(header, LIVE_ENCODINGS);
}

/** Calls `update` once, and then after each change in the ledger's folder and every `pollMs`. */
async function follow(
  ledger: string,
  pollMs: number,
  update: () => Promise<number>,
): Promise<{ close: () => Promise<void> }> {
  const pacer = new Pacer(update);
  const wake = () => void pacer.wake();
  const watches = [
    new FolderWatch(ledger, (name) => name === 'head.ndjson', wake),
    new FolderWatch(`${ledger}/snapshots`, (name) => name.endsWith('.checkpoint'), wake),
  ];
  const renew = () => Promise.all(watches.map((watch) => watch.renew()));
  await renew();
  await pacer.wake();
  const poll = setInterval(() => void renew().then(wake), pollMs).unref();
  return {
    async close() {
      clearInterval(poll);
      for (const watch of watches) watch.close();
      await pacer.close();
    },
  };
}
