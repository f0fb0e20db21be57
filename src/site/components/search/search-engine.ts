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

/** The part of Pagefind's script that this site uses; it is built with the index. */
interface Pagefind {
  options(options: { excerptLength: number; baseUrl: string }): Promise<void>;
  init(): Promise<void>;
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

const EXCERPT_WORDS = 32;

let loading: Promise<Pagefind> | null = null;

/** Loads the index's script from `address` once. */
export function loadEngine(address: string): Promise<Pagefind> {
  loading ??= import(/* @vite-ignore */ address).then(async (engine: Pagefind) => {
    await engine.options({ excerptLength: EXCERPT_WORDS, baseUrl: '/' });
    await engine.init();
    await engine.filters();
    return engine;
  });
  // Retry after a brief network failure.
  loading.catch(() => {
    loading = null;
  });
  return loading;
}

/** The first `count` results. If a new release has replaced the index since it was loaded, reloads it once. */
export async function search(address: string, query: string, kind: string, count: number): Promise<Page> {
  const engine = await loadEngine(address);
  try {
    return await ask(engine, query, kind, count);
  } catch {
    await engine.destroy();
    await engine.init();
    await engine.filters();
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
