export { GET } from '../layout/webmanifest.ts';
