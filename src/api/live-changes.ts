import { createHash } from 'node:crypto';

/** How far a server has read the ledger. */
export interface Position {
  /** Number of events that a checkpoint covers. */
  sealed: number;
  /** Number of all events, including those of the head. */
  events: number;
}

/** What a listener has of each of its paths. Listeners that have the same share one object, and with it each message. */
export interface Held extends Position {
  paths: readonly string[];
  /** Of the content of each path. */
  hashes: readonly string[];
  /** The time of each path; null for a listener that was connected elsewhere. */
  times: readonly string[] | null;
  /** The event count as of which the listener has the time of each path; -1: it may lack one. */
  timesAt: number;
}

/** What a listener gets next, and what it has afterwards. */
export interface Step {
  message: Buffer;
  held: Held;
}

/** The newest document at a path. */
interface Published {
  text: string;
  /** The document without its time, which tells a change from the passing of time. */
  content: string;
  hash: string;
  timestamp: string;
}

/** What a listener needs to know about a path: its value, or only that the value still holds at a later time. */
interface Part {
  index: number;
  hasValue: boolean;
}

/** The time of a document, which is its first member. */
const TIMESTAMP = /^\{\n {2}"timestamp": "([^"]*)",\n/;
/** 48 bits: two contents of one path do not meet by chance. */
const HASH_CHARACTERS = 8;
const CHECK_CHARACTERS = 6;
/** In the place of the hash of a path whose current value the listener lacks. */
const LACKING = '~'.repeat(HASH_CHARACTERS);
/** `1q8c.1q9f.` and a hash for each path, and a check. A tilde: more messages belong to this one. */
const ID = /^([0-9a-z]{1,10})\.([0-9a-z]{1,10})(~?)\.((?:[\w-]{8}|~{8})*)\.([\w-]{6})$/;
/** Longer than any id. */
const MAX_ID_CHARACTERS = 256;
/** Listeners differ in few ways between two changes. Made-up ids must not fill the memory. */
const MAX_REMEMBERED = 64;

/**
 * The messages of the live stream. The id of a message describes what its listener then has: the position in the ledger and a
 * hash of each path's content, and nothing about the process that wrote it. So any server that follows the same ledger can
 * continue the stream from any id, and sends no value that the listener has. Only the newest document of each path is kept: a
 * slow listener never has more to catch up with than one value of each path.
 */
export class Changes {
  readonly #service: string;
  readonly #published = new Map<string, Published>();
  /** Since the last update, by paths: what listeners have that lack nothing. */
  readonly #current = new Map<string, Held>();
  /** By paths and id: what listeners have that were connected elsewhere. */
  readonly #elsewhere = new Map<string, Held>();
  /** Since the last update: what is new for listeners that lack something. */
  readonly #steps = new Map<Held, Step | null>();
  #position: Position = { sealed: 0, events: 0 };

  /** `service` tells this service from others, whose ids are not understood: the address that all its servers have in common. */
  constructor(service: string) {
    this.#service = service;
  }

  get isEmpty(): boolean {
    return this.#published.size === 0;
  }

  /** Updates the stream with the documents as of a position. */
  update(position: Position, documents: Iterable<readonly [path: string, text: string]>): void {
    const { sealed, events } = this.#position;
    let isChanged = position.sealed !== sealed || position.events !== events;
    for (const [path, text] of documents) isChanged = this.#publish(path, text) || isChanged;
    if (!isChanged) return;
    this.#position = position;
    this.#current.clear();
    this.#elsewhere.clear();
    this.#steps.clear();
  }

