/**
 * Trust policies for transparency logs (c2sp.org/tlog-policy): which logs and witnesses a reader knows, and which witnesses must have
 * cosigned a checkpoint.
 */
import { bytesToHex } from '@noble/hashes/utils.js';
import { CathedralError } from '../../errors.ts';
import { counted } from '../../words/number.ts';
import {
  type Cosigner,
  ED25519,
  formatVerifierKey,
  type PublicKey,
  parseCosignerKey,
  parseLogKey,
  type Verifier,
} from './note.ts';

/** Bytes; enough for thousands of keys. */
export const MAX_POLICY_BYTES = 1_000_000;

const THRESHOLD = /^[1-9]\d{0,9}$/;
/** The predefined name of the quorum that needs no witness. */
const NONE = 'none';
/** A byte order mark in UTF-8. */
const MARK = [0xef, 0xbb, 0xbf];

interface Party<Key> {
  key: Key;
  /** As written; what it means is up to whoever uses the policy. */
  url: string | null;
  /** From 1. */
  line: number;
}

type PolicyLog = Party<PublicKey>;

export interface PolicyWitness extends Party<Cosigner> {
  /** The name that the policy gives it, which means nothing elsewhere. */
  name: string;
}

/** Members of a group are witnesses or groups above it, so evaluating the groups in their order needs no recursion. */
interface Group {
  threshold: number;
  members: readonly string[];
}

export interface WitnessPolicy {
  logs: readonly PolicyLog[];
  witnesses: readonly PolicyWitness[];
  /** Whether the witnesses that cosigned a checkpoint are enough. */
  isQuorum: (cosigned: ReadonlySet<PolicyWitness>) => boolean;
  /** How many witnesses the quorum needs at the least. */
  fewest: number;
}

/**
 * Parses a policy file as the specification says, also as Windows editors save it: with a byte order mark, and CRLF as line ends. Throws
 * config_invalid with the line. `place` names the file.
 */
export function parseWitnessPolicy(file: Uint8Array, place: string): WitnessPolicy {
  return new PolicyParser(file, place).parse();
}

/**
 * The keys of the ledger that count: where the policy names logs, those of them that were given, or all of them. `place` names what was
 * given. Throws config_invalid if none is left.
 */
export function ledgerKeysOf(
  policy: WitnessPolicy | null,
  given: readonly Verifier[] | null,
  place: string,
): readonly Verifier[] | null {
  if (!policy || policy.logs.length === 0) return given;
  // Ledgers sign with Ed25519. The other logs of a policy are of other services.
  const logs = policy.logs.map(({ key }) => key).filter((key): key is Verifier => key.type === ED25519);
  if (given === null) return logs;
  const names = new Set(logs.map(formatVerifierKey));
  const both = given.filter((key) => names.has(formatVerifierKey(key)));
  if (both.length > 0) return both;
  const expected = `one of the logs of the policy: ${[...names].join(', ') || 'none with a key of type 1'}`;
  const found = given.map(formatVerifierKey).join(', ');
  throw new CathedralError('config_invalid', { place, expected, found });
}

/** Names are opaque octets, so inside the parser each character of a text stands for one octet. */
class PolicyParser {
  readonly #place: string;
  readonly #lines: readonly string[];
  readonly #logs: PolicyLog[] = [];
  readonly #witnesses = new Map<string, PolicyWitness>();
  readonly #groups = new Map<string, Group>();
  /** The line that defines each name. */
  readonly #defined = new Map<string, number>();
  /** The line of the group that each name is a member of. */
  readonly #memberOf = new Map<string, number>();
  #quorum: { name: string; line: number } | null = null;
  #line = 0;

  constructor(file: Uint8Array, place: string) {
    this.#place = place;
    if (file.length > MAX_POLICY_BYTES)
      throw this.#fault(`at most ${MAX_POLICY_BYTES} bytes`, `${file.length}`);
    this.#lines = this.#linesOf(file);
  }

