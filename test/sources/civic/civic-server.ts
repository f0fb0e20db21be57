import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { parseExactJson } from '../../../pipeline/ledger/events/json.ts';
import { CHAIN_START, eventHash } from '../../../pipeline/sources/civic/remote-event.ts';
import { listen } from '../../listen.ts';

/** An event on the server. The payload is JSON text, sent unchanged. */
export interface CivicEvent {
  event_id: string;
  event_type: string;
  civic_id: string;
  lab_source: string;
  payload: string;
  timestamp: string;
  previous_hash: string;
  event_hash: string;
  signature: string | null;
}

/** An event with the hash of its content. */
export function civicEvent(fields: Partial<CivicEvent> & { event_id: string }): CivicEvent {
  const event = {
    event_type: 'reflection',
    civic_id: 'citizen-7',
    lab_source: 'lab4',
    payload: '{}',
    timestamp: '2025-12-01T06:00:00.123456+00:00',
    previous_hash: CHAIN_START,
    signature: null,
    ...fields,
  };
  const payload = parseExactJson(event.payload) as Record<string, unknown>;
  return { event_hash: eventHash({ ...event, payload }), ...event };
}

/** The event after `before`, one minute later unless `fields` sets the time. */
export function civicAfter(
  before: CivicEvent,
  fields: Partial<CivicEvent> & { event_id: string },
): CivicEvent {
  const timestamp = minutesAfter(before.timestamp, 1);
  return civicEvent({ previous_hash: before.event_hash, timestamp, ...fields });
}

/** A chain of `count` events, oldest first, a minute apart. */
export function civicChain(count: number, first: Partial<CivicEvent> = {}, prefix = 'evt'): CivicEvent[] {
  const chain: CivicEvent[] = [];
  for (let index = 0; index < count; index += 1) {
    const event_id = `${prefix}_${index}`;
    const payload = `{"n": ${index}}`;
    const before = chain.at(-1);
    chain.push(
      before ? civicAfter(before, { event_id, payload }) : civicEvent({ event_id, payload, ...first }),
    );
  }
  return chain;
}

function minutesAfter(timestamp: string, minutes: number): string {
  const ms = Date.parse(`${timestamp.slice(0, 19)}Z`) + minutes * 60_000;
  return `${new Date(ms).toISOString().slice(0, 19)}${timestamp.slice(19)}`;
}

/** Answers the request and returns true, or returns false to let the server answer. `count` starts at 1. */
export type Intercept = (response: ServerResponse, url: URL, count: number) => boolean;

/** A ledger over HTTP with the production ledger's paging: see `newestFirst`. */
export class CivicServer {
  /** In order of insertion. */
  events: CivicEvent[];
  /** `/ledger/events?limit=…&offset=…` of each request. */
  readonly requests: string[] = [];
  intercept: Intercept = () => false;
  url = '';
  readonly #server: Server;

  private constructor(events: CivicEvent[]) {
    this.events = events;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(events: CivicEvent[]): Promise<CivicServer> {
    const server = new CivicServer(events);
    server.url = (await listen(server.#server)).origin;
    return server;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url!, this.url);
    this.requests.push(request.url!);
    if (this.intercept(response, url, this.requests.length)) return;
    if (url.pathname !== '/ledger/events') return void response.writeHead(404).end('{"detail":"Not Found"}');
    const limit = Number(url.searchParams.get('limit') ?? 100);
    const offset = Number(url.searchParams.get('offset') ?? 0);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(formatPage(newestFirst(this.events).slice(offset, offset + limit)));
  }
}

/** `{"events":[…],"count":n}`, where n counts the page. */
export function formatPage(events: readonly CivicEvent[]): string {
  return `{"events":[${events.map(formatEvent).join(',')}],"count":${events.length}}`;
}

function formatEvent({ payload, ...members }: CivicEvent): string {
  return `${JSON.stringify(members).slice(0, -1)},"payload":${payload}}`;
}

/** The production order: by whole seconds, newest first, and within a second in order of insertion. */
export function newestFirst(events: readonly CivicEvent[]): CivicEvent[] {
  const second = ({ timestamp }: CivicEvent) => Math.floor(Date.parse(timestamp) / 1000);
  return [...events].sort((a, b) => second(b) - second(a));
}
