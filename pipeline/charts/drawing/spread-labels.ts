export interface LabelPlace {
  /** Where its middle would best be. */
  y: number;
  height: number;
}

/**
 * Middles of labels in one column so that none overlaps another and all lie between `top` and `bottom`, each as near to
 * its wish as its neighbours let it. Where there is no room for all of them, the last ones of the list get null.
 */
export function spreadLabels(labels: readonly LabelPlace[], top: number, bottom: number): (number | null)[] {
  const kept = fitting(labels, bottom - top);
  const order = Array.from({ length: kept }, (_, index) => index).sort((a, b) => labels[a]!.y - labels[b]!.y);
  const starts = order.map((index) => labels[index]!.y - labels[index]!.height / 2);
  const heights = order.map((index) => labels[index]!.height);
  let free = top;
  for (const [at, start] of starts.entries()) {
    starts[at] = Math.max(start, free);
    free = starts[at] + heights[at]!;
  }
  let limit = bottom;
  for (let at = starts.length - 1; at >= 0; at -= 1) {
    limit = Math.min(limit, starts[at]! + heights[at]!) - heights[at]!;
    starts[at] = limit;
  }
  const places: (number | null)[] = labels.map(() => null);
  for (const [at, index] of order.entries()) places[index] = starts[at]! + heights[at]! / 2;
  return places;
}

function fitting(labels: readonly LabelPlace[], room: number): number {
  let used = 0;
  return labels.filter(({ height }) => {
    used += height;
    return used <= room + 1e-9;
  }).length;
}
