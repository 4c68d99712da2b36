import * as monaco from 'monaco-editor/editor/editor.api.js';
import { themeOf } from './script-editor.ts';

/** A comparison of two scripts on a page. */
export interface ScriptDiffEditor {
  setTexts(before: string, after: string): void;
  setDark(isDark: boolean): void;
  dispose(): void;
}

export interface ScriptDiffOptions {
  readonly before: string;
  readonly after: string;
  readonly isDark: boolean;
  readonly label: string;
}

/** Puts a comparison into an empty element; side by side where there is room. Nothing in it can be edited. */
export function createScriptDiff(place: HTMLElement, options: ScriptDiffOptions): ScriptDiffEditor {
  // As plain text: a script that is only looked at needs no findings of the type checker.
  const original = monaco.editor.createModel(options.before, 'plaintext');
  const modified = monaco.editor.createModel(options.after, 'plaintext');
  const editor = monaco.editor.createDiffEditor(place, {
    theme: themeOf(options.isDark),
    readOnly: true,
    originalEditable: false,
    automaticLayout: true,
    fontSize: 13,
    minimap: { enabled: false },
    scrollBeyondLastLine: false,
    wordWrap: 'on',
    renderOverviewRuler: false,
    hideUnchangedRegions: { enabled: true },
  });
  editor.setModel({ original, modified });
  for (const half of [editor.getOriginalEditor(), editor.getModifiedEditor()]) {
    half.updateOptions({ ariaLabel: options.label });
  }
  return {
    setTexts: (before, after) => {
      if (before !== original.getValue()) original.setValue(before);
      if (after !== modified.getValue()) modified.setValue(after);
    },
    setDark: (isDark) => monaco.editor.setTheme(themeOf(isDark)),
    dispose: () => {
      editor.dispose();
      original.dispose();
      modified.dispose();
    },
  };
}
