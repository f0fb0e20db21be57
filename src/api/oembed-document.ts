import { z } from 'zod';

const size = z.int().min(1);

/** An oEmbed 1.0 document of the type `rich` about a chart: `/oembed/<id>.json` of a release. */
export const OembedDocument = z.strictObject({
  version: z.literal('1.0'),
  type: z.literal('rich'),
  title: z.string(),
  provider_name: z.string(),
  provider_url: z.url(),
  /** How long a consumer may cache it, s. */
  cache_age: z.int(),
  /** Size of the frame, px. */
  width: size,
  height: size,
  html: z.string(),
  thumbnail_url: z.url().optional(),
  thumbnail_width: size.optional(),
  thumbnail_height: size.optional(),
});
export type OembedDocument = z.infer<typeof OembedDocument>;
