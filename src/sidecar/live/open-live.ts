import { LIVE_PATHS } from '../../../pipeline/artifacts/table.ts';
import type { Releases } from '../files/releases.ts';
import { type LiveFacts, slotEnd } from '../health/service-metrics.ts';
import { LiveDocuments } from './live-documents.ts';
import { createLiveHub, type HubOptions } from './live-hub.ts';
import { LiveState, type LiveStateOptions } from './live-state.ts';
import { watchLedger } from './watch-ledger.ts';

export interface LiveOptions
  extends Omit<LiveStateOptions, 'shown' | 'releases'>,
    Omit<HubOptions, 'paths' | 'read' | 'position'> {
  releases: LiveStateOptions['releases'] & Pick<Releases, 'served'>;
  /** How often to read the ledger when the system reports no change, ms. Default: POLL_MS. */
  pollMs?: number;
}

export type OpenLive = Awaited<ReturnType<typeof openLive>>;

/** Where the system reports no change, as on network disks, an event shows within a second. Looking costs a few system calls. */
const POLL_MS = 1000;
/** Pause after each reading, ms: it takes a burst of events together, and is too short for anyone to notice. */
const PAUSE_MS = 10;
/** Pause after a failed reading: a multiple of the time it took, and a minimum. A damaged ledger must not keep a server busy. */
const FAULT_PAUSE_FACTOR = 10;
const FAULT_PAUSE_MS = 250;
/**
 * Follows a ledger from the current release on, and answers from its newest state. Resolves after the first reading, whether
 * it succeeded or not: errors are reported, `fault` names them, and the ledger is read again.
 */
export async function openLive(options: LiveOptions) {
  const { ledger, pollMs = POLL_MS, report } = options;
  const documents = new LiveDocuments(report);
  const state = new LiveState({ ...options, shown: documents });
  const hub = createLiveHub({
    ...options,
    paths: LIVE_PATHS,
    read: (path) => documents.document(path)?.text ?? null,
    position: () => ({ sealed: state.sealedEvents, events: documents.events }),
  });
  const watch = await watchLedger(ledger, pollMs, {
    work: async () => {
      if (await state.update()) hub.changed();
    },
    pauseMs: (took) =>
      state.fault === null ? PAUSE_MS : Math.max(FAULT_PAUSE_MS, FAULT_PAUSE_FACTOR * took),
  });
  return {
    /**
     * The file at a real-time path as of the newest event; null for other paths, and while there is no state. A server that was paused has
     * switched to the newest release before it has read the ledger again.
     */
    resource: (path: string) =>
      documents.events < (options.releases.served?.manifest.ledger.size ?? 0)
        ? null
        : (documents.document(path)?.resource ?? null),
    /** `GET /live`: takes over the connection. Throws a Problem. */
    listen: hub.listen,
    /** For the metrics. */
    facts: (): LiveFacts => ({
      listeners: hub.listeners(),
      newest: seconds(state.timestamp),
      sealed: slotEnd(state.sealed),
      unsealed: seconds(state.unsealedSince),
    }),
    /** Why what is shown may be older than the ledger; null if it is not. */
    fault: () => state.fault ?? documents.fault,
    /** Ends the streams evenly over a time, ms, each with the time after which its client is to reconnect. */
    drain: hub.drain,
    /** Ends every stream and stops following. */
    async close() {
      hub.close();
      await watch.close();
    },
  };
}

/** Unix s. */
function seconds(time: string | null): number | null {
  return time === null ? null : Date.parse(time) / 1000;
}