  parse(): WitnessPolicy {
    for (const [at, line] of this.#lines.entries()) {
      this.#line = at + 1;
      const [keyword, ...items] = line.split(/[ \t]+/).filter((item) => item !== '');
      if (keyword !== undefined && !keyword.startsWith('#')) this.#parseLine(keyword, items);
    }
    this.#line = this.#lines.length;
    if (!this.#quorum) throw this.#fault('a line “quorum <name>” or “quorum none”', 'the end of the file');
    const { name } = this.#quorum;
    const [witnesses, groups] = [this.#witnesses, this.#groups];
    return {
      logs: this.#logs,
      witnesses: [...witnesses.values()],
      isQuorum: (cosigned) => name === NONE || isWitnessed(name, cosigned, witnesses, groups),
      fewest: name === NONE ? 0 : fewestOf(name, groups),
    };
  }

  #parseLine(keyword: string, items: readonly string[]): void {
    if (keyword === 'log') this.#parseLog(items);
    else if (keyword === 'witness') this.#parseWitness(items);
    else if (keyword === 'group') this.#parseGroup(items);
    else if (keyword === 'quorum') this.#parseQuorum(items);
    else throw this.#fault('log, witness, group, quorum or a comment', quoted(keyword));
  }

  #parseLog(items: readonly string[]): void {
    this.#count(items, 'log <vkey> [<url>]', 1, 2);
    const [vkey, url] = items;
    const key = this.#parseKey(vkey!, parseLogKey, this.#logs);
    this.#logs.push({ key, url: textOf(url), line: this.#line });
  }

