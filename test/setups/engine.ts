import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import type { EngineName } from './engines.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the engines of the run are asked for. */
    engines: string;
  }
}

/** How to reach an engine of the run, which is started if no other test did. Throws where it cannot be started. */
export async function engine<T>(name: EngineName): Promise<T> {
  const connection = connect(inject('engines'));
  await once(connection, 'connect');
  connection.write(name);
  const answer = JSON.parse(await text(connection)) as { found: T } | { failed: string };
  if ('failed' in answer) throw new Error(answer.failed);
  return answer.found;
}
