import type { Area } from '../../pipeline/artifacts/artifact.ts';

/** Takes a document and gives the verdict on it. */
export const VERIFY_PATH = 'attestations/verify';
/** With the id or the UUID of an attestation. */
export const STATUS_PATH = /^attestations\/([^/]+)\/status$/;
/** As requests of research both count. */
export const COUNTED_AS: Area = 'academics';
