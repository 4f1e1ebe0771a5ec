// Types of the library, which has none.
declare module 'fold-to-ascii' {
  const folder: { foldMaintaining(text: string): string };
  export = folder;
}
