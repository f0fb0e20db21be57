import type { SiteRelease } from '../release.ts';

/** Reads once for a release what hundreds of its pages need. */
export function perRelease<T>(read: (release: SiteRelease) => T): (release: SiteRelease) => T {
  const known = new WeakMap<SiteRelease, { value: T }>();
  return (release) => {
    const before = known.get(release);
    if (before) return before.value;
    const value = read(release);
    known.set(release, { value });
    return value;
  };
}