  #parseWitness(items: readonly string[]): void {
    this.#count(items, 'witness <name> <vkey> [<url>]', 2, 3);
    const [name, vkey, url] = items;
    this.#define(name!);
    const key = this.#parseKey(vkey!, parseCosignerKey, [...this.#witnesses.values()]);
    this.#witnesses.set(name!, { name: textOf(name!), key, url: textOf(url), line: this.#line });
  }

  #parseGroup(items: readonly string[]): void {
    this.#count(items, 'group <name> all|any|<number> <name>…', 3, Number.POSITIVE_INFINITY);
    const [name, least, ...members] = items;
    // Before the name is defined, so that a group that contains itself is refused.
    for (const member of members) this.#addMember(member);
    this.#define(name!);
    this.#groups.set(name!, { threshold: this.#threshold(least!, members.length), members });
  }

  #threshold(least: string, members: number): number {
    if (least === 'any') return 1;
    if (least === 'all') return members;
    const threshold = THRESHOLD.test(least) ? Number(least) : 0;
    if (threshold >= 1 && threshold <= members) return threshold;
    throw this.#fault(`all, any or a number from 1 to ${members}, the members of the group`, quoted(least));
  }

  #addMember(member: string): void {
    if (member === NONE)
      throw this.#fault('the name of a witness or a group', 'none, which only a quorum can name');
    this.#requireDefined(member);
    const other = this.#memberOf.get(member);
    if (other !== undefined)
      throw this.#fault(
        'each witness and group as a member once',
        `${quoted(member)}, which is one on line ${other} already`,
      );
    this.#memberOf.set(member, this.#line);
  }

  #parseQuorum(items: readonly string[]): void {
    this.#count(items, 'quorum <name>', 1, 1);
    const [name] = items;
    if (this.#quorum)
      throw this.#fault('one quorum', `another one; the first is on line ${this.#quorum.line}`);
    if (name !== NONE) this.#requireDefined(name!);
    this.#quorum = { name: name!, line: this.#line };
  }

  /** Witnesses and groups share one namespace. */
  #define(name: string): void {
    if (name === NONE) throw this.#fault('another name', 'none, which is predefined');
    const line = this.#defined.get(name);
    if (line !== undefined)
      throw this.#fault('a name that nothing else has', `${quoted(name)}, which is defined on line ${line}`);
    this.#defined.set(name, this.#line);
  }

  #requireDefined(name: string): void {
    if (!this.#defined.has(name)) throw this.#fault('a witness or group that is defined above', quoted(name));
  }

  /** Two keys are the same if their public keys are, whatever their names and types. */
  #parseKey<Key extends PublicKey>(
    octets: string,
    parse: (vkey: string) => Key,
    others: readonly Party<PublicKey>[],
  ): Key {
    const key = this.#inLine(() => parse(textOf(octets)));
    const publicKey = bytesToHex(key.publicKey);
    const other = others.find(({ key: known }) => bytesToHex(known.publicKey) === publicKey);
    if (other) throw this.#fault('a public key once', `that of line ${other.line} again`);
    return key;
  }

  /** Adds the line to what a parser throws that knows nothing of it. */
  #inLine<T>(parse: () => T): T {
    try {
      return parse();
    } catch (cause) {
      if (!(cause instanceof CathedralError)) throw cause;
      throw this.#fault(cause.expected, cause.found, cause);
    }
  }

  #count(items: readonly string[], form: string, least: number, most: number): void {
    if (items.length >= least && items.length <= most) return;
    throw this.#fault(form, `${counted(items.length, 'item')} after the first word`);
  }

  /** Octets as characters, a line each. */
  #linesOf(file: Uint8Array): string[] {
    const octets = MARK.every((octet, at) => file[at] === octet) ? file.subarray(MARK.length) : file;
    let text = '';
    this.#line = 1;
    for (const [at, octet] of octets.entries()) {
      const isLineEnd = octet === 0x0a || (octet === 0x0d && octets[at + 1] === 0x0a);
      const isAllowed = octet >= 0x80 || (octet >= 0x20 && octet <= 0x7e) || octet === 0x09 || isLineEnd;
      if (!isAllowed)
        throw this.#fault(
          'no control characters but tab and newline',
          octet === 0x0d ? 'a carriage return inside a line' : hexOf(octet),
        );
      if (octet === 0x0a) this.#line += 1;
      text += String.fromCharCode(octet);
    }
    // Like other implementations, this one does not insist on a newline at the end of the last line.
    return text.replace(/\r?\n$/, '').split(/\r?\n/);
  }

  #fault(expected: string, found: string, cause?: unknown): CathedralError {
    const place = `${this.#place}:${this.#line}`;
    return new CathedralError('config_invalid', { place, expected, found, cause });
  }
}

function isWitnessed(
  quorum: string,
  cosigned: ReadonlySet<PolicyWitness>,
  witnesses: ReadonlyMap<string, PolicyWitness>,
  groups: ReadonlyMap<string, Group>,
): boolean {
  const witnessed = new Set<string>();
  for (const [name, witness] of witnesses) if (cosigned.has(witness)) witnessed.add(name);
  for (const [name, { threshold, members }] of groups)
    if (members.filter((member) => witnessed.has(member)).length >= threshold) witnessed.add(name);
  return witnessed.has(quorum);
}

function fewestOf(quorum: string, groups: ReadonlyMap<string, Group>): number {
  const fewest = new Map<string, number>();
  for (const [name, { threshold, members }] of groups) {
    const each = members.map((member) => fewest.get(member) ?? 1).sort((a, b) => a - b);
    fewest.set(
      name,
      each.slice(0, threshold).reduce((sum, one) => sum + one, 0),
    );
  }
  return fewest.get(quorum) ?? 1;
}

/** The text that octets spell in UTF-8. */
function textOf(octets: string): string;
function textOf(octets: string | undefined): string | null;
function textOf(octets: string | undefined): string | null {
  if (octets === undefined) return null;
  const bytes = Uint8Array.from(octets, (character) => character.charCodeAt(0));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function quoted(octets: string): string {
  return JSON.stringify(textOf(octets).slice(0, 200));
}

function hexOf(octet: number): string {
  return `0x${octet.toString(16).padStart(2, '0')}`;
}
