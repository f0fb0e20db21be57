// The function alone: a page that imports the whole module lazily would have all of its curves in its script.
export { ed25519 } from '@noble/curves/ed25519.js';