  /** What a listener of `paths` has, by its Last-Event-ID. Nothing without one, or with one that this service did not write. */
  heldBy(paths: readonly string[], lastEventId?: string): Held {
    const id = lastEventId ?? '';
    return remembered(this.#elsewhere, `${paths.join()} ${id.slice(0, MAX_ID_CHARACTERS)}`, () => {
      return this.#parseId(paths, id) ?? { ...NOWHERE, ...nothingOf(paths) };
    });
  }

  /** Whether this server has fewer events than the listener, or lacks a ledger snapshot that the listener has the events of. */
  isBehind({ sealed, events }: Held): boolean {
    return this.#position.sealed < sealed || this.#position.events < events;
  }

  /** Whether a ledger snapshot that the listener does not know decides over the events that it has. */
  isSealedBeyond({ sealed }: Held): boolean {
    return this.#position.sealed > sealed;
  }

  /** What is new for a listener; null if nothing is. */
  since(held: Held): Step | null {
    return remembered(this.#steps, held, () => this.#stepFrom(held));
  }

  #publish(path: string, text: string): boolean {
    const last = this.#published.get(path);
    if (last?.text === text) return false;
    const [head = '', timestamp = ''] = TIMESTAMP.exec(text) ?? [];
    const content = text.slice(head.length);
    const hash = last?.content === content ? last.hash : hashOf(path, content);
    this.#published.set(path, { text, content, hash, timestamp });
    return true;
  }

  /**
   * Each message has an id, so a listener that is cut off between two that belong together resumes there. What it has then is
   * newer than before, so a server with fewer events must not answer it.
   */
  #stepFrom(held: Held): Step | null {
    const { paths } = held;
    const parts = paths.flatMap((path, index) => this.#partOf(held, path, index) ?? []);
    if (parts.length === 0) return null;
    const current = this.#currentOf(paths);
    const hashes = [...held.hashes];
    const messages = parts.map((part) => {
      hashes[part.index] = current.hashes[part.index]!;
      const id = this.#formatId({ ...current, hashes, timesAt: part === parts.at(-1) ? current.events : -1 });
      return this.#format(paths[part.index]!, part.hasValue, id);
    });
    return { message: Buffer.from(messages.join('')), held: current };
  }

  #partOf({ hashes, times, timesAt }: Held, path: string, index: number): Part | null {
    const newest = this.#published.get(path);
    if (!newest) return null;
    if (newest.hash !== hashes[index]) return { index, hasValue: true };
    const hasTime = times ? times[index] === newest.timestamp : timesAt === this.#position.events;
    return hasTime ? null : { index, hasValue: false };
  }

  #currentOf(paths: readonly string[]): Held {
    return this.#current.getOrInsertComputed(paths.join(), () => ({
      ...this.#position,
      paths,
      hashes: paths.map((path) => this.#published.get(path)?.hash ?? LACKING),
      times: paths.map((path) => this.#published.get(path)?.timestamp ?? ''),
      timesAt: this.#position.events,
    }));
  }

  #format(path: string, hasValue: boolean, id: string): string {
    const { text, timestamp } = this.#published.get(path)!;
    const about = `"path":${JSON.stringify(path)},"timestamp":${JSON.stringify(timestamp)}`;
    const value = hasValue ? `,"value":${onOneLine(text)}` : '';
    return `event: ${path}\ndata: {${about}${value}}\nid: ${id}\n\n`;
  }

  #formatId({ sealed, events, timesAt, hashes }: Omit<Held, 'paths'>): string {
    const more = timesAt === events ? '' : '~';
    const body = `${sealed.toString(36)}.${events.toString(36)}${more}.${hashes.join('')}`;
    return `${body}.${this.#check(body)}`;
  }

  /** Null for what #formatId did not write. Without a check, a damaged number would let its listener wait for ever. */
  #parseId(paths: readonly string[], id: string): Held | null {
    const parts = id.length <= MAX_ID_CHARACTERS ? ID.exec(id) : null;
    if (!parts) return null;
    const [, sealed = '', events = '', more, listed = '', check] = parts;
    if (check !== this.#check(id.slice(0, -CHECK_CHARACTERS - 1))) return null;
    const position = { sealed: Number.parseInt(sealed, 36), events: Number.parseInt(events, 36) };
    const hashes = listed.match(/.{8}/g) ?? [];
    // The id is of other paths. It still says how far the listener has come.
    if (hashes.length !== paths.length) return { ...position, ...nothingOf(paths) };
    return { ...position, paths, hashes, times: null, timesAt: more === '~' ? -1 : position.events };
  }

  #check(body: string): string {
    return digest(`${this.#service}\n${body}`).slice(0, CHECK_CHARACTERS);
  }
}

const NOWHERE: Position = { sealed: 0, events: 0 };

function nothingOf(paths: readonly string[]): Omit<Held, keyof Position> {
  return { paths, hashes: paths.map(() => LACKING), times: null, timesAt: -1 };
}

/** The value of a key, computed if it is not known. Forgets the oldest one if there are too many. */
function remembered<Key, Value>(known: Map<Key, Value>, key: Key, compute: () => Value): Value {
  const value = known.getOrInsertComputed(key, compute);
  if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value!);
  return value;
}

/** Covers the path, so that the same content at another path is another value. */
function hashOf(path: string, content: string): string {
  return digest(`${path}\n${content}`).slice(0, HASH_CHARACTERS);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Documents are indented, and JSON escapes line breaks in strings, so each line break in the text starts an indentation. */
function onOneLine(text: string): string {
  return text.trimEnd().replace(/\n */g, '');
}
