import { fileURLToPath } from 'node:url';
import node from '@astrojs/node';
import { defineConfig } from 'astro/config';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
// Set by pipeline/build/site/site.ts, for each build its own; without them (`astro dev`, an editor) the defaults hold.
const { CATHEDRAL_SITE_OUT, CATHEDRAL_SITE_CACHE, CATHEDRAL_SITE_DOCUMENTS, CATHEDRAL_SITE_URL } =
  process.env;

const SERVER_ONLY = /\/node_modules\/(csv-stringify|bibtex-parse)\//;

export default defineConfig({
  srcDir: here('src/site'),
  publicDir: here('public'),
  outDir: CATHEDRAL_SITE_OUT ?? here('dist'),
  cacheDir: CATHEDRAL_SITE_CACHE && `${CATHEDRAL_SITE_CACHE}/cache`,
  site: CATHEDRAL_SITE_URL || undefined,
  output: 'static',
  // The few pages that depend on the query, see src/sidecar/pages-on-demand. Sessions and images have no use here, and what
  // is not there needs no folder to write to.
  adapter: node({ mode: 'middleware' }),
  session: false,
  integrations: [
    {
      name: 'show-directions',
      hooks: {
        'astro:config:setup': ({ addMiddleware }) =>
          addMiddleware({
            order: 'post',
            entrypoint: new URL('src/site/layouts/show-directions.ts', import.meta.url),
          }),
      },
    },
  ],
  image: { service: { entrypoint: 'astro/assets/services/noop' } },
  trailingSlash: 'always',
  // The lossless one: the default would join words across lines of the source.
  compressHTML: true,
  // Styles in files, so that a content security policy without inline style is possible.
  build: {
    format: 'directory',
    inlineStylesheets: 'never',
    client: CATHEDRAL_SITE_OUT ?? here('dist'),
    server: CATHEDRAL_SITE_CACHE ? `${CATHEDRAL_SITE_CACHE}/server` : here('dist-server'),
  },
  devToolbar: { enabled: false },
  // Colours of code would be inline styles.
  markdown: { syntaxHighlight: false },
  vite: {
    cacheDir: CATHEDRAL_SITE_CACHE && `${CATHEDRAL_SITE_CACHE}/cache/vite`,
    resolve: { alias: { '@documents': CATHEDRAL_SITE_DOCUMENTS ?? here('data/documents') } },
    environments: {
      // It runs from the release's folder, where there are no packages; names without a hash, which would be one of paths of
      // this machine.
      ssr: {
        resolve: { noExternal: true },
        build: { minify: true, rolldownOptions: { output: { chunkFileNames: 'chunks/[name].mjs' } } },
      },
    },
    // Fonts stay files: one is loaded only where its characters occur.
    build: { assetsInlineLimit: 0 },
    // Charts in the browser come with modules that write files on a server. What only those import is left out: it does
    // not say of itself that it may be, and csv-stringify needs a Buffer as soon as it is loaded.
    worker: { rolldownOptions: { treeshake: { moduleSideEffects: (id) => !SERVER_ONLY.test(id) } } },
  },
});
