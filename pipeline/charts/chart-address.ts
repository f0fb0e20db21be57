/** Addresses of one chart in one state; `query` is what `formatChartState` gives, empty for the default. */

/** `/charts/supply/?series=burned` */
export function pagePath(id: string, query: string): string {
  return withQuery(`/charts/${id}/`, query);
}

/** `/embed/supply/?series=burned` */
export function embedPath(id: string, query: string): string {
  return withQuery(`/embed/${id}/`, query);
}

export function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}
