import type { AnyStateContent } from './chart-forms.ts';
import { rasterise } from './rasterise.ts';

/** The bytes of a chart's file, of its text: a file of pixels is drawn, and not on the event loop. */
export async function chartBytes(text: string, { kind }: AnyStateContent): Promise<Uint8Array> {
  return kind === 'pixels' ? rasterise(text) : Buffer.from(text);
}
