/** Type-checks scripts against runtime-types/v8.d.ts with the compiler's API, as an editor does. */
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The declarations under test. */
export const V8_TYPES = fileURLToPath(new URL('../../runtime-types/v8.d.ts', import.meta.url));

/** "A 'return' statement can only be used within a function body": a script is one (v8-surface.md 0). */
const RETURN_OUTSIDE_FUNCTION = 1108;

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  lib: ['lib.es2024.d.ts'],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  types: [],
  allowJs: true,
  checkJs: true,
  strict: true,
  noImplicitAny: false,
  noEmit: true,
};

/** A program of these files and the declarations. */
export function createV8Program(files: readonly string[]): ts.Program {
  return ts.createProgram([...files, V8_TYPES], OPTIONS);
}

/** Everything an editor would mark in one file, as `line: message`. */
export function problemsOf(program: ts.Program, file: string): readonly string[] {
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error(`not in the program: ${file}`);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    .filter((diagnostic) => diagnostic.code !== RETURN_OUTSIDE_FUNCTION)
    .map((diagnostic) => describe(source, diagnostic));
}

function describe(source: ts.SourceFile, diagnostic: ts.Diagnostic): string {
  const line = source.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line + 1;
  return `${line}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')}`;
}

/** Paths of all callable members below the global `V8`, such as `FormEngine.GetFormData`. */
export function callablePaths(program: ts.Program): readonly string[] {
  const checker = program.getTypeChecker();
  const declarations = program.getSourceFile(V8_TYPES);
  const v8 = declarations?.statements
    .filter(ts.isVariableStatement)
    .flatMap((statement) => [...statement.declarationList.declarations])
    .find((declaration) => declaration.name.getText() === 'V8');
  if (v8 === undefined) throw new Error('v8.d.ts declares no V8');
  return pathsBelow(checker, checker.getTypeAtLocation(v8), v8, '');
}

function pathsBelow(checker: ts.TypeChecker, type: ts.Type, at: ts.Node, prefix: string): readonly string[] {
  return type.getProperties().flatMap((property) => {
    const path = prefix === '' ? property.name : `${prefix}.${property.name}`;
    const member = checker.getTypeOfSymbolAtLocation(property, at);
    if (member.getCallSignatures().length > 0) return [path];
    return isOwnInterface(member) ? pathsBelow(checker, member, at, path) : [];
  });
}

/** An interface of v8.d.ts; members of text, arrays and the like are not the platform's. */
function isOwnInterface(type: ts.Type): boolean {
  return type.symbol?.declarations?.some((node) => node.getSourceFile().fileName === V8_TYPES) ?? false;
}

/** The comment of every function below the global `V8`, by its path; examples are part of it. */
export function commentsByPath(program: ts.Program): ReadonlyMap<string, string> {
  const checker = program.getTypeChecker();
  const comments = new Map<string, string>();
  for (const path of callablePaths(program)) {
    const symbol = path
      .split('.')
      .reduce((type, name) => memberOf(checker, program, type, name), undefined as Found)?.symbol;
    const tags = symbol?.getJsDocTags(checker).map((tag) => `@${tag.name} ${ts.displayPartsToString(tag.text)}`) ?? [];
    const text = ts.displayPartsToString(symbol?.getDocumentationComment(checker));
    comments.set(path, [text, ...tags].join('\n'));
  }
  return comments;
}

type Found = { readonly symbol: ts.Symbol; readonly type: ts.Type } | undefined;

function memberOf(checker: ts.TypeChecker, program: ts.Program, parent: Found, name: string): Found {
  const file = program.getSourceFile(V8_TYPES);
  const v8 = file && checker.getSymbolsInScope(file, ts.SymbolFlags.Variable).find((symbol) => symbol.name === 'V8');
  if (file === undefined || v8 === undefined) return undefined;
  const type = parent?.type ?? checker.getTypeOfSymbolAtLocation(v8, file);
  const symbol = type.getProperty(name);
  return symbol && { symbol, type: checker.getTypeOfSymbolAtLocation(symbol, file) };
}
