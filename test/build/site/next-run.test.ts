import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import {
  type OpenedSite,
  openProgram,
  type PageList,
  pageListsUrl,
  programIn,
} from '../../../pipeline/build/site/open-program.ts';
import { type Published, readCurrent } from '../../../pipeline/release/format/release.ts';
import { type PublishedPages, publishedPages } from '../../contract/http/published.ts';

let made: PublishedPages;
/** The last of two runs. */
let release: Published;
let site: OpenedSite;
beforeAll(async () => {
  made = await publishedPages();
  release = (await readCurrent(made.out))!;
  const { files, facts } = await programIn(release);
  site = await openProgram(release.dir, files, facts);
});

/** Only these are taken over from an earlier release: those that no new row touches. */
test.each(['decisions', 'deliberations'])(
  'a run that continues another publishes the pages of the %s that its release gives',
  async (archive) => {
    const { body } = await site.render(pageListsUrl(null));
    const lists = JSON.parse(String(body)) as PageList[];
    const { paths } = lists.find(({ kind }) => kind === `/${archive}/[id]`)!;
    const files = paths.map((path) => `${path.slice(1)}index.html`);
    const old = files.filter((file) => made.before.includes(file));
    expect(old.length).toBeGreaterThan(2);
    expect(files.length).toBeGreaterThan(old.length);
    for (const [index, path] of paths.entries()) {
      const { body } = await site.render(path);
      expect(await readFile(join(release.dir, 'public', files[index]!), 'utf8'), path).toBe(String(body));
    }
  },
);
