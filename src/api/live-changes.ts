/** What is said of one path: all of its value, or only that the value is still right at a later time. */
interface Said {
  text: string;
  /** The document less its time: what tells a change from time going by. */
  content: string;
  timestamp: string;
  /** When the value was said last, and when anything was. */
  valueAt: number;
  saidAt: number;
}

/** What a reader has to be told of a path: its value, or only that this is still right at a later time. */
interface Part {
  path: string;
  hasValue: boolean;
}

/** A document's own time, its first member; and what comes before and after that. */
const TIMESTAMP = /^\{\n {2}"timestamp": "([^"]*)",\n/;

/**
 * The messages of the stream of changes, for a list of paths and from any place in the stream on. Nothing that was said
 * before is kept but the last of each path: who was away gets what is newer than what it has, however long that was, and a
 * reader that falls behind never has more to catch up with than one value of each path.
 */
export class Changes {
  readonly #epoch: string;
  readonly #said = new Map<string, Said>();
  /** Messages that were put together since the last change, by what they have of each path. */
  readonly #messages = new Map<string, Buffer>();
  #last = 0;

  /** `epoch` tells this stream from one of another process: letters and digits. */
  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  /** Place of the last message. */
  get last(): number {
    return this.#last;
  }

  /** Takes over the documents that there are now. */
  update(documents: Iterable<readonly [path: string, text: string]>): void {
    const before = this.#last;
    for (const [path, text] of documents) this.#say(path, text);
    if (this.#last !== before) this.#messages.clear();
  }

  /** The place after which a reader goes on, from its Last-Event-ID; null where it has to get everything. */
  placeOf(lastEventId: string | undefined): number | null {
    const [, epoch, digits] = /^([0-9A-Za-z]+)-(0|[1-9]\d{0,14})$/.exec(lastEventId ?? '') ?? [];
    const place = Number(digits);
    return epoch === this.#epoch && place <= this.#last ? place : null;
  }

  /**
   * What is to be said of `paths` to a reader who has everything up to `place`, null: who has nothing. Only the last
   * message has an id: a reader who is cut off before it goes on from where it was. Null where there is nothing.
   */
  since(place: number | null, paths: readonly string[]): Buffer | null {
    const parts = paths.flatMap((path) => this.#partSince(place ?? -1, path) ?? []);
    if (parts.length === 0) return null;
    const key = parts.map(({ path, hasValue }) => `${hasValue ? 'value' : 'time'} of ${path}`).join();
    const known = this.#messages.get(key);
    if (known) return known;
    const text = parts.map((part) => this.#format(part)).join('');
    // The id goes before the empty line that ends the last one.
    const message = Buffer.from(`${text.slice(0, -1)}id: ${this.#epoch}-${this.#last}\n\n`);
    this.#messages.set(key, message);
    return message;
  }

  #say(path: string, text: string): void {
    const [head = '', timestamp = ''] = TIMESTAMP.exec(text) ?? [];
    const content = text.slice(head.length);
    const said = this.#said.get(path);
    const isSame = said?.content === content;
    if (isSame && said.timestamp === timestamp) return;
    this.#last += 1;
    const valueAt = isSame ? said.valueAt : this.#last;
    this.#said.set(path, { text, content, timestamp, valueAt, saidAt: this.#last });
  }

  #partSince(place: number, path: string): Part | null {
    const said = this.#said.get(path);
    if (!said || said.saidAt <= place) return null;
    return { path, hasValue: said.valueAt > place };
  }

  #format({ path, hasValue }: Part): string {
    const { text, timestamp } = this.#said.get(path)!;
    const about = `"path":${JSON.stringify(path)},"timestamp":${JSON.stringify(timestamp)}`;
    const value = hasValue ? `,"value":${onOneLine(text)}` : '';
    return `event: ${path}\ndata: {${about}${value}}\n\n`;
  }
}

/** Documents are indented, and a line end in a string is written `\n`: each line end in the text begins an indentation. */
function onOneLine(text: string): string {
  return text.trimEnd().replace(/\n */g, '');
}
