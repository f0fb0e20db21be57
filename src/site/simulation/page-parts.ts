/** The elements of a page that its script fills and reads, by the names in its markup: `data-part` and `data-field`. */
export function partsOf(page: HTMLElement) {
  return {
    part: <T extends Element = HTMLElement>(name: string) => page.querySelector<T>(`[data-part="${name}"]`)!,
    field: <T extends HTMLElement = HTMLInputElement>(name: string) =>
      page.querySelector<T>(`[data-field="${name}"]`)!,
  };
}

export type Part = ReturnType<typeof partsOf>['part'];

/** px; as wide as what the picture stands in. */
export function pictureWidth(place: Element): number {
  return Math.min(1100, Math.max(260, place.parentElement!.clientWidth));
}
