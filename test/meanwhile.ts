type IsOver = () => boolean;

/**
 * Does `work`, and beside it each of `others`, which go on until `isOver`. The first failure ends all of them, and is thrown when all have
 * ended: what is still at work would fail again in what the test has closed, and nobody would hear of the first failure.
 */
export async function meanwhile<T>(
  work: (isOver: IsOver) => Promise<T>,
  ...others: ((isOver: IsOver) => Promise<unknown>)[]
): Promise<T> {
  const failures: unknown[] = [];
  let hasEnded = false;
  const isOver = () => hasEnded || failures.length > 0;
  const failed = (error: unknown): void => void failures.push(error);
  const beside = others.map((other) => other(isOver).catch(failed));
  const result = await work(isOver).catch(failed);
  hasEnded = true;
  await Promise.all(beside);
  if (failures.length > 0) throw failures[0];
  return result as T;
}
