import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { AppError } from '../../core/errors.ts';

/** What the sandbox stands on. */
export interface SandboxVersions {
  readonly node: string;
  readonly v8: string;
  readonly isolatedVm: string;
}

/** What its limits, flags and isolation were tested with: Node by its major and its V8, isolated-vm exactly. */
const TESTED = { node: '26', v8: '14.6', isolatedVm: '7.0.1' } as const;

/** @throws Error when isolated-vm is not installed. */
export function installedVersions(): SandboxVersions {
  const entry = createRequire(import.meta.url).resolve('isolated-vm');
  const manifest = JSON.parse(readFileSync(join(dirname(entry), 'package.json'), 'utf8')) as { version: string };
  return { node: process.versions.node, v8: process.versions.v8, isolatedVm: manifest.version };
}

/** @throws AppError SANDBOX_UNTESTED naming the first that differs. */
export function refuseUntested({ node, v8, isolatedVm }: SandboxVersions): void {
  const isTested = node.startsWith(`${TESTED.node}.`) && v8.startsWith(`${TESTED.v8}.`);
  if (!isTested) {
    throw new AppError('SANDBOX_UNTESTED', {
      found: `Node ${node} (V8 ${v8})`,
      tested: `Node ${TESTED.node} (V8 ${TESTED.v8})`,
    });
  }
  if (isolatedVm !== TESTED.isolatedVm) {
    throw new AppError('SANDBOX_UNTESTED', {
      found: `isolated-vm ${isolatedVm}`,
      tested: `isolated-vm ${TESTED.isolatedVm}`,
    });
  }
}
