import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../pipeline/release/format/manifest.ts';

/** Who holds it, and nothing else. */
const LOCKS = new Set(['lock', 'lock.holder', 'lock-journal']);

/** What is in a folder, by path: names, links and bytes, but for what says when and by whom it was made. */
export function fingerprint(folder: string): Map<string, string> {
  const prints = new Map<string, string>();
  const visit = (below: string) => {
    for (const name of readdirSync(join(folder, below)).sort()) {
      const path = join(below, name);
      const place = join(folder, path);
      const found = lstatSync(place);
      if (LOCKS.has(name)) continue;
      // A repair takes the one of two names that is free.
      if (found.isSymbolicLink()) prints.set(path, `to ${readlinkSync(place).replace(/-again$/, '')}`);
      else if (found.isDirectory()) visit(path);
      // Times and inodes.
      else if (below.endsWith('out/index')) prints.set(path, 'an index');
      else prints.set(path, sha256(timeless(name, readFileSync(place))));
      if (found.isDirectory()) prints.set(path, 'a folder');
    }
  };
  visit('');
  return prints;
}

function timeless(name: string, bytes: Buffer): Buffer | string {
  if (name === 'status.json') return JSON.stringify({ ...JSON.parse(`${bytes}`), last_run: null });
  if (name.endsWith('.key')) return `${bytes}`.replace(/ \d{4}-\S+Z$/gm, '');
  // A new salt is random.
  if (name === 'head.ndjson') return `${bytes}`.replace(/"salt":"[^"]*"/g, '');
  // Its parts are of the port and the tag of a server.
  if (name === 'mirror.json')
    return JSON.stringify({ ...JSON.parse(`${bytes}`), validator: null, origin: null });
  return bytes;
}

/** In words. */
export function differences(expected: Map<string, string>, found: Map<string, string>): string[] {
  const paths = new Set([...expected.keys(), ...found.keys()]);
  return [...paths]
    .filter((path) => expected.get(path) !== found.get(path))
    .map((path) => {
      if (!found.has(path)) return `${path} is missing`;
      return expected.has(path) ? `${path} is another` : `${path} is left over`;
    });
}
