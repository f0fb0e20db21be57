/** What is answered; everything is read-only. */
export const METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** The header of that name. */
export const ALLOW = METHODS.join(', ');
