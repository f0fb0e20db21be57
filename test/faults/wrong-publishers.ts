import { registerHooks } from 'node:module';

interface Mistake {
  /** The scenario that shows it. */
  scenario: string;
  /** By file of the program, what is written there and what is to be read instead. */
  changes: Readonly<Record<string, readonly (readonly [string, string])[]>>;
}

/** The program with one mistake in it: what a sweep has to find, or it would not find ours. */
export const MISTAKES: Readonly<Record<string, Mistake>> = {
  'writes a file in its place': {
    scenario: 'rotate',
    changes: {
      'pipeline/ledger/notes/note-keys.ts': [
        [
          'await renameDurably(await writeBeside(file, text, { mode: 0o600, exclusive: true }), file, true);',
          "await (await import('node:fs/promises')).writeFile(file, text, { mode: 0o600, flush: true });",
        ],
      ],
    },
  },
  'acknowledges an event that is not flushed': {
    scenario: 'an event appended',
    changes: {
      'pipeline/ledger/writing/head-and-snapshot-files.ts': [['await file.sync();', '']],
    },
  },
  'renames a file that is not flushed': {
    scenario: 'replace',
    changes: {
      'pipeline/disk/durable.ts': [
        [
          'await handle.writeFile(content);\n    if (durable) await handle.sync();',
          'await handle.writeFile(content);',
        ],
      ],
    },
  },
  'shows a release before it is flushed': {
    scenario: 'first run',
    changes: { 'pipeline/release/staging/commit.ts': [['await folder.flush();', '']] },
  },
  'swaps the link by taking it away': {
    scenario: 'next run',
    changes: {
      'pipeline/release/disk/swap-current.ts': [
        [
          "await rename(next, join(out, 'current'));",
          "await rm(join(out, 'current'), { force: true });\n  await rename(next, join(out, 'current'));",
        ],
      ],
    },
  },
  'links to a release whose name is not flushed': {
    scenario: 'next run',
    changes: {
      'pipeline/release/disk/swap-current.ts': [['if (names.length > 0) await sync(releases);', '']],
    },
  },
  'makes folders whose names are not flushed': {
    scenario: 'first run',
    changes: { 'pipeline/disk/durable.ts': [['await sync(dirname(at));', '{}']] },
  },
  'shows the checkpoint before the tiles': {
    scenario: 'next run',
    changes: {
      'pipeline/release/log/staged-log.ts': [
        [
          'await this.place();\n    await publishCheckpoint(this.out, note);',
          'await publishCheckpoint(this.out, note);\n    await this.place();',
        ],
      ],
    },
  },
  'does not flush tiles': {
    scenario: 'next run',
    changes: { 'pipeline/release/log/staged-log.ts': [['await this.#staged?.flush();', '']] },
  },
  'makes a snapshot where it is seen': {
    scenario: 'next run',
    changes: {
      'pipeline/build/snapshots/publish-snapshot.ts': [
        [
          'const made = await asDiskErrors(out, () => mkdtemp(join(out, SNAPSHOT_STAGING)));',
          'const made = target;\n  await asDiskErrors(out, () => makeFolder(made));',
        ],
        ['await rename(made, target);', ''],
        ['await folder.remove().catch(() => {});', ''],
      ],
    },
  },
  'removes a snapshot whose new name is not flushed': {
    scenario: 'a snapshot that goes',
    changes: {
      'pipeline/release/disk/remove-left-overs.ts': [
        ['await asDiskErrors(folder, () => sync(folder));', 'await asDiskErrors(folder, async () => {});'],
      ],
    },
  },
  'goes on after a flush that failed': {
    scenario: 'rotate',
    changes: {
      'pipeline/disk/durable.ts': [
        ['if (durable) await handle.sync();', 'if (durable) await handle.sync().catch(() => {});'],
      ],
    },
  },
  'leaves what it has begun': {
    scenario: 'next run',
    changes: {
      'pipeline/release/disk/remove-left-overs.ts': [['if (name.startsWith(prefix))', 'if (out === name)']],
    },
  },
  'mirrors files that are not flushed': {
    scenario: 'a mirror that goes on',
    changes: { 'pipeline/mirror/fetch-blob.ts': [['await this.#handle.sync()', 'await Promise.resolve()']] },
  },
  'tells of tiles that are not flushed': {
    scenario: 'a mirror that goes on',
    changes: {
      'pipeline/mirror/local-tiles.ts': [
        ['await asDiskErrors(this.#log, () => syncAll(kept, [...folders]));', ''],
      ],
    },
  },
};

/** Has the program read with a mistake in it from now on. Throws where the program no longer says what is to be changed. */
export function plantMistake(name: string): void {
  const { changes } = MISTAKES[name]!;
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const file = Object.keys(changes).find((one) => url.endsWith(`/${one}`));
      return file === undefined ? loaded : { ...loaded, source: withMistake(name, file, `${loaded.source}`) };
    },
  });
}

/** The text of a file of the program with a mistake. Throws where it does not say once what is to be changed. */
export function withMistake(name: string, file: string, text: string): string {
  return MISTAKES[name]!.changes[file]!.reduce((before, [from, to]) => {
    if (before.split(from).length !== 2) throw new Error(`${file} does not say once: ${from}`);
    return before.replace(from, to);
  }, text);
}
