import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import process from 'node:process';

/** In what stripTypeScriptTypes leaves, types are no longer imported. */
const RELATIVE_IMPORT = /^(?:import|export)\b[^'";]*'(\.[^']+\.ts)';?$/gm;

let cached: { readonly entry: string; readonly packet: Uint8Array } | undefined;

/**
 * The program of a lane in plain JavaScript, as src/sandbox/start.js reads it from its socket: u32 length, then JSON of
 * sources by URL. Made once per host. Lines and columns are those of the files.
 * @param entry URL of the module that a lane begins with.
 */
export function packLaneSources(entry: URL): Uint8Array {
  if (cached?.entry !== entry.href) cached = { entry: entry.href, packet: pack(entry) };
  return cached.packet;
}

function pack(entry: URL): Uint8Array {
  const sources = new Map<string, string>();
  collect(entry, sources);
  const text = Buffer.from(JSON.stringify(Object.fromEntries(sources)));
  const packet = Buffer.alloc(4 + text.byteLength);
  packet.writeUInt32BE(text.byteLength);
  packet.set(text, 4);
  return packet;
}

function collect(module: URL, sources: Map<string, string>): void {
  if (sources.has(module.href)) return;
  const source = stripTypes(readFileSync(module, 'utf8'));
  sources.set(module.href, source);
  for (const [, path = ''] of source.matchAll(RELATIVE_IMPORT)) collect(new URL(path, module), sources);
}

/** Without the warning that this is experimental: whoever runs the host can do nothing about it. */
function stripTypes(text: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}
