import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { listTree } from '../../pipeline/release/disk/list-tree.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { type Built, buildFixture, buildOver } from './build-fixture.ts';
import { unlike } from './unlike-pages.ts';
import { YOUNG_LEDGERS } from './young-ledgers.ts';

/** The API explorer's own style sheet, which somebody else wrote. */
const FOREIGN = '.swagger-ui';

/** Names of classes, ids, attributes and elements that a selector asks for. */
const NAMES = /\.([\w-]+)|#([\w-]+)|\[([\w-]+)|(?<![\w.#:[-])([a-z][\w-]*)(?![\w-]*[("'])/g;

interface Site {
  pages: string[];
  scripts: string;
  /** By path. */
  sheets: Map<string, string>;
}

/** Pages and scripts of a site, and the text of its style sheets. */
async function readSite({ out }: Built): Promise<Site> {
  const { files } = await listTree(out);
  const read = (ending: string) =>
    Promise.all(
      files
        .filter((path) => path.endsWith(ending))
        .map(async (path): Promise<[string, string]> => [path, await readFile(join(out, path), 'utf8')]),
    );
  const [pages, scripts, sheets] = await Promise.all([read('.html'), read('.js'), read('.css')]);
  return {
    pages: unlike(pages).map(([, html]) => html),
    scripts: scripts.map(([, text]) => text).join('\n'),
    sheets: new Map(sheets),
  };
}

/**
 * Runs in a browser. The selectors of a style sheet that match nothing in the pages, whatever the pointer, the keyboard, the
 * medium and the window are. A selector is given without the pseudo-classes and pseudo-elements that only those set.
 */
function unmatchedSelectors({ sheets, pages }: { sheets: string[]; pages: string[] }): string[] {
  const selectors = new Set<string>();
  for (const text of sheets) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    collect(sheet.cssRules, null);
  }
  for (const html of pages) {
    const page = new DOMParser().parseFromString(html, 'text/html');
    // Inside, the parser makes what a page has only in parts: the SVG of a picture, a template.
    const parts = [page, ...[...page.querySelectorAll('template')].map(({ content }) => content)];
    for (const selector of selectors)
      if (parts.some((part) => part.querySelector(selector))) selectors.delete(selector);
  }
  return [...selectors];

  function collect(rules: CSSRuleList, outer: string | null): void {
    for (const rule of rules) {
      if (rule instanceof CSSStyleRule) {
        const own = outer === null ? rule.selectorText : nested(rule.selectorText, outer);
        for (const one of alternatives(own)) selectors.add(one);
        collect(rule.cssRules, own);
      } else if ('cssRules' in rule) collect(rule.cssRules as CSSRuleList, outer);
    }
  }

  function nested(inner: string, outer: string): string {
    return alternatives(inner)
      .map((one) => (one.includes('&') ? one.replaceAll('&', `:is(${outer})`) : `:is(${outer}) ${one}`))
      .join(', ');
  }

  function alternatives(list: string): string[] {
    const parts: string[] = [];
    let depth = 0;
    let from = 0;
    for (let at = 0; at <= list.length; at += 1) {
      if ('(['.includes(list[at] ?? ' ')) depth += 1;
      else if (')]'.includes(list[at] ?? ' ')) depth -= 1;
      else if (at === list.length || (list[at] === ',' && depth === 0)) {
        parts.push(lasting(list.slice(from, at).trim()));
        from = at + 1;
      }
    }
    return parts;
  }

  /** Without what a state sets: `a:hover::before` is `a`. */
  function lasting(selector: string): string {
    const states =
      /::[\w-]+(\([^)]*\))?|:(hover|active|focus|focus-visible|focus-within|target|visited|link|checked|disabled|enabled|open|indeterminate|invalid|valid|user-invalid|user-valid|placeholder-shown|popover-open|modal|autofill|fullscreen|defined)(?![\w-])/g;
    const rest = selector.replace(states, (...match) => {
      const at = match.at(-2) as number;
      return at === 0 || ' >+~('.includes(selector[at - 1]!) ? '*' : '';
    });
    return rest.replaceAll(':not(*)', '') || '*';
  }
}

let sites: Site[];

const browser = useBrowser();

beforeAll(async () => {
  const [full, young] = [await buildFixture(), await buildOver('first-day', YOUNG_LEDGERS['first-day']())];
  sites = [await readSite(full), await readSite(young)];
});

describe('a rule of the style sheets', () => {
  test('matches something on a page, or what a script makes', async () => {
    const pages = sites.flatMap((site) => site.pages);
    const sheets = [...new Map(sites.flatMap((site) => [...site.sheets])).values()].filter(
      (text) => !text.includes(FOREIGN),
    );
    const page = await browser.newPage();
    const unmatched = await page.evaluate(unmatchedSelectors, { sheets, pages });
    // A run makes the pages of its snapshots, which the fixture has not.
    const snapshots = await Promise.all(
      globSync('src/site/components/snapshots/*.astro').map((path) => readFile(path, 'utf8')),
    );
    const made = wordsIn([sites[0]!.scripts, ...snapshots].join('\n'));
    const written = wordsIn(pages.join('\n'));
    const unused = unmatched.filter((selector) => {
      const names = [...selector.matchAll(NAMES)].map((match) => match.slice(1).find(Boolean)!);
      const isMade = (name: string) => made.has(name) || made.has(datasetName(name));
      return !(names.some(isMade) && names.every((name) => isMade(name) || written.has(name)));
    });
    expect(unused).toEqual([]);
  });
});

function wordsIn(text: string): Set<string> {
  return new Set(text.match(/[\w-]+/g));
}

/** How a script names an attribute: `data-is-open` is `dataset.isOpen`. */
function datasetName(name: string): string {
  return name.replace(/^data-/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
