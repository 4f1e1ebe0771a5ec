// Reads what the tidy tests look at: imports, exports, functions and names used, per source file.
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  isArrowFunction,
  isCallExpression,
  isClassDeclaration,
  isConstructorDeclaration,
  isExportAssignment,
  isExportDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isInterfaceDeclaration,
  isMethodDeclaration,
  isNamedExports,
  isNewExpression,
  isPropertyAccessExpression,
  isSetAccessorDeclaration,
  isStringLiteral,
  isTypeAliasDeclaration,
  isVariableStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API } from 'typescript/unstable/sync';

/** One TypeScript file of the project. Lines count from 1. */
export interface Source {
  /** From the project's root, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  /** Every way to name a module: import, import type, export from, import(), import('…') types. */
  readonly imports: readonly Import[];
  readonly exports: readonly Export[];
  readonly functions: readonly FunctionSpan[];
  /** Identifiers, `object.property` pairs of identifiers, and `new Name()` without arguments. */
  readonly uses: readonly Use[];
  /** True where the file holds nothing but imports and re-exports. */
  readonly isBarrel: boolean;
}

/** One mention of a module. */
export interface Import {
  readonly specifier: string;
  /** The file it names, for a relative specifier; otherwise undefined. */
  readonly target: string | undefined;
  readonly line: number;
}

/** One exported name; `default` for a default export. */
export interface Export {
  readonly name: string;
  readonly line: number;
}

/** Where a function with a body begins and how long it is, its first and last line included. */
export interface FunctionSpan {
  readonly line: number;
  readonly lineCount: number;
  /** The body of a `describe`: a group of tests, no function to be read as one. */
  readonly isSuite: boolean;
}

/** One place where code, not a comment or a string, uses a name. */
export interface Use {
  readonly name: string;
  readonly line: number;
}

/** The project's root directory. */
export const projectRoot = join(fileURLToPath(import.meta.url), '..', '..', '..', '..');

/** Where sources are AssemblyScript, which has a compiler and types of its own. */
const assemblyFolder = join(projectRoot, 'src/data-service/engine/embedded/vectors/graph');

/** The web console, compiled for browsers. */
const consoleFolder = join(projectRoot, 'console');

let known: readonly Source[] | undefined;

/** Every TypeScript and AssemblyScript file that the project compiles, in path order; read once in a process. */
export function readSources(): readonly Source[] {
  known ??= [projectRoot, assemblyFolder, consoleFolder]
    .flatMap((folder) => readWith(new API({ cwd: projectRoot }), projectRoot, folder))
    .sort((left, right) => (left.path < right.path ? -1 : 1));
  return known;
}

/** Reads texts by path, so that the rules can be shown to fail. */
export function readSamples(samples: Readonly<Record<string, string>>): readonly Source[] {
  const root = '/sample';
  const files = Object.entries(samples).map(([path, text]) => [`${root}/${path}`, text] as const);
  const config = { compilerOptions: { noLib: true, types: [], module: 'nodenext' }, include: ['**/*.ts'] };
  const fs = createVirtualFileSystem({
    ...Object.fromEntries(files),
    [`${root}/tsconfig.json`]: JSON.stringify(config),
  });
  return readWith(new API({ cwd: root, fs }), root, root);
}

/** A file that tests something: it may be longer, and it is not shipped. */
export function isTest(source: Source): boolean {
  return source.path.endsWith('.test.ts') || source.path.startsWith('tests/');
}

/** Reads what the configuration in a folder names, by its path from the root. */
function readWith(api: API, root: string, folder: string): readonly Source[] {
  try {
    const config = join(folder, 'tsconfig.json');
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`no project in ${folder}`);
    const names = project.program
      .getSourceFileNames()
      .filter(
        (name) => name.startsWith(root + sep) && !name.includes('node_modules') && !name.endsWith('.d.ts'),
      );
    return names
      .map((name) => project.program.getSourceFile(name))
      .filter((file) => file !== undefined)
      .map((file) => readSource(file, relative(root, file.fileName).replaceAll(sep, '/')))
      .sort((left, right) => (left.path < right.path ? -1 : 1));
  } finally {
    api.close();
  }
}

