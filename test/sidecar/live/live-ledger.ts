import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { LIVE_ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import { demoSigner } from '../../../pipeline/ledger/writing/demo-key.ts';
import type { State } from '../../../pipeline/model/state.ts';
import { Feed } from '../../../pipeline/sample/feeder/feed.ts';
import { readDemoLedger } from '../../../pipeline/sample/feeder/resume.ts';
import { writeSample } from '../../../pipeline/sample/write-sample.ts';
import { DEMO_COMPANIONS } from '../../attestation/demo-companions.ts';
import { build } from '../../build/run-build.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { madeOnce } from '../../site/made-once.ts';

export const VERIFIERS = [demoSigner().verifier];
export const DOCUMENTS = 'data/documents';
export const BASE_URL = 'https://data.example.org';
/** In the middle of a slot, so that the ledger begins with events in its head. */
export const START = '2025-07-04T09:30:00Z';
export const MINUTE = 60_000;

export interface LiveLedger {
  ledger: string;
  out: string;
  /** Advances the ledger: its own events, seals, and one more event at the end. */
  advance: (minutes: number) => Promise<void>;
  /** Publishes the sealed events. */
  publish: () => Promise<void>;
  /** Every real-time file, by path, from the ledger's first event on. */
  rebuild: () => Promise<Record<string, string>>;
}

/** A sample ledger of a day and a half with a release as of `START`, and a feeder under the test's control; in a folder of the test's own, or `inside`. */
export async function liveLedger(inside?: string): Promise<LiveLedger> {
  const folder = inside ?? (await temporaryFolder());
  // Copying takes a tenth of the time.
  const { made } = await madeOnce('live-ledger', async (shared) => {
    const first = follow(shared);
    await writeSample({ out: first.ledger, to: START, seed: 1 });
    await first.advance(BEGUN);
    await first.publish();
    return { made: shared };
  });
  for (const name of ['ledger', 'out'])
    await cp(join(made, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
  return follow(folder, BEGUN);
}

/** Minutes after `START` of the last event in a new ledger. */
const BEGUN = 1;

/** `minutes`: what has passed since `START`. */
function follow(folder: string, minutes = 0): LiveLedger {
  const [ledger, out] = [`${folder}/ledger`, `${folder}/out`];
  let clock = Date.parse(START) + minutes * MINUTE;
  const advance = async (passing: number) => {
    clock += passing * MINUTE;
    const feed = await Feed.open(ledger, 1, () => clock);
    await feed.advance(clock);
    await feed.liven(clock);
    feed.close();
  };
  const publish = () => publishSealed(ledger, out);
  return { ledger, out, advance, publish, rebuild: async () => render(await stateOf(ledger)) };
}

/** Data files only. */
export async function publishSealed(ledger: string, out: string, verifiers = VERIFIERS): Promise<void> {
  await build({
    ledger,
    out,
    verifiers,
    documents: DOCUMENTS,
    companions: null,
    baseUrl: BASE_URL,
    software: 'cathedral-data-service/test',
    rebuild: false,
    site: false,
    print: null,
    waitMs: 0,
    log: () => {},
  });
}

/** The state of a ledger with its head, from genesis. */
async function stateOf(ledger: string): Promise<State> {
  return (await readDemoLedger(ledger, VERIFIERS)).state;
}

function render(state: State): Record<string, string> {
  // No live artifact shows a document.
  const view = { state, documents: null as never, companions: DEMO_COMPANIONS, baseUrl: BASE_URL };
  return Object.fromEntries(LIVE_ARTIFACTS.map((artifact) => [artifact.path, artifact.render(view)]));
}
