import { fileURLToPath } from 'node:url';
import { defineConfig } from 'astro/config';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
// Set by pipeline/publish/site.ts, for each build its own; without them (`astro dev`, an editor) the defaults hold.
const { CATHEDRAL_SITE_OUT, CATHEDRAL_SITE_CACHE, CATHEDRAL_SITE_DOCUMENTS, CATHEDRAL_SITE_URL } =
  process.env;

export default defineConfig({
  srcDir: here('src'),
  publicDir: here('public'),
  outDir: CATHEDRAL_SITE_OUT ?? here('dist'),
  cacheDir: CATHEDRAL_SITE_CACHE && `${CATHEDRAL_SITE_CACHE}/cache`,
  site: CATHEDRAL_SITE_URL || undefined,
  output: 'static',
  trailingSlash: 'always',
  // The lossless one: the default would join words across lines of the source.
  compressHTML: true,
  // Styles in files, so that a content security policy without inline style is possible.
  build: { format: 'directory', inlineStylesheets: 'never' },
  devToolbar: { enabled: false },
  vite: {
    cacheDir: CATHEDRAL_SITE_CACHE && `${CATHEDRAL_SITE_CACHE}/cache/vite`,
    resolve: { alias: { '@documents': CATHEDRAL_SITE_DOCUMENTS ?? here('data/documents') } },
    // Fonts stay files: one is loaded only where its characters occur.
    build: { assetsInlineLimit: 0 },
  },
});
