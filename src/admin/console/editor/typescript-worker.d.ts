/** What of Monaco's TypeScript worker the worker of the scripts uses; the package brings no types for it. */
declare module 'monaco-editor/language/typescript/ts.worker.js' {
  /** A finding; `start` and `length` count in the text that was checked. */
  export interface Finding {
    readonly start: number | undefined;
    readonly length: number | undefined;
  }

  export interface Snapshot {
    getText(start: number, end: number): string;
    getLength(): number;
    getChangeRange(old: Snapshot): undefined;
  }

  export interface LanguageService {
    getSyntacticDiagnostics(fileName: string): readonly Finding[];
    getSemanticDiagnostics(fileName: string): readonly Finding[];
  }

  /** Also the host of its language service: it answers for the texts of the page's models and declarations. */
  export class TypeScriptWorker {
    constructor(context: unknown, createData: unknown);
    static clearFiles(findings: readonly Finding[]): Finding[];
    getScriptSnapshot(fileName: string): Snapshot | undefined;
    getSyntacticDiagnostics(fileName: string): Promise<Finding[]>;
    getSemanticDiagnostics(fileName: string): Promise<Finding[]>;
  }

  export const ts: { createLanguageService(host: object): LanguageService };

  /** Makes the page's first message the data of the worker. */
  export function initialize(create: (context: unknown, createData: unknown) => TypeScriptWorker): void;
}
