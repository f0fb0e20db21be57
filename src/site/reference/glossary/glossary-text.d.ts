/** Vite’s way to import a file as text. */
declare module '*/glossary.md?raw' {
  const text: string;
  export default text;
}
