import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, test } from 'vitest';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import { sha256 } from '../../pipeline/release/format/manifest.ts';
import { createExporter } from '../../src/sidecar/export/exporter.ts';
import { Releases } from '../../src/sidecar/files/releases.ts';
import { ServedSnapshots } from '../../src/sidecar/files/served-snapshots.ts';
import { issueKey } from '../../src/sidecar/keys/key-life.ts';
import {
  curl,
  curlOfVersion,
  duckdb,
  python,
  r,
  type Source,
  snippetsOf,
  sourceOf,
  stata,
} from '../../src/site/files/snippets.ts';
import { SiteRelease } from '../../src/site/layout/release.ts';
import { ORGANISATION } from '../organisation.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { GOVERNMENT } from '../sidecar/keys/tiny-key-services.ts';
import { tinyApp } from '../sidecar/tiny-app.ts';
import { type FilesRelease, filesRelease } from './files-release.ts';

const run = promisify(execFile);
/** What the release has: it is made without printed files. */
const SERVED = ARTIFACTS.filter(({ kind }) => kind !== 'printed');
/** A distribution's own Python is the one that has its packages. */
const PATH = `/usr/bin:${process.env.PATH}`;
const hasPandas = await succeeds('python3', ['-c', 'import pandas']);
const hasR = await succeeds('Rscript', ['-e', 'library(jsonlite)']);

let release: FilesRelease;

beforeAll(async () => {
  release = await filesRelease();
});

async function succeeds(program: string, args: string[]): Promise<boolean> {
  return run(program, args, { env: { ...process.env, PATH } }).then(
    () => true,
    () => false,
  );
}

