import { z } from 'zod';
import type { Cited } from '../../pipeline/artifacts/academics/citations.ts';
import { statedTime } from '../../pipeline/artifacts/as-of.ts';
import { parseJsonFile } from '../../pipeline/artifacts/format/json.ts';
import { ARTIFACTS, LIVE_PATHS } from '../../pipeline/artifacts/table.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { cslCitations } from '../../pipeline/forms/catalogue/citation.ts';
import { digestOf } from '../../pipeline/ledger/digest.ts';
import { formatVerifierKey, parseVerifierKey, type Verifier } from '../../pipeline/ledger/note.ts';
import { LATEST_PATH, type PublicFile } from '../../pipeline/release/format/public-manifest.ts';
import { SNAPSHOTS } from '../../pipeline/release/format/snapshot-index.ts';
import { AS_OF_FORMS, slotAsOf } from '../../pipeline/release/format/version-at.ts';
import { mismatchError } from '../../pipeline/verify/findings.ts';
import { type Origin, readListed } from '../../pipeline/verify/origin.ts';
import {
  type AcceptedRelease,
  assertNoRollback,
  readLatest,
  readSigned,
  type SignedRelease,
} from '../../pipeline/verify/signed-release.ts';
import { versionAt } from '../../pipeline/verify/versions/fetch-version.ts';
import { type FileVersion, readVersion } from '../../pipeline/verify/versions/file-version.ts';
import { ToolError } from './tool-error.ts';

/** Where the tools read from, and whom they trust. */
export interface ReleaseSource {
  /** For one call: what it reads belongs to one release where the origin can keep it. */
  open: () => Origin | Promise<Origin>;
  /** Of the publisher; null trusts the keys that the release names. */
  keys: readonly Verifier[] | null;
  /** Of the ledger; null trusts those in the release’s own `ledger.vkey`. */
  ledgerKeys: readonly Verifier[] | null;
  /** ms since 1970 */
  now: () => number;
}

/** The longest file that a call reads whole, in bytes. Longer ones have other forms, and addresses that take ranges. */
export const MOST_FILE_BYTES = 32 << 20;
/** Enough for a header and a row. */
const BEGINNING = 4096;
/** A release is replaced every six hours, and for a moment two are mixed where an origin cannot keep one. */
const ATTEMPTS = 3;
const KEYS_PATH = 'ledger.vkey';

type ServiceFacts = Pick<Cited, 'author' | 'baseUrl'>;

/** Follows the releases of an origin: verifies each manifest once, and repeats what a new release interrupted. */
export class HeldRelease {
  readonly #source: ReleaseSource;
  #held: SignedRelease | null = null;
  #accepted: AcceptedRelease | null = null;
  #facts: { release: SignedRelease; facts: Promise<ServiceFacts> } | null = null;

  constructor(source: ReleaseSource) {
    this.#source = source;
  }

