import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import lighthouse from 'lighthouse';
import puppeteer from 'puppeteer';
import { expect, test } from 'vitest';
import { findChromium } from '../../pipeline/build/pdf/chromium.ts';
import { formatCheckpoint } from '../../pipeline/ledger/notes/checkpoint.ts';
import { signNote } from '../../pipeline/ledger/notes/note.ts';
import { PAGES } from '../contract/pages/page-kinds.ts';
import { signer } from '../ledger/test-signer.ts';
import { buildFixture } from './build-fixture.ts';
import { servePages } from './serve-pages.ts';

/** Performance is reported and not expected: it says as much about a busy machine as about a page. */
const CATEGORIES = ['accessibility', 'best-practices', 'seo'];
const MEASURED = ['performance', ...CATEGORIES];
/** Of which the points for performance are made. */
const TIMES = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'speed-index',
  'total-blocking-time',
  'cumulative-layout-shift',
];
/** Instead of 30 s, ms. */
const PATIENCE = 150_000;

/** The page of the log lists who signed it. */
const CHECKPOINT = signNote(
  formatCheckpoint({ origin: signer.verifier.name, size: 1000, root: '00'.repeat(32) }),
  signer,
);

/** One page of each kind, but for those that ask search engines to pass by. */
const PATHS = Object.keys(PAGES).filter((path) => !/^(404\.html|embed\/.*)$/.test(path));

test.each(PATHS)(
  '/%s has all points of Lighthouse for accessibility, best practices and SEO',
  async (path) => {
    const built = await buildFixture();
    const { server, origin } = await servePages(built.out, { '/log/checkpoint': CHECKPOINT });
    const profile = await mkdtemp(join(tmpdir(), 'cathedral-lighthouse-'));
    const { CHROMIUM_PATH = null, PATH = '' } = process.env;
    const chromium = findChromium({ configured: CHROMIUM_PATH, path: PATH });
    const browser = await puppeteer.launch({
      executablePath: chromium,
      userDataDir: profile,
      args: ['--no-sandbox'],
      pipe: true,
      timeout: PATIENCE,
    });
    try {
      const limits = { maxWaitForFcp: PATIENCE, maxWaitForLoad: PATIENCE };
      const flags = { onlyCategories: MEASURED, logLevel: 'error', ...limits } as const;
      const result = await lighthouse(`${origin}/${path}`, flags, undefined, await browser.newPage());
      const { audits, categories: all } = result!.lhr;
      const { performance, ...categories } = all;
      const times = TIMES.map((id) => `${audits[id]!.title} ${audits[id]!.displayValue}`).join(', ');
      console.log(`/${path}: performance ${Math.round((performance!.score ?? 0) * 100)} of 100: ${times}`);
      const lost = Object.values(categories).flatMap(({ auditRefs }) =>
        auditRefs.filter(({ id, weight }) => weight > 0 && (audits[id]!.score ?? 1) < 1).map(({ id }) => id),
      );
      expect(lost).toEqual([]);
      expect(Object.entries(categories).map(([id, { score }]) => [id, score])).toEqual(
        CATEGORIES.map((id) => [id, 1]),
      );
    } finally {
      // Set by its logger.
      delete process.env.DEBUG;
      await browser.close();
      server.close();
      await rm(profile, { recursive: true, force: true });
    }
  },
);
