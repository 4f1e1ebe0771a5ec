// Finds sections of the project's documents, and the paths that they name.

/** What stands below a heading of the second level. */
export function sectionOf(text: string, heading: string): string {
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  return section.split('\n## ')[0] ?? '';
}

/** Code that is a path: a TypeScript file or a document, a folder with `/` at its end, `…/` and the end of a path. */
export function pathsIn(text: string): readonly string[] {
  const code = [...text.matchAll(/`([^`\n]+)`/g)].map(([, inner = '']) => inner.replace(/^…(?=\/)/, ''));
  const isPath = /^(\/?[\w.-]+(\/[\w.-]+)*(\.ts|\.md|\.json|\/)|\/[\w-]+|src(\/[\w-]+)+)$/;
  return code.filter((one) => isPath.test(one)).map((path) => path.replace(/^dist\//, ''));
}
