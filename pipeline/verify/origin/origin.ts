/** Tells whether a file is the one of the last time, without reading it. */
export interface Validator {
  etag: string | null;
  lastModified: string | null;
}

export interface OpenOptions {
  /** The first byte that is wanted; an origin may begin before it. */
  from?: number;
  /** The file is not wanted where it is still this one. */
  unless?: Validator;
}

/** A file that is being read. Its `body` has to be read or left by `break`: unread, it holds a connection. */
export interface Opened {
  /** The file's first byte that `body` has. */
  from: number;
  /** Bytes of `body`, as far as the origin says. */
  bytes: number | null;
  validator: Validator;
  body: AsyncIterable<Uint8Array>;
}

/**
 * Where a release is read from. Nothing of what it gives is trusted. Paths are those of URLs, below the service's root and
 * without a slash at the beginning.
 */
export interface Origin {
  /** As messages name a file there. */
  placeOf(path: string): string;
  /** Null: there is no such file. Throws TransientFault, as reading the body does, and mirror_unreachable. */
  open(path: string, options?: OpenOptions): Promise<Opened | 'unchanged' | null>;
  /** Whether it is a running service, which answers some paths from newer events than the release's. */
  answersLive(): Promise<boolean>;
  /** Does a piece of work over as often as it makes sense. Throws mirror_unreachable when it does no more. */
  retrying<T>(path: string, work: () => Promise<T>): Promise<T>;
}
