import { hash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { micHistory } from '../../pipeline/artifacts/economy/mic-history.ts';
import type { LedgerEvent } from '../../pipeline/ledger/events/event.ts';
import { formatEventLine } from '../../pipeline/ledger/events/event-line.ts';
import {
  addEvent,
  type EventDays,
  emptyMonth,
  eventDaysPath,
  formatEventDays,
  monthOf,
} from '../../pipeline/ledger/log/event-days.ts';
import { formatPublicBundle, publicBundlePath } from '../../pipeline/ledger/log/public-bundle.ts';
import { formatPolicy, isPublic, POLICY_PATH } from '../../pipeline/ledger/log/public-events.ts';
import { TILE_WIDTH, tileAt } from '../../pipeline/ledger/log/tile.ts';
import { EMPTY_TREE, type LogFile, TreeBuilder } from '../../pipeline/ledger/log/tree-builder.ts';
import { formatCheckpoint } from '../../pipeline/ledger/notes/checkpoint.ts';
import { signNote } from '../../pipeline/ledger/notes/note.ts';
import { demoSigner } from '../../pipeline/ledger/writing/demo-key.ts';
import { PageOrigin } from '../../pipeline/verify/page-origin.ts';
import { readPasted } from '../../pipeline/verify/rows/pasted.ts';
import { proveRow } from '../../pipeline/verify/rows/prove-row.ts';
import { cycleLabel } from '../model/cycle.ts';
import { compare, type Report } from './figure.ts';

const EVENTS = 1_000_000;
const EVENTS_A_DAY = 10_000;
const GENESIS_MS = Date.UTC(2025, 6, 3);
const MOST_BYTES = 60_000;
/** Events whose rows are proved: at both ends of the log, and between. */
const PROVED = [1, 255_001, 500_003, 777_777, 999_001, 999_999];

/** Nine of ten events are mints, so bundles are as large as they get: more is public than in any ledger so far. */
function eventAt(seq: number): LedgerEvent {
  const timestamp = new Date(GENESIS_MS + Math.floor((seq * 86_400_000) / EVENTS_A_DAY))
    .toISOString()
    .replace('.000', '');
  const digest = hash('sha256', `${seq}`, 'buffer');
  const about = { seq, timestamp, cycle: cycleLabel(timestamp), salt: digest.toString('base64url', 0, 16) };
  if (seq % 10 === 0) return { ...about, type: 'heartbeat', agent: 'ATLAS', data: {} };
  const coordination_score = 40 + (digest[16]! % 40) + digest[17]! / 256;
  const amount = `${digest.readUInt32BE(18) % 2000}.${String(digest.readUInt32BE(22) % 1_000_000).padStart(6, '0')}`;
  const data = {
    sentinel: `S-${digest[26]! % 20}`,
    cathedral: 'FOR-ECONOMISTS',
    coordination_score,
    multiplier: 1.5,
    amount,
  };
  return { ...about, type: 'mic_mint', agent: 'LEDGER', data };
}

/** How many bytes the page's own code fetches to prove one row of a large log, headers included, as a static host sends them. */
export async function rowProof(report: Report): Promise<void> {
  const files = logFiles();
  const { server, sent } = await serve((path) => files.get(path) ?? madeFile(path));
  const plainFetch = globalThis.fetch;
  const { port } = server.address() as AddressInfo;
  globalThis.fetch = (place, init) => plainFetch(new URL(String(place), `http://127.0.0.1:${port}`), init);
  try {
    for (const [name, textOf] of Object.entries(FORMS)) {
      const bytes: number[] = [];
      for (const seq of PROVED) {
        const before = sent();
        await prove(textOf(seq));
        bytes.push(sent() - before);
      }
      const what = `proving ${name} at ${EVENTS.toLocaleString('en-GB').replaceAll(',', ' ')} events, bytes fetched by the page ÷ 60 kB`;
      report(compare(what, Math.max(...bytes), MOST_BYTES, 'B', 1));
    }
  } finally {
    globalThis.fetch = plainFetch;
    server.closeAllConnections();
    server.close();
  }
}

const rowOf = (seq: number) => micHistory.rows({ event: eventAt(seq), hash: '' })[0]!.trim();

const FORMS: Readonly<Record<string, (seq: number) => string>> = {
  'a row of a CSV': rowOf,
  'an event by its number': (seq) => `${seq}`,
};

async function prove(text: string): Promise<void> {
  const steps: string[] = [];
  const verdict = await proveRow(readPasted(text), {
    origin: new PageOrigin(),
    ledgerKeys: [demoSigner().verifier],
    report: ({ step, result, findings }) => void steps.push(`${step} ${result} ${JSON.stringify(findings)}`),
  });
  if (verdict.verdict !== 'proved') throw new Error(`${text}: ${steps.join('\n')}`);
}

/** The tiles, the checkpoint and the indexes of all months; the bundles are made when they are asked for. */
function logFiles(): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const keep = (made: readonly LogFile[]) => {
    for (const { path, bytes } of made) if (!path.includes('entries')) files.set(`log/${path}`, bytes);
  };
  const builder = new TreeBuilder(EMPTY_TREE);
  let month: EventDays | null = null;
  const close = () => {
    if (month) files.set(eventDaysPath(month.month), Buffer.from(formatEventDays(month)));
  };
  for (let seq = 0; seq < EVENTS; seq += 1) {
    const event = eventAt(seq);
    keep(builder.append(Buffer.from(formatEventLine(event))));
    if (month?.month !== monthOf(event.timestamp)) {
      close();
      month = emptyMonth(monthOf(event.timestamp));
    }
    addEvent(month, event);
  }
  close();
  keep(builder.partial());
  const { verifier } = demoSigner();
  const checkpoint = formatCheckpoint({ origin: verifier.name, size: EVENTS, root: builder.root() });
  files.set('log/checkpoint', Buffer.from(signNote(checkpoint, demoSigner())));
  files.set(`log/${POLICY_PATH}`, Buffer.from(formatPolicy()));
  return files;
}

/** A public bundle. */
function madeFile(path: string): Uint8Array | null {
  const digits = /^log\/public\/v\d+\/([x\d/]+)(?:\.p\/\d+)?$/.exec(path)?.[1];
  if (digits === undefined) return null;
  const bundle = tileAt(0, Number(digits.replaceAll(/[x/]/g, '')), EVENTS);
  if (!bundle || path !== `log/${publicBundlePath(bundle)}`) return null;
  const entries = Array.from({ length: bundle.width }, (_, at) => {
    const event = eventAt(bundle.index * TILE_WIDTH + at);
    return isPublic(event) ? Buffer.from(formatEventLine(event)) : null;
  });
  return formatPublicBundle(entries);
}

/** Hashes do not compress; everything else is sent as the service and static hosts send it. */
async function serve(fileAt: (path: string) => Uint8Array | null) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((request, response) => {
    const path = request.url!.slice(1);
    const bytes = fileAt(path);
    if (!bytes) return void response.writeHead(404).end();
    if (path.startsWith('log/tile/')) return void response.end(bytes);
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(bytes));
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { server, sent: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0) };
}
