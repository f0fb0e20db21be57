/** A member that differs between two JSON documents; undefined where one does not have it. */
export interface ChangedMember {
  /** `sentinels[ATLAS].score`; the element of a list by its name where it has one, else by its place from 0. */
  path: string;
  before: unknown;
  now: unknown;
}

type Members = Record<string, unknown>;

/** The members that differ, in the order of the newer document, with removed ones after those beside them. */
export function changedMembers(before: unknown, now: unknown, path = ''): ChangedMember[] {
  if (isMembers(before) && isMembers(now)) return changedIn(before, now, (name) => join(path, name));
  if (Array.isArray(before) && Array.isArray(now)) {
    const name = nameMember(before, now);
    const [one, other] = [before, now].map((list) => byName(list, name));
    return changedIn(one!, other!, (key) => `${path}[${key}]`);
  }
  return JSON.stringify(before) === JSON.stringify(now) ? [] : [{ path, before, now }];
}

function changedIn(before: Members, now: Members, at: (name: string) => string): ChangedMember[] {
  const names = new Set([...Object.keys(now), ...Object.keys(before)]);
  return [...names].flatMap((name) => changedMembers(before[name], now[name], at(name)));
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first member that every element of both lists has as a text of its own; null if there is none. */
function nameMember(...lists: readonly unknown[][]): string | null {
  const [first] = lists.flat();
  if (!isMembers(first) || !lists.flat().every(isMembers)) return null;
  const isName = (member: string) =>
    lists.every((list) => {
      const values = list.map((element) => (element as Members)[member]);
      return values.every((value) => typeof value === 'string') && new Set(values).size === values.length;
    });
  return Object.keys(first).find(isName) ?? null;
}

/** The elements of a list by their names, or by their places. A name that is a number keeps its place: members have no such order. */
function byName(list: readonly unknown[], name: string | null): Members {
  return Object.fromEntries(
    list.map((element, place) => [name === null ? place : ((element as Members)[name] as string), element]),
  );
}
