import type { Counts } from '../../../src/sidecar/limits/count-store.ts';

/** The contract in its plainest form, for tests that are about what stands above a store. */
export function memoryCountStore(): Counts {
  const counts = new Map<string, number>();
  const secrets = new Map<string, Uint8Array>();
  const idOf = (...parts: string[]) => parts.join(' ');
  const prune = (days: Map<string, unknown>, before: string) => {
    for (const id of days.keys()) if (id.slice(0, 10) < before) days.delete(id);
  };
  return {
    takeAll: async (takes) =>
      takes.map(({ day, area, subject, limit }) => {
        const id = idOf(day, area, subject);
        const count = counts.get(id) ?? 0;
        if (count >= limit) return null;
        counts.set(id, count + 1);
        return count + 1;
      }),
    count: async (day, area, subject) => counts.get(idOf(day, area, subject)) ?? 0,
    secret: async (day, candidate) => {
      if (!secrets.has(day)) secrets.set(day, candidate);
      return secrets.get(day)!;
    },
    prune: async (before) => {
      prune(counts, before);
      prune(secrets, before);
    },
    check: async () => undefined,
    close: async () => undefined,
  };
}
