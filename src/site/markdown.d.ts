/** Vite’s way to import a file as text. */
declare module '*.md?raw' {
  const text: string;
  export default text;
}