/** The real server over the release, examples written for its address, and a government key. */
async function served() {
  const releases = new Releases(release.out, () => {});
  const exporter = createExporter({ current: () => releases.current() });
  const { app, keys } = await tinyApp(release.out, {
    guarded: true,
    services: { exporter, snapshots: new ServedSnapshots(release.out) },
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const office = { store: keys, mailer: null, now: Date.now, randomBytes, baseUrl: origin };
  const { key } = await issueKey({ ...GOVERNMENT, deliver: 'print' }, office);
  const site = new SiteRelease(release.draft, {
    baseUrl: origin,
    organisation: ORGANISATION,
  });
  const folder = await temporaryFolder();
  const sources = SERVED.map((artifact) => ({ artifact, source: sourceOf(site, artifact) }));
  const env = { ...process.env, PATH, API_KEY: key! };
  return { sources, folder, key: key!, env };
}

test('the examples for Python and R read only empty cells as missing: an id may be NA', () => {
  const site = new SiteRelease(release.draft, {
    baseUrl: 'https://data.example.org',
    organisation: ORGANISATION,
  });
  for (const artifact of SERVED) {
    const source = sourceOf(site, artifact);
    if (source.shape.kind !== 'csv') continue;
    expect(python(source).code, artifact.path).toContain('keep_default_na=False, na_values=[""]');
    expect(r(source).code, artifact.path).toContain('na.strings = ""');
  }
});

describe('the example for curl', () => {
  test('saves every file, with the key where one is needed', async () => {
    const { sources, folder, env } = await served();
    for (const { artifact, source } of sources) {
      await run('sh', ['-c', curl(source).code], { cwd: folder, env });
      const saved = await readFile(join(folder, source.fileName), 'utf8');
      if (source.shape.kind === 'csv') expect(saved, artifact.path).toMatch(/^(timestamp|date),/);
      else if (source.shape.kind === 'bibtex') expect(saved).toContain('@software{');
      else expect(JSON.parse(saved), artifact.path).toBeTypeOf('object');
    }
  });

  test('run again, leaves a file that has not changed as it is', async () => {
    const { sources, folder, env } = await served();
    const { source } = sources.find(({ artifact }) => artifact.path === 'economy/supply')!;
    await run('sh', ['-c', curl(source).code], { cwd: folder, env });
    await writeFile(join(folder, source.fileName), 'mine');
    await run('sh', ['-c', curl(source).code], { cwd: folder, env });
    expect(await readFile(join(folder, source.fileName), 'utf8')).toBe('mine');
  });

  test('saves exactly one version, and says so if the bytes are others', async () => {
    const { sources, folder, env } = await served();
    const { source } = sources.find(({ artifact }) => artifact.path === 'economy/mic-history.csv')!;
    const text = readFileSync(join(release.draft, 'public/economy/mic-history.csv'));
    const pinned = curlOfVersion(source.url, source.fileName, sha256(text));
    const { stdout } = await run('sh', ['-ec', pinned], { cwd: folder, env });
    expect(stdout).toBe('mic-history.csv: OK\n');
    const other = pinned.replace(/echo './, "echo 'x");
    await expect(run('sh', ['-ec', other], { cwd: folder, env })).rejects.toThrow();
  });

  test('fails without the key', async () => {
    const { sources, folder, env } = await served();
    for (const { source } of sources.filter(({ artifact }) => artifact.restricted)) {
      const without = run('sh', ['-c', curl(source).code], { cwd: folder, env: { ...env, API_KEY: '' } });
      await expect(without).rejects.toMatchObject({ code: 22 });
    }
  });
});

/** DuckDB's reader of addresses is an extension that it loads from elsewhere: the files are fetched for it. */
async function fetched(sql: string, folder: string): Promise<string> {
  let text = sql;
  for (const [index, url] of (text.match(/http:[^']+/g) ?? []).entries()) {
    const answer = await fetch(url);
    expect(answer.status, url).toBe(200);
    const path = join(folder, `${index}.data`);
    await writeFile(path, Buffer.from(await answer.arrayBuffer()));
    text = text.replace(url, path);
  }
  return text;
}

async function rowCounts(sql: string): Promise<number[]> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const counts: number[] = [];
  for (const statement of sql.split(';').filter((one) => one.trim() !== '')) {
    counts.push((await connection.runAndReadAll(statement)).currentRowCount);
  }
  connection.closeSync();
  return counts;
}

/** Rows of a file's first table, where it has one. */
async function rowsOf({ shape, url }: Source): Promise<number | null> {
  const lines = shape.kind === 'lines' ? shape.url : url.replace(/\.csv$/, '.ndjson');
  if (!lines.endsWith('.ndjson')) return null;
  const answer = await fetch(lines);
  return answer.ok ? (await answer.text()).split('\n').length - 1 : null;
}

describe('the example for DuckDB', () => {
  test('reads each file as the rows that it has, and its Parquet files as the same', async () => {
    const { sources, folder, env } = await served();
    for (const { artifact, source } of sources) {
      const snippet = duckdb(source);
      if (snippet === null) continue;
      const saved = snippet.code.replace(`'${source.fileName}'`, `'${join(folder, source.fileName)}'`);
      if (artifact.restricted) await run('sh', ['-c', curl(source).code], { cwd: folder, env });
      const counts = await rowCounts(await fetched(saved, folder));
      const rows = (await rowsOf(source)) ?? counts[0]!;
      expect(counts, artifact.path).toEqual(
        source.parquet.length > 0 && source.shape.kind === 'csv' ? [rows, rows] : [rows],
      );
    }
  });
});

/** Runs every example by itself in one process, for starting takes longest, and prints the rows of its data frame. */
const RUN_ALL = {
  python: `import json, sys
for path, code in json.load(open(sys.argv[1])).items():
    names = {}
    exec(code, names)
    print(f"{path} {len(names['df'])}")`,
  r: `codes <- jsonlite::fromJSON(commandArgs(TRUE)[1])
for (path in names(codes)) {
  own <- new.env()
  capture.output(eval(parse(text = codes[[path]]), own))
  cat(path, if (is.null(own$df)) "none" else nrow(own$df), "\\n")
}`,
};

type Served = Awaited<ReturnType<typeof served>>;

/** By path, the rows that the tool found. */
async function framesOf(program: string, script: string, codes: object, { folder, env }: Served) {
  const [file, input] = [join(folder, 'all'), join(folder, 'codes.json')];
  await Promise.all([writeFile(file, script), writeFile(input, JSON.stringify(codes))]);
  const { stdout } = await run(program, [file, input], { cwd: folder, env });
  const found = [...stdout.matchAll(/^(\S+) (\d+|none) ?$/gm)];
  return new Map(found.map(([, path, rows]) => [path!, rows!]));
}

describe.each([
  {
    tool: 'Python with pandas',
    program: 'python3',
    has: hasPandas,
    script: RUN_ALL.python,
    of: python,
    oldestFirst: (time: string) => `assert df["${time}"].is_monotonic_increasing`,
    isBoolean: (name: string) => `assert df["${name}"].dtype == bool`,
  },
  {
    tool: 'R',
    program: 'Rscript',
    has: hasR,
    script: RUN_ALL.r,
    of: r,
    oldestFirst: (time: string) => `stopifnot(!is.unsorted(df$${time}))`,
    isBoolean: (name: string) => `stopifnot(is.logical(df$${name}))`,
  },
])('the example for $tool', ({ program, has, script, of, oldestFirst, isBoolean }) => {
  test.runIf(has)(
    'makes a data frame with the rows of each file, the oldest of a history first',
    async () => {
      const all = await served();
      for (const { source } of all.sources.filter(({ artifact }) => artifact.restricted))
        await run('sh', ['-c', curl(source).code], { cwd: all.folder, env: all.env });
      const tables = all.sources.filter(({ source }) => source.shape.kind !== 'bibtex');
      const codes = tables.map(({ artifact, source }) => {
        const { shape, booleans, isNewestFirst } = source;
        const checked = shape.kind === 'csv' ? booleans.map(isBoolean) : [];
        if (shape.kind === 'csv' && shape.time && isNewestFirst) checked.push(oldestFirst(shape.time.name));
        return [artifact.path, [of(source).code, ...checked].join('\n')];
      });
      const frames = await framesOf(program, script, Object.fromEntries(codes), all);
      expect([...frames.keys()]).toEqual(tables.map(({ artifact }) => artifact.path));
      for (const { artifact, source } of tables) {
        const rows = await rowsOf(source);
        if (rows !== null) expect(frames.get(artifact.path), artifact.path).toBe(String(rows));
      }
    },
  );
});

/** Every option of `import delimited` that is used, as its manual ([D] import delimited) spells it. */
const STATA_OPTION =
  /^(clear|varnames\(1\)|case\(preserve\)|encoding\("UTF-8"\)|bindquote\(strict\)|asdouble|stringcols\([\d ]+\))$/;

// Stata is not in Debian, so nothing runs these: what they are made of is checked.
describe('the examples for Stata', () => {
  test('of each table name its address, its types and its time', async () => {
    const { sources } = await served();
    for (const { artifact, source } of sources) {
      const { shape, columns, texts, url, fileName, restricted } = source;
      if (shape.kind !== 'csv') continue;
      const { code } = stata(source)!;
      const [, from, options] = /^import delimited using "([^"]+)", \/\/\/\n {4}(.+)$/m.exec(code)!;
      expect(from, artifact.path).toBe(restricted ? fileName : url);
      const all = options!.match(/[a-z]+(\([^)]*\))?/g)!;
      for (const option of all) expect(option, artifact.path).toMatch(STATA_OPTION);
      const strings = /stringcols\(([\d ]+)\)/.exec(options!)?.[1]?.split(' ').map(Number) ?? [];
      expect(strings, artifact.path).toEqual(texts);
      for (const place of strings) expect(columns[place - 1], artifact.path).toBeDefined();
      const { name, type } = shape.time!;
      const parsed = type === 'date' ? `daily(${name}, "YMD")` : `clock(${name}, "YMD#hms#")`;
      expect(code, artifact.path).toContain(parsed);
      const [, made] = /^generate \w+ (\w+) =/m.exec(code)!;
      expect(columns, artifact.path).not.toContain(made);
      expect(code, artifact.path).toMatch(new RegExp(`^format ${made} %t[cd]\nsort ${made}, stable$`, 'm'));
      // A dollar sign begins a global macro.
      expect(code, artifact.path).not.toContain('$');
    }
  });
});

describe('the examples of a file', () => {
  test('send a key for curl alone, where one is needed, and never write one down', async () => {
    const { sources, key } = await served();
    for (const { artifact, source } of sources) {
      for (const { tool, code } of snippetsOf(source)) {
        const place = `${artifact.path}, ${tool}`;
        expect(/API_KEY|YOUR_KEY/.test(code), place).toBe(artifact.restricted && tool === 'curl');
        expect(code, place).not.toContain(key);
        expect(code, place).not.toMatch(/undefined|null/);
      }
    }
  });

  test('are for every tool where it is a table, and for those that save it where it is not', async () => {
    const { sources } = await served();
    const toolsOf = (path: string) =>
      snippetsOf(sources.find(({ artifact }) => artifact.path === path)!.source).map(({ tool }) => tool);
    const common = ['curl', 'Python (pandas)', 'R', 'Stata', 'DuckDB', 'Excel'];
    expect(toolsOf('economy/mic-history.csv')).toEqual([...common, 'Google Sheets']);
    expect(toolsOf('economy/roi')).toEqual([...common, 'Google Sheets']);
    expect(toolsOf('government/policy-impact.json')).toEqual(['curl', 'Python (pandas)', 'R', 'DuckDB']);
    expect(toolsOf('academics/citations.bib')).toEqual(['curl', 'Python', 'R', 'LaTeX']);
  });
});
