export * from '../contract/commands/seam.ts';
