import type { DraftFile } from '../format/manifest.ts';

/** A finished file as it is handed to the staging folder. */
export interface NewFile extends Omit<DraftFile, 'media_type' | 'bytes' | 'sha256' | 'encodings'> {
  mediaType: string;
  content: string | Uint8Array;
  /** The data's time at which these bytes first appeared, where that is known and is not this release's. */
  modified?: string;
}
