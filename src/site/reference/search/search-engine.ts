/** A page that was found; `data` loads its excerpt. */
interface Found {
  id: string;
  data(): Promise<Result>;
}

export interface Result {
  url: string;
  /** HTML: text with `mark` around the matches. */
  excerpt: string;
  meta: { title?: string };
  filters: { kind?: string[] };
}

interface Search {
  results: Found[];
  /** The number of results of each kind, whichever kind is selected. */
  totalFilters: { kind?: Record<string, number> };
}

interface EngineOptions {
  excerptLength: number;
  baseUrl: string;
}

/** The part of Pagefind's script that this site uses; it is built with the index. */
interface Pagefind {
  options(options: EngineOptions): Promise<void>;
  init(): Promise<void>;
  /** Adds another index, by the address of its folder. */
  mergeIndex(address: string, options: EngineOptions): Promise<void>;
  /** Loads the filters, without which results have no counts. */
  filters(): Promise<unknown>;
  destroy(): Promise<void>;
  search(query: string, options: { filters: { kind?: string } }): Promise<Search>;
}

export interface Page {
  /** The number of results. */
  total: number;
  counts: Readonly<Record<string, number>>;
  results: readonly Result[];
}

/** `baseUrl`: addresses of pages begin there, not at the index. */
const OPTIONS: EngineOptions = { excerptLength: 32, baseUrl: '/' };

let loading: Promise<Pagefind> | null = null;

/** Loads the search from the folder of its indexes, `/search/index/`, once. */
export function loadEngine(folder: string): Promise<Pagefind> {
  loading ??= import(/* @vite-ignore */ `${folder}pagefind.js`).then((engine: Pagefind) =>
    open(engine, folder),
  );
  // Retry after a brief network failure.
  loading.catch(() => {
    loading = null;
  });
  return loading;
}

/** Loads the index of the ordinary pages and those of the archive. */
async function open(engine: Pagefind, folder: string): Promise<Pagefind> {
  const listed = fetch(`${folder}bundles.json`, { cache: 'no-cache' }).then(bundlesIn);
  await engine.options(OPTIONS);
  await engine.init();
  const bundles = await listed;
  await Promise.all(bundles.map((bundle) => engine.mergeIndex(`${folder}${bundle}`, OPTIONS)));
  await engine.filters();
  return engine;
}

async function bundlesIn(response: Response): Promise<string[]> {
  if (!response.ok) throw new Error(`The list of indexes answers ${response.status}`);
  return response.json();
}

/** The first `count` results. If a new release has replaced the index since it was loaded, reloads it once. */
export async function search(folder: string, query: string, kind: string, count: number): Promise<Page> {
  const engine = await loadEngine(folder);
  try {
    return await ask(engine, query, kind, count);
  } catch {
    await engine.destroy();
    await open(engine, folder);
    return ask(engine, query, kind, count);
  }
}

async function ask(engine: Pagefind, query: string, kind: string, count: number): Promise<Page> {
  const filters = kind === '' ? {} : { kind };
  const { results, totalFilters } = await engine.search(query, { filters });
  const shown = await Promise.all(results.slice(0, count).map((found) => found.data()));
  return { total: results.length, counts: totalFilters.kind ?? {}, results: namesakesFirst(shown, query) };
}

/** A query that is a name ranks the page of that name first. */
function namesakesFirst(results: readonly Result[], query: string): Result[] {
  const isNamesake = ({ meta }: Result) => meta.title?.toLowerCase() === query.toLowerCase();
  return [...results.filter(isNamesake), ...results.filter((result) => !isNamesake(result))];
}
