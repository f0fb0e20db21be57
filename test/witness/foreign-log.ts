import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';

/**
 * A log and its notes as the specifications define them, written for tests and sharing no code with the product: RFC 6962 §2.1 by
 * recursion over all leaves, c2sp.org/signed-note, tlog-checkpoint and tlog-cosignature (Ed25519).
 */

const sha256 = (...parts: Uint8Array[]) => hash('sha256', Buffer.concat(parts), 'buffer');

/** The largest power of two below `n`. */
const split = (n: number) => 2 ** Math.floor(Math.log2(n - 1));

/** MTH(D). */
export function treeHash(leaves: readonly string[]): Buffer {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return sha256(Buffer.of(0), Buffer.from(leaves[0]!));
  const k = split(leaves.length);
  return sha256(Buffer.of(1), treeHash(leaves.slice(0, k)), treeHash(leaves.slice(k)));
}

/** PROOF(m, D). */
export function consistency(m: number, leaves: readonly string[]): Buffer[] {
  return m === 0 || m === leaves.length ? [] : subproof(m, leaves, true);
}

function subproof(m: number, leaves: readonly string[], isWhole: boolean): Buffer[] {
  if (m === leaves.length) return isWhole ? [] : [treeHash(leaves)];
  const k = split(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m <= k
    ? [...subproof(m, left, isWhole), treeHash(right)]
    : [...subproof(m - k, right, false), treeHash(left)];
}

/** Whether a proof leads from one root to the other: both are computed from it by the recursion that made it. */
export function isConsistent(
  [m, oldRoot]: readonly [number, Buffer],
  [n, newRoot]: readonly [number, Buffer],
  proof: readonly Buffer[],
): boolean {
  if (m === 0) return proof.length === 0;
  const rest = [...proof].reverse();
  const roots = walk(m, n, true, oldRoot, rest);
  return rest.length === 0 && roots !== null && roots[0].equals(oldRoot) && roots[1].equals(newRoot);
}

function walk(
  m: number,
  n: number,
  isWhole: boolean,
  oldRoot: Buffer,
  rest: Buffer[],
): [Buffer, Buffer] | null {
  if (m === n) {
    const root = isWhole ? oldRoot : rest.pop();
    return root ? [root, root] : null;
  }
  const k = split(n);
  const sibling = rest.shift();
  // PROOF lists the siblings from the leaves up, so the outermost one is the last.
  if (!sibling) return null;
  if (m <= k) {
    const inner = walk(m, k, isWhole, oldRoot, rest);
    return inner && [inner[0], sha256(Buffer.of(1), inner[1], sibling)];
  }
  const inner = walk(m - k, n - k, false, oldRoot, rest);
  return inner && [sha256(Buffer.of(1), sibling, inner[0]), sha256(Buffer.of(1), sibling, inner[1])];
}

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A key with its name and signature type: 1, a log's; 4, a witness's. */
export class ForeignKey {
  readonly name: string;
  readonly type: 1 | 4;
  readonly #key: KeyObject;
  readonly #public: Buffer;

  constructor(name: string, type: 1 | 4, seed: number) {
    this.name = name;
    this.type = type;
    this.#key = createPrivateKey({
      key: Buffer.concat([PKCS8, Buffer.alloc(32, seed)]),
      format: 'der',
      type: 'pkcs8',
    });
    this.#public = createPublicKey(this.#key).export({ format: 'der', type: 'spki' }).subarray(-32);
  }

  get id(): Buffer {
    return sha256(Buffer.from(`${this.name}\n`), Buffer.of(this.type), this.#public).subarray(0, 4);
  }

  get vkey(): string {
    const key = Buffer.concat([Buffer.of(this.type), this.#public]).toString('base64');
    return `${this.name}+${this.id.toString('hex')}+${key}`;
  }

  /** A signature line. `time`: seconds since 1970, for a cosignature. */
  line(text: string, time = 0): string {
    return `— ${this.name} ${Buffer.concat([this.id, this.#signature(text, time)]).toString('base64')}\n`;
  }

  #signature(text: string, time: number): Buffer {
    if (this.type === 1) return sign(null, Buffer.from(text), this.#key);
    const stamp = Buffer.alloc(8);
    stamp.writeBigUInt64BE(BigInt(time));
    const message = Buffer.from(`cosignature/v1\ntime ${time}\n${text}`);
    return Buffer.concat([stamp, sign(null, message, this.#key)]);
  }

  /** Whether one of the lines is a valid signature by this key. */
  hasSigned(text: string, lines: string): boolean {
    return lines.split('\n').some((line) => {
      const [, name, base64] = /^— (\S+) (\S+)$/.exec(line) ?? [];
      if (name !== this.name) return false;
      const bytes = Buffer.from(base64!, 'base64');
      if (!bytes.subarray(0, 4).equals(this.id)) return false;
      const time = this.type === 4 ? bytes.readBigUInt64BE(4) : 0n;
      const message = this.type === 4 ? `cosignature/v1\ntime ${time}\n${text}` : text;
      return verify(
        null,
        Buffer.from(message),
        createPublicKey(this.#key),
        bytes.subarray(this.type === 4 ? 12 : 4),
      );
    });
  }
}

/** The text of a checkpoint. */
export function checkpointText(origin: string, leaves: readonly string[]): string {
  return `${origin}\n${leaves.length}\n${treeHash(leaves).toString('base64')}\n`;
}

/** The body of `POST /add-checkpoint`. */
export function requestOf(old: number, proof: readonly Buffer[], note: string): string {
  return `old ${old}\n${proof.map((one) => `${one.toString('base64')}\n`).join('')}\n${note}`;
}
