import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Page } from './page.ts';
import type { Built } from './seam.ts';

/** Address, without the slash before it → page. */
export type Pages = Map<string, Page>;

export async function readPages({ out }: Built): Promise<Pages> {
  const files = (await readdir(out, { recursive: true })).filter((path) => path.endsWith('.html'));
  const texts = await Promise.all(files.map((path) => readFile(join(out, path), 'utf8')));
  return new Map(files.map((path, place) => [path.replace(/index\.html$/, ''), new Page(texts[place]!)]));
}

/** `page: link` of each link into the service that leads to no page, with the anchor that it names, no public file and nothing `beside` them. */
export async function deadLinks(
  { out, draft }: Built,
  pages: Pages,
  beside: readonly string[],
): Promise<string[]> {
  const data = draft.files.filter(({ restricted }) => !restricted).map(({ path }) => path);
  const files = [...(await readdir(out, { recursive: true })), ...data].map((path) => `/${path}`);
  const targets = new Set([...files, ...beside]);
  const ids = new Map([...pages].map(([address, one]) => [`/${address}`, one.ids]));
  const isDead = (address: string, href: string) => {
    const [rest = '', anchor = ''] = href.split('#');
    // What stands after a question mark is for a script, or for whoever renders on demand; a row after `#row=` is, too.
    const [path = ''] = rest.split('?');
    const target = path === '' ? `/${address}` : path;
    const isThere = ids.has(target) || targets.has(target) || targets.has(`${target}index.html`);
    return !isThere || (anchor !== '' && !anchor.startsWith('row=') && !ids.get(target)?.has(anchor));
  };
  return [...pages].flatMap(([address, { links }]) =>
    links
      .filter((href) => !/^(https?|mailto|data):/.test(href) && isDead(address, href))
      .map((href) => `${address}: ${href}`),
  );
}
