import { iconSvg } from '../components/site/icon-svg.ts';

export function GET() {
  return new Response(iconSvg({ radius: 6, scale: 1 }));
}
