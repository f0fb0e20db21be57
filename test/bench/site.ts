import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { measure, median } from './child.ts';
import { compare, type Report } from './figure.ts';
import { withScratch } from './scratch.ts';

const RUNS = 3;

/** A run that adds the site to a release of a year's data files, against Astro's build of a site of one empty page. */
export async function site(report: Report): Promise<void> {
  return withScratch(async (folder) => {
    const [ledger, out, empty] = ['ledger', 'out', 'empty'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await writeSample({ out: ledger, to: '2026-10-01', seed: 1 });
    await measure('build', [ledger, out]);
    await writeEmptySite(empty);
    const times = { site: [] as number[], empty: [] as number[] };
    for (let run = 0; run < RUNS; run += 1) {
      times.empty.push((await measure('astro', [empty])).ms);
      const copy = `${out}-${run}`;
      await cp(out, copy, { recursive: true, verbatimSymlinks: true });
      times.site.push((await measure('build', [ledger, copy, 'site'])).ms);
    }
    report(
      compare(
        'the site ÷ a site of one empty page',
        median(times.site) / 1000,
        median(times.empty) / 1000,
        's',
      ),
    );
  });
}

async function writeEmptySite(folder: string): Promise<void> {
  await mkdir(join(folder, 'src', 'pages'), { recursive: true });
  await writeFile(
    join(folder, 'src', 'pages', 'index.astro'),
    '<html lang="en"><title>Empty</title></html>\n',
  );
  await writeFile(join(folder, 'package.json'), '{"type":"module"}\n');
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
}
