/** What a subscription can be for. */
export const WEBHOOK_TYPES = {
  'release.published': 'A release with new data is published.',
  'alert.raised': 'An alert is in the public list of alerts that was not there before.',
  'threshold.crossed':
    'Minting stopped or went on: the integrity index fell below its threshold, or is back above it.',
  'decision.recorded': 'A decision is in the archive of decisions.',
} as const;

export type WebhookType = keyof typeof WEBHOOK_TYPES;