function readSource(file: SourceFile, path: string): Source {
  const lineStarts = file.getLineStarts();
  // Asked for every name of every file: the first line that starts behind the position, by halves.
  const lineAt = (position: number) => {
    let [low, high] = [0, lineStarts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((lineStarts[middle] ?? 0) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const lineOf = (node: Node) => lineAt(node.getStart(file));
  const nodes = everyNode(file);
  const reading: Reading = { file, lineOf, lineAt };
  return {
    path,
    text: file.text,
    lines: file.text.split('\n'),
    imports: nodes.flatMap((node) => readImport(node, path, reading)),
    exports: file.statements.flatMap((statement) => readExports(statement, reading)),
    functions: nodes.filter(isFunctionWithBody).map((node) => readFunction(node, reading)),
    uses: nodes.flatMap((node) => readUses(node, reading)),
    isBarrel: isBarrel(file),
  };
}

interface Reading {
  readonly file: SourceFile;
  readonly lineOf: (node: Node) => number;
  readonly lineAt: (position: number) => number;
}

function everyNode(root: Node): readonly Node[] {
  const found: Node[] = [];
  const visit = (node: Node): void => {
    found.push(node);
    node.forEachChild(visit);
  };
  visit(root);
  return found;
}

function readImport(node: Node, path: string, { lineOf }: Reading): readonly Import[] {
  const specifier = moduleNamedBy(node);
  if (specifier === undefined || !isStringLiteral(specifier)) return [];
  return [{ specifier: specifier.text, target: resolve(path, specifier.text), line: lineOf(node) }];
}

function moduleNamedBy(node: Node): Node | undefined {
  if (isImportDeclaration(node) || isExportDeclaration(node)) return node.moduleSpecifier;
  if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) return node.arguments[0];
  if (isImportTypeNode(node)) {
    let literal: Node | undefined;
    node.argument.forEachChild((child) => {
      literal = child;
    });
    return literal;
  }
  return undefined;
}

function resolve(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const path = join(from, '..', specifier).replaceAll(sep, '/').replace(/\.as$/, '.as.ts');
  const isMarkup = existsSync(join(projectRoot, path.replace(/\.js$/, '.tsx')));
  return path.replace(/\.js$/, isMarkup ? '.tsx' : '.ts');
}

function readExports(statement: Node, { lineOf }: Reading): readonly Export[] {
  const line = lineOf(statement);
  if (isExportAssignment(statement)) return [{ name: 'default', line }];
  if (isExportDeclaration(statement)) {
    const clause = statement.exportClause;
    if (clause === undefined || !isNamedExports(clause)) return [];
    return clause.elements.map(({ name }) => ({ name: name.text, line: lineOf(name) }));
  }
  const keywords = modifiersOf(statement);
  if (!keywords.includes(SyntaxKind.ExportKeyword)) return [];
  const names = keywords.includes(SyntaxKind.DefaultKeyword) ? ['default'] : declaredNames(statement);
  return names.map((name) => ({ name, line }));
}

function modifiersOf(statement: Node): readonly SyntaxKind[] {
  const kinds: SyntaxKind[] = [];
  statement.forEachChild((child) => {
    kinds.push(child.kind);
  });
  return kinds;
}

function declaredNames(statement: Node): readonly string[] {
  if (isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  const isNamed =
    isFunctionDeclaration(statement) ||
    isClassDeclaration(statement) ||
    isInterfaceDeclaration(statement) ||
    isTypeAliasDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.getText()] : [];
}

function isFunctionWithBody(node: Node): boolean {
  return (
    isArrowFunction(node) ||
    isFunctionExpression(node) ||
    isFunctionDeclaration(node) ||
    isMethodDeclaration(node) ||
    isConstructorDeclaration(node) ||
    isGetAccessorDeclaration(node) ||
    isSetAccessorDeclaration(node)
  );
}

function readFunction(node: Node, { lineOf, lineAt }: Reading): FunctionSpan {
  const line = lineOf(node);
  const call = node.parent;
  const isSuite = isCallExpression(call) && /^describe\b/.test(call.expression.getText());
  return { line, lineCount: lineAt(node.end - 1) - line + 1, isSuite };
}

function readUses(node: Node, { lineOf }: Reading): readonly Use[] {
  const used = nameUsedBy(node);
  return used === undefined ? [] : [{ name: used, line: lineOf(node) }];
}

function nameUsedBy(node: Node): string | undefined {
  if (isIdentifier(node)) return node.text;
  if (isPropertyAccessExpression(node) && isIdentifier(node.expression))
    return `${node.expression.text}.${node.name.text}`;
  const isBareNew = isNewExpression(node) && (node.arguments ?? []).length === 0;
  return isBareNew && isIdentifier(node.expression) ? `new ${node.expression.text}()` : undefined;
}

function isBarrel(file: SourceFile): boolean {
  const statements = [...file.statements];
  return (
    statements.some(isExportDeclaration) &&
    statements.every((statement) => isExportDeclaration(statement) || isImportDeclaration(statement))
  );
}
