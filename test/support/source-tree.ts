/** The source as the architecture test sees it: files with their imports, functions and uses of globals. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

export interface SourceFile {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

export interface Import {
  /** Path of one of our files, or a package's name. */
  readonly target: string;
  /** `import type`: erased, so it loads nothing. `import { type X }` does load its module and is not one. */
  readonly typeOnly: boolean;
}

export interface FunctionSpan {
  readonly name: string;
  readonly lines: number;
}

/** Every `.ts` file below a folder of the repository. */
export function readSourceTree(root: string, folder: string): readonly SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .sort()
    .map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')));
}

export function parseSource(path: string, text: string): SourceFile {
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
}

/** Static imports, re-exports and `import()` with a literal name. */
export function importsOf(file: SourceFile): readonly Import[] {
  const found: Import[] = [];
  walk(file.tree, (node) => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) found.push({ target: resolve(file.path, specifier), typeOnly: isTypeOnly(node) });
  });
  return found;
}

/** Every function, method and arrow with its length in lines, blank ones left out. */
export function functionsOf(file: SourceFile): readonly FunctionSpan[] {
  const found: FunctionSpan[] = [];
  walk(file.tree, (node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return;
    const lines = node
      .getText()
      .split('\n')
      .filter((line) => line.trim() !== '').length;
    found.push({ name: nameOf(node), lines });
  });
  return found;
}

/** Uses of globals, as written: `console.log`, `process.env`, `Math.random`, `Date()` for a bare call or `new`. */
export function globalUsesOf(file: SourceFile): readonly string[] {
  const found: string[] = [];
  walk(file.tree, (node) => {
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      found.push(`${node.expression.text}.${node.name.text}`);
    } else if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && ts.isIdentifier(node.expression)) {
      found.push(`${node.expression.text}()`);
    } else if (ts.isImportSpecifier(node) && importedModule(node) === 'node:process') {
      found.push(`process.${(node.propertyName ?? node.name).text}`);
    }
  });
  return found;
}

/** True when the file has an `export default`, an enum, a namespace or a `TODO`. */
export function bannedSyntaxOf(file: SourceFile): readonly string[] {
  const found: string[] = /\b(TODO|FIXME|XXX)\b/.test(file.text) ? ['TODO'] : [];
  walk(file.tree, (node) => {
    if (ts.isExportAssignment(node)) found.push('export default');
    if (ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)) {
      found.push('export default');
    }
    if (ts.isEnumDeclaration(node)) found.push('enum');
    if (ts.isModuleDeclaration(node) && ts.isIdentifier(node.name)) found.push('namespace');
  });
  return found;
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return literalText(node.moduleSpecifier);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return literalText(node.arguments[0]);
  }
  return undefined;
}

function literalText(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}

function isTypeOnly(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  return ts.isExportDeclaration(node) && node.isTypeOnly;
}

function resolve(from: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  if (specifier.startsWith('node:')) return specifier;
  const [scope = '', name = ''] = specifier.split('/');
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : '(anonymous)';
}

function importedModule(node: ts.ImportSpecifier): string | undefined {
  return literalText(node.parent.parent.parent.moduleSpecifier);
}
