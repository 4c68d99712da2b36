/**
 * The TypeScript worker of the editor. The host runs a script as the body of an async function; TypeScript reads a file
 * as a module, where it marks a `return` at the top and looks at nothing behind it. So scripts are checked wrapped as
 * the host wraps them, as runtime-types/editor does for other editors. Everything else reads the text as it stands.
 */
import {
  type Finding,
  initialize,
  type LanguageService,
  type Snapshot,
  TypeScriptWorker,
  ts,
} from 'monaco-editor/language/typescript/ts.worker.js';

/** On the script's first line, so that lines stay; places of what is found are set back by its length. */
const BEFORE = '/** @returns {Promise<V8Answer>} */ async function v8script() {';
/** A script need not return at all. */
const AFTER = '\nreturn undefined;\n}';

class ScriptWorker extends TypeScriptWorker {
  readonly #checker: LanguageService;

  constructor(context: unknown, createData: unknown) {
    super(context, createData);
    const wrapping = {
      getScriptSnapshot: (fileName: string) => {
        const plain = this.getScriptSnapshot(fileName);
        return plain === undefined || isDeclaration(fileName) ? plain : wrap(plain);
      },
    };
    this.#checker = ts.createLanguageService(Object.assign(Object.create(this), wrapping));
  }

  override async getSyntacticDiagnostics(fileName: string): Promise<Finding[]> {
    return this.#placed(fileName, this.#checker.getSyntacticDiagnostics(fileName));
  }

  override async getSemanticDiagnostics(fileName: string): Promise<Finding[]> {
    return this.#placed(fileName, this.#checker.getSemanticDiagnostics(fileName));
  }

  /** Set back by the wrapping, and held inside the script: a bracket too few is missed behind its end. */
  #placed(fileName: string, found: readonly Finding[]): Finding[] {
    const end = this.getScriptSnapshot(fileName)?.getLength() ?? 0;
    return TypeScriptWorker.clearFiles(found).map((finding) => {
      const start = Math.min(Math.max((finding.start ?? 0) - BEFORE.length, 0), end);
      return { ...finding, start, length: Math.min(finding.length ?? 0, end - start), relatedInformation: undefined };
    });
  }
}

/** Those of `V8`, of the tenant and of the language stay as they are. */
function isDeclaration(fileName: string): boolean {
  return fileName.endsWith('.d.ts') || !fileName.includes('://');
}

function wrap(plain: Snapshot): Snapshot {
  const text = BEFORE + plain.getText(0, plain.getLength()) + AFTER;
  return {
    getText: (start, end) => text.substring(start, end),
    getLength: () => text.length,
    getChangeRange: () => undefined,
  };
}

self.onmessage = () => initialize((context, createData) => new ScriptWorker(context, createData));
