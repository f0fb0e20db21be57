/** One page that was found; `data` loads what is shown of it. */
interface Found {
  id: string;
  data(): Promise<Result>;
}

export interface Result {
  url: string;
  /** HTML: text with `mark` around what was found. */
  excerpt: string;
  meta: { title?: string };
  filters: { kind?: string[] };
}

interface Search {
  results: Found[];
  /** How many there would be of each kind, whichever is chosen. */
  totalFilters: { kind?: Record<string, number> };
}

/** What is used of Pagefind's script, which is made with the index. */
interface Pagefind {
  options(options: { excerptLength: number; baseUrl: string }): Promise<void>;
  init(): Promise<void>;
  /** Loads what results are counted by; without it there are no counts. */
  filters(): Promise<unknown>;
  destroy(): Promise<void>;
  search(query: string, options: { filters: { kind?: string } }): Promise<Search>;
}

export interface Page {
  /** All that were found. */
  total: number;
  counts: Readonly<Record<string, number>>;
  results: readonly Result[];
}

const EXCERPT_WORDS = 32;

let loading: Promise<Pagefind> | null = null;

/** Loads the index's own script once; `address` is where it lies. */
export function loadEngine(address: string): Promise<Pagefind> {
  loading ??= import(/* @vite-ignore */ address).then(async (engine: Pagefind) => {
    await engine.options({ excerptLength: EXCERPT_WORDS, baseUrl: '/' });
    await engine.init();
    await engine.filters();
    return engine;
  });
  // A network that was down for a moment is asked again.
  loading.catch(() => {
    loading = null;
  });
  return loading;
}

/** The first `count` results. A release may have come since the index was loaded: then it is loaded anew, once. */
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

/** Who types a name wants its page, whatever else speaks of it. */
function namesakesFirst(results: readonly Result[], query: string): Result[] {
  const isNamesake = ({ meta }: Result) => meta.title?.toLowerCase() === query.toLowerCase();
  return [...results.filter(isNamesake), ...results.filter((result) => !isNamesake(result))];
}