  /** Throws what `work` does, and the errors of an unreadable or wrongly signed release. */
  async read<T>(work: (release: OpenRelease) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const origin = await this.#source.open();
      let signed: SignedRelease | null = null;
      try {
        signed = await this.#signed(origin);
        return await work(this.#open(origin, signed));
      } catch (error) {
        if (!(error instanceof CathedralError) || attempt === ATTEMPTS) throw error;
        if (!(await this.#hasSwitched(signed))) throw error;
      }
    }
  }

  #open(origin: Origin, signed: SignedRelease): OpenRelease {
    const { keys, ledgerKeys, now } = this.#source;
    return new OpenRelease(origin, signed, {
      keys,
      ledgerKeys,
      now: now(),
      facts: () => this.#factsOf(origin, signed),
    });
  }

  async #signed(origin: Origin): Promise<SignedRelease> {
    const announced = await readLatest(origin);
    const { latest } = announced;
    if (this.#accepted) assertNoRollback(this.#accepted, latest, origin.placeOf(LATEST_PATH));
    if (this.#held?.sha256 === latest.manifest.sha256) return this.#held;
    // Keys that a trusted one has introduced are trusted, too.
    const signed = await readSigned(
      origin,
      announced,
      this.#source.keys && (this.#held?.known ?? this.#source.keys),
    );
    const { version, log } = latest;
    this.#accepted = { version, log, sha256: signed.sha256 };
    this.#held = signed;
    return signed;
  }

  /** Null: not even its manifest could be read. */
  async #hasSwitched(signed: SignedRelease | null): Promise<boolean> {
    const { latest } = await readLatest(await this.#source.open());
    return latest.manifest.sha256 !== (signed ?? this.#held)?.sha256;
  }

  /** Read once a release. A failure is not kept. */
  #factsOf(origin: Origin, release: SignedRelease): Promise<ServiceFacts> {
    if (this.#facts?.release === release) return this.#facts.facts;
    const facts = readFacts(origin, release);
    this.#facts = { release, facts };
    facts.catch(() => {
      this.#facts = null;
    });
    return facts;
  }
}

const Csl = z.array(z.looseObject({ publisher: z.string(), URL: z.string() })).min(1);

/** The publisher and the address of the service, as its own citations name them: a mirror has another address. */
async function readFacts(origin: Origin, release: SignedRelease): Promise<ServiceFacts> {
  const { path } = cslCitations;
  const place = origin.placeOf(path);
  const items = parseJsonFile(await textOf(origin, listed(release, path)), Csl, place, 'release_invalid');
  for (const { publisher: author, URL: url } of items) {
    const artifact = ARTIFACTS.find((one) => url.endsWith(`/${one.path}`));
    if (artifact) return { author, baseUrl: url.slice(0, -artifact.path.length - 1) };
  }
  throw mismatchError(place, 'the citation of a file that this version knows', 'none');
}

function listed({ manifest }: SignedRelease, path: string): PublicFile {
  const file = manifest.files.find((one) => one.path === path);
  if (file) return file;
  throw mismatchError(path, 'a file of the release', 'none');
}

/** A file that was read and has the hash that the publisher signed. */
export interface ReadFile {
  path: string;
  text: string;
  sha256: string;
  bytes: number;
  /** Id of the snapshot that it was read from; that of the release for the current version. */
  snapshot: string;
  /** Time of the data as the file states it; null for a file without a time of its own. */
  asOf: string | null;
  isCurrent: boolean;
}

interface Means extends Pick<ReleaseSource, 'keys' | 'ledgerKeys'> {
  now: number;
  facts: () => Promise<ServiceFacts>;
}

/** One release, as long as a call takes. */
export class OpenRelease {
  readonly origin: Origin;
  readonly signed: SignedRelease;
  readonly #means: Means;
  readonly #byPath: ReadonlyMap<string, PublicFile>;

  constructor(origin: Origin, signed: SignedRelease, means: Means) {
    this.origin = origin;
    this.signed = signed;
    this.#means = means;
    this.#byPath = new Map(signed.manifest.files.map((file) => [file.path, file]));
  }

  /** Every public file. Restricted ones are in no manifest that this reads. */
  get files(): readonly PublicFile[] {
    return this.signed.manifest.files;
  }

  find(path: string): PublicFile | null {
    return this.#byPath.get(path) ?? null;
  }

  /** The key that signed, and how far to trust it. */
  get signature() {
    const key = formatVerifierKey(this.signed.signedBy);
    return { signed_by: key, key_given: this.#means.keys !== null };
  }

  /** A release past its expiry may be an old one that somebody holds back. */
  get isExpired(): boolean {
    return this.#means.now > Date.parse(this.signed.manifest.expires);
  }

  /** Of the ledger: those that the user gave, or those that the release names. */
  async ledgerKeys(): Promise<readonly Verifier[]> {
    if (this.#means.ledgerKeys) return this.#means.ledgerKeys;
    const text = await textOf(this.origin, listed(this.signed, KEYS_PATH));
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => parseVerifierKey(line));
  }

  facts(): Promise<ServiceFacts> {
    return this.#means.facts();
  }

  /** What a citation of this version follows from. */
  async cited({ path, asOf, sha256 }: Pick<ReadFile, 'path' | 'asOf' | 'sha256'>): Promise<Cited> {
    const version = { as_of: asOf ?? undefined, sha256 };
    return {
      ...(await this.facts()),
      asOf: this.signed.manifest.as_of,
      versions: new Map([[path, version]]),
    };
  }

  /** The current version, or the one of a time. Throws a ToolError. */
  async read(path: string, asOf?: string): Promise<ReadFile> {
    if (asOf !== undefined) return this.#readEarlier(path, slotOf(asOf));
    const file = this.find(path);
    if (!file) throw new ToolError(`The release has no file ${path}. find_files lists those that it has.`);
    if (file.bytes > MOST_FILE_BYTES) throw tooLong(path, file.bytes);
    const { snapshot } = this.signed.manifest;
    return readAs(await this.#currentText(file), { ...file, snapshot, isCurrent: true });
  }

  async #readEarlier(path: string, slot: string): Promise<ReadFile> {
    const version = await this.versionAt(path, slot);
    const { sha256, bytes } = version.file;
    if (bytes > MOST_FILE_BYTES) throw tooLong(path, bytes);
    const content = await this.origin.retrying(path, () => readVersion(this.origin, version, () => {}));
    const isCurrent = this.find(path)?.sha256 === sha256;
    return readAs(await content.text(), { path, sha256, bytes, snapshot: version.entry.id, isCurrent });
  }

  /** Throws release_invalid where no snapshot has it. */
  versionAt(path: string, slot: string): Promise<FileVersion> {
    return versionAt(this.origin, this.signed, { path, slot });
  }

  /**
   * A running service answers real-time paths from newer events than those of its release. The bytes that were signed are in the
   * release’s snapshot.
   */
  async #currentText(file: PublicFile): Promise<string> {
    try {
      return await textOf(this.origin, file);
    } catch (error) {
      if (!LIVE_PATHS.includes(file.path) || !(await this.origin.answersLive(file.path))) throw error;
      return textOf(this.origin, {
        ...file,
        path: `${SNAPSHOTS}/${this.signed.manifest.snapshot}/${file.path}`,
      });
    }
  }

  /** The time that the current version states of itself, from its beginning alone. */
  async statedTime(path: string): Promise<string | null> {
    const opened = await this.origin.open(path, { to: BEGINNING });
    if (opened === null || opened === 'unchanged') return null;
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of opened.body) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= BEGINNING) break;
    }
    return statedTime(Buffer.concat(parts).toString().slice(0, BEGINNING)) ?? null;
  }
}

function readAs(
  text: string,
  { path, sha256, bytes, snapshot, isCurrent }: Omit<ReadFile, 'text' | 'asOf'>,
): ReadFile {
  const asOf = statedTime(text.slice(0, BEGINNING)) ?? null;
  return { path, text, sha256, bytes, snapshot, isCurrent, asOf };
}

async function textOf(origin: Origin, { path, bytes, sha256 }: PublicFile): Promise<string> {
  const found = await readListed(origin, path, bytes);
  const digest = await digestOf(found);
  if (digest !== sha256) throw mismatchError(origin.placeOf(path), `SHA-256 ${sha256}, as signed`, digest);
  return new TextDecoder().decode(found);
}

/** Throws a ToolError. */
export function slotOf(asOf: string): string {
  const slot = slotAsOf(asOf);
  if (slot !== null) return slot;
  throw new ToolError(`as_of: expected ${AS_OF_FORMS}, found ${JSON.stringify(asOf.slice(0, 80))}.`);
}

function tooLong(path: string, bytes: number): ToolError {
  return new ToolError(
    `${path} has ${bytes} bytes, and these tools read files of at most ${MOST_FILE_BYTES}. describe_file has the addresses of its Parquet files, one a year.`,
  );
}
