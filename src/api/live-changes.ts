/** The last message about a path: its value, or that the value still holds at a later time. */
interface Published {
  text: string;
  /** The document without its time, which tells a change from the passing of time. */
  content: string;
  timestamp: string;
  /** Places in the stream: of the last message with a value, and of the last message. */
  valueAt: number;
  publishedAt: number;
}

/** What a reader needs to know about a path: its value, or only that the value still holds at a later time. */
interface Part {
  path: string;
  hasValue: boolean;
}

/** The time of a document, which is its first member. */
const TIMESTAMP = /^\{\n {2}"timestamp": "([^"]*)",\n/;

/**
 * The messages of the live stream, for a list of paths and from any place in the stream. Only the last message of each path is
 * kept: a client that reconnects gets what is newer than what it has, however long it was away, and a slow reader never has
 * more to catch up with than one value of each path.
 */
export class Changes {
  readonly #epoch: string;
  readonly #published = new Map<string, Published>();
  /** Messages formatted since the last change, by their content. */
  readonly #messages = new Map<string, Buffer>();
  #last = 0;

  /** `epoch`: letters and digits that tell this stream from one of another process. */
  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  /** Place of the last message. */
  get last(): number {
    return this.#last;
  }

  /** Updates the stream with the current documents. */
  update(documents: Iterable<readonly [path: string, text: string]>): void {
    const before = this.#last;
    for (const [path, text] of documents) this.#publish(path, text);
    if (this.#last !== before) this.#messages.clear();
  }

  /** The place after which a reader resumes, from its Last-Event-ID; null if it needs everything. */
  placeOf(lastEventId: string | undefined): number | null {
    const [, epoch, digits] = /^([0-9A-Za-z]+)-(0|[1-9]\d{0,14})$/.exec(lastEventId ?? '') ?? [];
    const place = Number(digits);
    return epoch === this.#epoch && place <= this.#last ? place : null;
  }

  /**
   * The messages about `paths` for a reader that has everything up to `place`; null: nothing. Only the last event has an id,
   * so a reader that is cut off before it resumes from where it was. Null if there is nothing new.
   */
  since(place: number | null, paths: readonly string[]): Buffer | null {
    const parts = paths.flatMap((path) => this.#partSince(place ?? -1, path) ?? []);
    if (parts.length === 0) return null;
    const key = parts.map(({ path, hasValue }) => `${hasValue ? 'value' : 'time'} of ${path}`).join();
    const known = this.#messages.get(key);
    if (known) return known;
    const text = parts.map((part) => this.#format(part)).join('');
    // The id goes before the empty line that ends the last event.
    const message = Buffer.from(`${text.slice(0, -1)}id: ${this.#epoch}-${this.#last}\n\n`);
    this.#messages.set(key, message);
    return message;
  }

  #publish(path: string, text: string): void {
    const [head = '', timestamp = ''] = TIMESTAMP.exec(text) ?? [];
    const content = text.slice(head.length);
    const last = this.#published.get(path);
    const isSame = last?.content === content;
    if (isSame && last.timestamp === timestamp) return;
    this.#last += 1;
    const valueAt = isSame ? last.valueAt : this.#last;
    this.#published.set(path, { text, content, timestamp, valueAt, publishedAt: this.#last });
  }

  #partSince(place: number, path: string): Part | null {
    const last = this.#published.get(path);
    if (!last || last.publishedAt <= place) return null;
    return { path, hasValue: last.valueAt > place };
  }

  #format({ path, hasValue }: Part): string {
    const { text, timestamp } = this.#published.get(path)!;
    const about = `"path":${JSON.stringify(path)},"timestamp":${JSON.stringify(timestamp)}`;
    const value = hasValue ? `,"value":${onOneLine(text)}` : '';
    return `event: ${path}\ndata: {${about}${value}}\n\n`;
  }
}

/** Documents are indented, and JSON escapes line breaks in strings, so each line break in the text starts an indentation. */
function onOneLine(text: string): string {
  return text.trimEnd().replace(/\n */g, '');
}
