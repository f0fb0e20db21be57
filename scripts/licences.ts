import { readFileSync } from 'node:fs';

interface Locked {
  license?: string;
  dev?: boolean;
  /** On which systems and processors it is installed; without them, on all. */
  os?: readonly string[];
  cpu?: readonly string[];
}

/** What packages state only in a form that the lock leaves out, or only in a file. */
const STATED: Readonly<Record<string, string>> = { 'json-bignum': 'MIT' };

/** From where on a package is named for a platform: `sharp-linux-x64`, `@esbuild/linux-x64`. */
const PLATFORM =
  /(?<=[-/])(aix|android|darwin|freebsd|linux|linuxmusl|netbsd|openbsd|openharmony|sunos|wasm32|webcontainers|win32)\b.*$/;

/**
 * The licences of what an installation has, the most frequent first, each with its packages. Of one for several platforms, an installation has one,
 * which stands here once: `sharp-*`.
 */
export function licencesOfDependencies(): (readonly [licence: string, packages: readonly string[]])[] {
  const found = new Map<string, Set<string>>();
  for (const lock of ['../npm-shrinkwrap.json', 'node/npm-shrinkwrap.json']) {
    const { packages } = JSON.parse(readFileSync(new URL(lock, import.meta.url), 'utf8')) as {
      packages: Record<string, Locked>;
    };
    for (const [place, { license, dev, os, cpu }] of Object.entries(packages)) {
      const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
      if (place === '' || dev) continue;
      const licence = license ?? STATED[name];
      if (licence === undefined)
        throw new Error(`${name} states no licence: look, and add it in scripts/licences.ts`);
      const listed = os || cpu ? name.replace(PLATFORM, '*') : name;
      found.set(licence, (found.get(licence) ?? new Set()).add(listed));
    }
  }
  return [...found]
    .map(([licence, names]) => [licence, [...names].sort()] as const)
    .sort(([one, ones], [other, others]) => others.length - ones.length || (one < other ? -1 : 1));
}
