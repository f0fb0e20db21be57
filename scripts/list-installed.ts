import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT } from '../pipeline/config/project.ts';
import { makeTemporaryFolder } from '../pipeline/disk/temporary-folder.ts';

interface Locked {
  name?: string;
  dev?: boolean;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

interface Lock {
  packages: Record<string, Locked>;
}

/**
 * What an installation consists of, with its Node, as `npm sbom` lists it (CycloneDX). Only the locks count, whatever is installed here. Null
 * from npm 9, which Debian has: it says that it does not know the command, and exits with 0.
 */
export async function listInstalled(): Promise<string | null> {
  const [lock, node] = await Promise.all(
    ['npm-shrinkwrap.json', 'scripts/node/npm-shrinkwrap.json'].map(readLock),
  );
  const { optionalDependencies } = node!.packages['']!;
  const root: Locked = {
    ...lock!.packages[''],
    devDependencies: {},
    optionalDependencies: optionalDependencies!,
  };
  const all = Object.entries({ ...node!.packages, ...lock!.packages, '': root });
  const packages = Object.fromEntries(all.filter(([, { dev }]) => !dev));
  // With --omit=dev, npm would leave out whatever development packages need, too. It names the list after the folder.
  await using temporary = makeTemporaryFolder();
  const cwd = join(temporary.path, root.name!);
  await mkdir(cwd);
  await writeFile(join(cwd, 'package.json'), JSON.stringify(root));
  await writeFile(join(cwd, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
  const sbom = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
    cwd,
    encoding: 'utf8',
  });
  return sbom.startsWith('{') ? sbom : null;
}

async function readLock(path: string): Promise<Lock> {
  return JSON.parse(await readFile(join(PROJECT, path), 'utf8')) as Lock;
}
