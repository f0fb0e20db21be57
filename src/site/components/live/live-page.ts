import { followLive } from './follow-live.ts';

// A page with two labels has this script twice.
const { dataset } = document.documentElement;
if (!dataset.following) {
  dataset.following = 'yes';
  void followLive();
}
