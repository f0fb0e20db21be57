import * as attestations from '../../../docs/attestations.md';
import * as embedding from '../../../docs/embedding.md';
import * as model from '../../../docs/simulation.md';
import * as numbers from '../../../docs/simulation-reference.md';
import { OF_SIMULATION } from './navigation.ts';

/** The documents of `docs/` that are whole pages; that of the simulation's protocol is the beginning of one. */
export const DOCUMENTS = {
  attestations: {
    document: attestations,
    title: 'Companion attestations for implementers',
    heading: 'Companion attestations',
    description:
      'The exact bytes that are signed, every rule of a verifier, and a worked example with openssl, Node and Python.',
    label: 'For implementers',
    area: 'philosophy',
    above: [{ href: '/attestations/', label: 'Attestations' }],
  },
  embedding: {
    document: embedding,
    title: 'Embedding a chart',
    description:
      'How to put a chart into a page of your own: live in a frame, or as a picture that stays; with the code that follows its height, and oEmbed.',
    label: 'About',
    above: [{ href: '/charts/', label: 'Charts' }],
  },
  model: {
    ...OF_SIMULATION,
    document: model,
    title: 'Model of the governance simulation',
    description:
      'Equations, parameters and sources of the governance simulation: opinion dynamics after Friedkin and Johnsen, votes and dissent, and the economy by the published formulas.',
    heading: 'The model',
  },
  numbers: {
    ...OF_SIMULATION,
    document: numbers,
    title: 'Numbers of the governance simulation',
    description:
      'Every number of the governance simulation: the weights of the sentinels, who hears whom, what each choice changes, and how likely events are.',
    heading: 'The numbers',
  },
} as const;
