import { readFileSync } from 'node:fs';

interface Locked {
  license?: string;
  dev?: boolean;
}

/** What packages state only in a form that the lock leaves out, or only in a file. */
const STATED: Readonly<Record<string, string>> = { 'json-bignum': 'MIT' };

/** The licences of what an installation has, the most frequent first, each with its packages, those for other platforms too. */
export function licencesOfDependencies(): (readonly [licence: string, packages: readonly string[]])[] {
  const found = new Map<string, Set<string>>();
  for (const lock of ['../npm-shrinkwrap.json', 'node/npm-shrinkwrap.json']) {
    const { packages } = JSON.parse(readFileSync(new URL(lock, import.meta.url), 'utf8')) as {
      packages: Record<string, Locked>;
    };
    for (const [place, { license, dev }] of Object.entries(packages)) {
      const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
      if (place === '' || dev) continue;
      const licence = license ?? STATED[name];
      if (licence === undefined)
        throw new Error(`${name} states no licence: look, and add it in scripts/licences.ts`);
      found.set(licence, (found.get(licence) ?? new Set()).add(name));
    }
  }
  return [...found]
    .map(([licence, names]) => [licence, [...names].sort()] as const)
    .sort(([one, ones], [other, others]) => others.length - ones.length || (one < other ? -1 : 1));
}
