/**
 * Runs `work` on every item, at most `limit` at once. After a failure no further item begins, and the first error is thrown once
 * those that had begun have ended.
 */
export async function inParallel<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failed = false;
  const lane = async () => {
    for (let next = queue.next(); !next.done && !failed; next = queue.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: limit }, lane));
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
}
