'use strict';

/**
 * Plugin of TypeScript's language service. The host runs a script as the body of an async function that returns a
 * V8Answer; TypeScript reads a file as a module, where it marks every top-level `return` (TS1108) and looks at nothing
 * behind it. So each script is checked once more, wrapped as the host wraps it, and what is found is shown at its place.
 */

/** On the script's first line, so that lines stay; columns of what is found are set back by its length. */
const BEFORE = '/** @returns {Promise<V8Answer>} */ async function v8script() {';
/** A script need not return at all. */
const AFTER = '\nreturn undefined;\n}';
const WRAPPED = '.v8script.js';

const RETURN_OUTSIDE_FUNCTION = 1108;

/** Everything TypeScript finds in a script as a function body, with the positions of the script. */
function checkScript(ts, program, fileName) {
  const script = program.getSourceFile(fileName);
  if (script === undefined) return [];
  const place = fileName + WRAPPED;
  const wrapped = wrappedProgram(ts, program, script, place);
  const body = wrapped.getSourceFile(place);
  const found = [...wrapped.getSyntacticDiagnostics(body), ...wrapped.getSemanticDiagnostics(body)];
  return found.map((diagnostic) => placed(diagnostic, script));
}

function wrappedProgram(ts, program, script, place) {
  const options = program.getCompilerOptions();
  const host = ts.createCompilerHost(options);
  const body = ts.createSourceFile(place, BEFORE + script.text + AFTER, options.target ?? ts.ScriptTarget.Latest, true);
  const readOther = host.getSourceFile;
  host.getSourceFile = (name, ...rest) =>
    name === place ? body : (program.getSourceFile(name) ?? readOther.call(host, name, ...rest));
  const fileExists = host.fileExists;
  host.fileExists = (name) => name === place || fileExists.call(host, name);
  const declarations = program.getRootFileNames().filter((name) => name.endsWith('.d.ts'));
  return ts.createProgram([place, ...declarations], { ...options, noEmit: true, plugins: undefined }, host);
}

/** Set back by the wrapping, and held inside the script: a bracket too few is missed behind its end. */
function placed(diagnostic, script) {
  const start = Math.min(Math.max((diagnostic.start ?? 0) - BEFORE.length, 0), script.text.length);
  const length = Math.min(diagnostic.length ?? 0, script.text.length - start);
  return { ...diagnostic, file: script, start, length, relatedInformation: undefined };
}

function isScript(fileName) {
  return fileName.endsWith('.js') && !fileName.endsWith('.test.js') && !fileName.includes('/node_modules/');
}

/** The plugin's entry, as TypeScript calls it. */
function init({ typescript: ts }) {
  return {
    create({ languageService: plain }) {
      const service = Object.create(null);
      for (const name of Object.keys(plain)) service[name] = (...args) => plain[name](...args);
      service.getSemanticDiagnostics = (fileName) => {
        const program = plain.getProgram();
        if (!isScript(fileName) || program === undefined) return plain.getSemanticDiagnostics(fileName);
        return checkScript(ts, program, fileName);
      };
      service.getSyntacticDiagnostics = (fileName) =>
        isScript(fileName) ? [] : plain.getSyntacticDiagnostics(fileName);
      service.getSuggestionDiagnostics = (fileName) =>
        plain.getSuggestionDiagnostics(fileName).filter(({ code }) => code !== RETURN_OUTSIDE_FUNCTION);
      return service;
    },
  };
}

module.exports = init;
module.exports.checkScript = checkScript;
