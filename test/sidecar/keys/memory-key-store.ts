import { keyStatus } from '../../../src/sidecar/keys/key-status.ts';
import type { KeyRecord, KeyStore, NewKey, Verification } from '../../../src/sidecar/keys/key-store.ts';

type Stored = Omit<KeyRecord, 'replacedBy'>;
type Code = Verification & { tries: number; usedAt: number | null };

/** The second engine, in plain maps: what the contract test says twice, no engine can get wrong alone. */
export function memoryKeyStore(): KeyStore {
  const holders = new Map<string, string>();
  const keys = new Map<string, Stored>();
  const codes: Code[] = [];

  const successors = (id: string) =>
    [...keys.values()].filter((key) => key.replaces === id && key.revokedAt === null);
  const view = (key: Stored | undefined): KeyRecord | null =>
    key === undefined
      ? null
      : { ...key, replacedBy: successors(key.id).find((next) => next.deliveredAt !== null)?.id ?? null };
  const change = (id: string, isAllowed: (key: Stored) => boolean, changes: Partial<Stored>): boolean => {
    const key = keys.get(id);
    if (!key || !isAllowed(key)) return false;
    Object.assign(key, changes);
    return true;
  };

  return {
    async addKey(key: NewKey) {
      if (key.replaces !== null && successors(key.replaces).length > 0) return false;
      if (!holders.has(key.email)) holders.set(key.email, key.holder);
      const holder = holders.get(key.email)!;
      keys.set(key.id, { ...key, holder, revokedAt: null, revokedFor: null, notifiedAt: null });
      return true;
    },
    async activateKey(id, at, replacedEndsAt) {
      const isOpen = (key: Stored) => key.deliveredAt === null && key.revokedAt === null;
      if (!change(id, isOpen, { deliveredAt: at })) return false;
      const replaced = keys.get(keys.get(id)!.replaces ?? '');
      if (replaced) replaced.expiresAt = Math.min(replaced.expiresAt, replacedEndsAt);
      return true;
    },
    async keyByHash(hash) {
      return view([...keys.values()].find((key) => key.hash === hash));
    },
    async keyById(id) {
      return view(keys.get(id));
    },
    async keys() {
      const byId = (a: Stored, b: Stored) => (a.id < b.id ? -1 : 1);
      const sorted = [...keys.values()].sort((a, b) => b.issuedAt - a.issuedAt || byId(a, b));
      return sorted.map((key) => view(key)!);
    },
    async expiries(now) {
      const inUse = [...keys.values()]
        .map((key) => view(key)!)
        .filter((key) => keyStatus(key, now) === 'active');
      return inUse.map(({ expiresAt }) => expiresAt);
    },
    async revokeKey(id, at, reason) {
      return change(id, (key) => key.revokedAt === null, { revokedAt: at, revokedFor: reason });
    },
    async claimNotice(id, at) {
      return change(id, (key) => key.notifiedAt === null, { notifiedAt: at });
    },
    async releaseNotice(id) {
      change(id, () => true, { notifiedAt: null });
    },
    async addVerification(verification, { since, perAddress, total }) {
      const isOver = (code: Code) =>
        code.usedAt === null && code.createdAt < since && code.expiresAt <= verification.createdAt;
      codes.splice(0, codes.length, ...codes.filter((code) => !isOver(code)));
      const recent = codes.filter(({ createdAt }) => createdAt >= since);
      const ofAddress = recent.filter(({ email }) => email === verification.email);
      if (ofAddress.length >= perAddress) return 'address_quota';
      if (recent.length >= total) return 'total_quota';
      codes.push({ ...verification, tries: 0, usedAt: null });
      return 'added';
    },
    async withdrawVerification(id) {
      const index = codes.findIndex((code) => code.id === id && code.usedAt === null);
      if (index >= 0) codes.splice(index, 1);
    },
    async tryCode(email, codeHash, at, maxTries) {
      const newest = codes
        .filter((code) => code.email === email)
        .sort((a, b) => b.createdAt - a.createdAt)[0];
      if (!newest || newest.usedAt !== null || newest.expiresAt <= at) return 'none';
      if (newest.tries >= maxTries) return 'spent';
      newest.tries += 1;
      if (newest.codeHash !== codeHash) return 'wrong';
      newest.usedAt = at;
      return 'verified';
    },
    async verifiedAt(email) {
      const used = codes.filter((code) => code.email === email && code.usedAt !== null);
      return used.length === 0 ? null : Math.max(...used.map(({ usedAt }) => usedAt!));
    },
    async close() {},
  };
}
