import { createHash } from 'node:crypto';

/** How far a server has read the ledger. */
export interface Position {
  /** Number of events that a checkpoint covers. */
  sealed: number;
  /** Number of all events, including those of the head. */
  events: number;
}

/** What a listener has of its paths. */
export interface Held extends Position {
  paths: readonly string[];
  /** The update of this server up to which it has them; 0: it may lack all of them; null: it has those of its position. */
  update: number | null;
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
  timestamp: string;
  /** The updates that changed the content, and the text. */
  contentAt: number;
  textAt: number;
}

/** The time of a document, which is its first member. */
const TIMESTAMP = /^\{\n {2}"timestamp": "([^"]*)",\n/;
const CHECK_CHARACTERS = 6;
const PATHS_CHARACTERS = 4;
/** `1q8c.1q9f`, a check, and what stands for the paths. A tilde before them: more messages belong to this one. */
const ID = /^(([0-9a-z]{1,10})\.([0-9a-z]{1,10})(~?))\.([\w-]{6})\.([\w-]{4})$/;
/** Listeners differ in few ways between two updates. Those that are slow must not fill the memory. */
const MAX_REMEMBERED = 64;

/**
 * The messages of the live stream. An id says how many events the server had read, so any server that follows the same ledger can
 * tell whether a listener has all that it has itself, or more. A listener gets every document at first, and then each that changes.
 * Only the newest document of each path is kept: a slow listener never has more to catch up with than one value of each path.
 */
export class Changes {
  readonly #service: string;
  readonly #published = new Map<string, Published>();
  /** Since the last update, by what listeners have. */
  readonly #steps = new Map<string, Step | null>();
  #position: Position = { sealed: 0, events: 0 };
  #update = 0;

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
    const update = this.#update + 1;
    let isChanged = position.sealed !== sealed || position.events !== events;
    for (const [path, text] of documents) isChanged = this.#publish(path, text, update) || isChanged;
    if (!isChanged) return;
    this.#update = update;
    this.#position = position;
    this.#steps.clear();
  }

  /** What a listener of `paths` has, by its Last-Event-ID. Nothing without one, or with one that this service did not write. */
  heldBy(paths: readonly string[], lastEventId = ''): Held {
    const [, body = '', sealed = '', events = '', more, check, of] = ID.exec(lastEventId) ?? [];
    // Without a check, a damaged number would let its listener wait for ever.
    if (check !== this.#check(body)) return { sealed: 0, events: 0, paths, update: 0 };
    const position = { sealed: Number.parseInt(sealed, 36), events: Number.parseInt(events, 36) };
    const hasAll = more === '' && of === pathsDigest(paths);
    return { ...position, paths, update: hasAll ? null : 0 };
  }

  /** Whether this server has fewer events than the listener, or lacks a ledger snapshot that the listener has the events of. */
  isBehind({ sealed, events }: Position): boolean {
    return this.#position.sealed < sealed || this.#position.events < events;
  }

  /** Whether a ledger snapshot that the listener does not know decides over the events that it has. */
  isSealedBeyond({ sealed }: Position): boolean {
    return this.#position.sealed > sealed;
  }

  /** What is new for a listener; null if nothing is. All that have the same get the same bytes. */
  since({ paths, ...held }: Held): Step | null {
    if (this.#steps.size > MAX_REMEMBERED) this.#steps.clear();
    const { sealed, events } = this.#position;
    const isSame = held.sealed === sealed && held.events === events;
    const update = held.update ?? (isSame ? this.#update : 0);
    return this.#steps.getOrInsertComputed(`${update} ${paths.join()}`, () => this.#stepFrom(paths, update));
  }

  #publish(path: string, text: string, update: number): boolean {
    const last = this.#published.get(path);
    if (last?.text === text) return false;
    const [head = '', timestamp = ''] = TIMESTAMP.exec(text) ?? [];
    const content = text.slice(head.length);
    const contentAt = last?.content === content ? last.contentAt : update;
    this.#published.set(path, { text, content, timestamp, contentAt, textAt: update });
    return true;
  }

  #stepFrom(paths: readonly string[], update: number): Step | null {
    const messages = paths.flatMap((path) => {
      const newest = this.#published.get(path);
      return newest && newest.textAt > update ? [formatMessage(path, newest, newest.contentAt > update)] : [];
    });
    if (messages.length === 0) return null;
    // A listener that is cut off between two messages has something newer than before, so an older server must not answer it.
    const text = messages.map((message, index) => {
      const more = index < messages.length - 1 ? '~' : '';
      return `${message}\nid: ${this.#id(paths, more)}\n\n`;
    });
    return { message: Buffer.from(text.join('')), held: { ...this.#position, paths, update: this.#update } };
  }

  /** Of the newest messages. */
  #id(paths: readonly string[], more: string): string {
    const { sealed, events } = this.#position;
    const body = `${sealed.toString(36)}.${events.toString(36)}${more}`;
    return `${body}.${this.#check(body)}.${pathsDigest(paths)}`;
  }

  #check(body: string): string {
    return digest(`${this.#service}\n${body}`).slice(0, CHECK_CHARACTERS);
  }
}

function pathsDigest(paths: readonly string[]): string {
  return digest(paths.join()).slice(0, PATHS_CHARACTERS);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function formatMessage(path: string, { text, timestamp }: Published, hasValue: boolean): string {
  const about = `"path":${JSON.stringify(path)},"timestamp":${JSON.stringify(timestamp)}`;
  const value = hasValue ? `,"value":${onOneLine(text)}` : '';
  return `event: ${path}\ndata: {${about}${value}}`;
}

/** Documents are indented, and JSON escapes line breaks in strings, so each line break in the text starts an indentation. */
function onOneLine(text: string): string {
  return text.trimEnd().replace(/\n */g, '');
}
