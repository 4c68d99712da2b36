/**
 * Monaco with what a script needs: JavaScript, the types of `V8`, and those of the tenant. Loaded when an editor is first
 * shown.
 */
import 'monaco-editor/features/register.all.js';
import 'monaco-editor/languages/definitions/javascript/register.js';
import * as monaco from 'monaco-editor/editor/editor.api.js';
import EditorWorker from 'monaco-editor/editor/editor.worker.js?worker';
import { javascriptDefaults, ScriptTarget } from 'monaco-editor/languages/features/typescript/register.js';
import runtimeTypes from '../../../../runtime-types/v8.d.ts?raw';
import ScriptWorker from './script-worker.ts?worker';

/** A refusal of the host, at its place in the script. */
export interface ScriptProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** An editor on a page. */
export interface ScriptEditor {
  text(): string;
  setText(text: string): void;
  /** Declares what the tenant has, in place of what was declared before: one for all editors of the page. */
  setTenantTypes(types: string): void;
  setDark(isDark: boolean): void;
  setLabel(label: string): void;
  /** Marks what the host refused, and shows the first of it. */
  showProblems(problems: readonly ScriptProblem[]): void;
  dispose(): void;
}

export interface ScriptEditorOptions {
  readonly text: string;
  readonly tenantTypes: string;
  readonly isDark: boolean;
  readonly label: string;
  readonly isReadOnly: boolean;
  onChange(text: string): void;
  onSave(): void;
}

self.MonacoEnvironment = {
  getWorker: (_id, label) => (label === 'javascript' ? new ScriptWorker() : new EditorWorker()),
};

/** TypeScript's ModuleDetectionKind.Force: each script has names of its own. */
const FORCE = 3;

javascriptDefaults.setCompilerOptions({
  target: ScriptTarget.ESNext,
  // As in templates/project/jsconfig.json, so that a script is right here and there or nowhere.
  lib: ['es2024'],
  moduleDetection: FORCE,
  allowJs: true,
  checkJs: true,
  allowNonTsExtensions: true,
  strict: true,
  noImplicitAny: false,
});
// Hints about scripts in general: `require`, inferred types, and a `return` at the top, which a script has.
javascriptDefaults.setDiagnosticsOptions({ diagnosticCodesToIgnore: [1108, 80005, 7044] });
javascriptDefaults.addExtraLib(runtimeTypes, 'file:///v8.d.ts');

const OWNER = 'host';
const DARK = 'host-dark';
// Comments that the dark theme brings have too little contrast to be read (WCAG AA).
monaco.editor.defineTheme(DARK, {
  base: 'vs-dark',
  inherit: true,
  rules: [{ token: 'comment', foreground: '8fbf7f' }],
  colors: {},
});

/** Puts an editor into an empty element. */
export function createScriptEditor(place: HTMLElement, options: ScriptEditorOptions): ScriptEditor {
  declareTenant(options.tenantTypes);
  const model = monaco.editor.createModel(options.text, 'javascript');
  const editor = monaco.editor.create(place, {
    model,
    theme: themeOf(options.isDark),
    ariaLabel: options.label,
    readOnly: options.isReadOnly,
    automaticLayout: true,
    fontSize: 13,
    minimap: { enabled: false },
    // Faded text would be too faint to read.
    showUnused: false,
    scrollBeyondLastLine: false,
    // Tab leaves the editor for those who work by keyboard once they press Ctrl+M, as the editor itself tells.
    tabSize: 2,
    wordWrap: 'on',
    // What is offered is there, rather than some word of the text.
    wordBasedSuggestions: 'off',
  });
  editor.addCommand(monaco.KeyMod.CtrlCmd | monaco.KeyCode.KeyS, options.onSave);
  model.onDidChangeContent(() => options.onChange(model.getValue()));
  return {
    text: () => model.getValue(),
    setText: (text) => {
      if (text !== model.getValue()) model.setValue(text);
    },
    setTenantTypes: declareTenant,
    setDark: (isDark) => monaco.editor.setTheme(themeOf(isDark)),
    setLabel: (label) => editor.updateOptions({ ariaLabel: label }),
    showProblems: (problems) => {
      monaco.editor.setModelMarkers(model, OWNER, problems.map(toMarker));
      const [first] = problems;
      if (first !== undefined) editor.revealLineInCenter(first.line);
    },
    dispose: () => {
      editor.dispose();
      model.dispose();
    },
  };
}

function declareTenant(types: string): void {
  javascriptDefaults.addExtraLib(types, 'file:///tenant.d.ts');
}

/** Monaco's theme for the colours of the page. */
export function themeOf(isDark: boolean): string {
  return isDark ? DARK : 'vs';
}

function toMarker({ line, column, message }: ScriptProblem): monaco.editor.IMarkerData {
  return {
    severity: monaco.MarkerSeverity.Error,
    message,
    startLineNumber: line,
    startColumn: column,
    endLineNumber: line,
    endColumn: column + 1,
  };
}
