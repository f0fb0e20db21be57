import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoSigner } from '../pipeline/ledger/demo-key.ts';
import { writeSample } from '../pipeline/sample/write-sample.ts';
import { build } from './build/run-build.ts';

export const GOLDEN_RELEASE = 'test/golden/release';

/** The data files, the schemas and the state of a small release over the turn of a year, by path, as text. */
export async function smallRelease(): Promise<{ files: Record<string, string>; state: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'cathedral-golden-'));
  try {
    const [ledger, out] = [join(folder, 'ledger'), join(folder, 'out')];
    await writeSample({ out: ledger, from: '2025-12-29', to: '2026-01-03', seed: 1 });
    const { manifest } = await build({
      ledger,
      out,
      verifiers: [demoSigner().verifier],
      documents: 'data/documents',
      companions: 'data/keys/companions.json',
      baseUrl: 'https://data.example.org',
      software: 'cathedral-data-service/golden',
      rebuild: false,
      site: false,
      print: null,
      waitMs: 0,
      log: () => {},
    });
    const roots = ['public', 'restricted', 'segments/government'];
    const files = await Promise.all(
      roots.map((root) => readTree(join(out, 'releases', manifest.release), root)),
    );
    const state = await readFile(join(out, 'current/state.json'), 'utf8');
    return { files: Object.assign({}, ...files), state };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Every file below `root` but compressed variants, by its path below `folder`. */
export async function readTree(folder: string, root: string): Promise<Record<string, string>> {
  const entries = await readdir(join(folder, root), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const contents = await Promise.all(
    paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8')]),
  );
  return Object.fromEntries(contents);
}
