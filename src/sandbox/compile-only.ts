import type { LaneDone } from '../protocol/messages.ts';
import type { TenantIsolates } from './tenant-isolates.ts';

/** Heap for a compilation; sources are at most a few megabytes. */
const COMPILE_HEAP_MB = 128;

/** Compiles a source without running it, in an isolate that is thrown away. */
export function compileOnly(isolates: TenantIsolates, engineKey: string, source: string): LaneDone['outcome'] {
  const isolate = isolates.createUnshared(COMPILE_HEAP_MB);
  try {
    const prepared = isolate.prepare({ engineKey, version: '' }, () => source);
    return prepared.ok ? { kind: 'compiled' } : { kind: 'syntax', ...prepared.fault };
  } catch (error) {
    if (!isolate.disposed) throw error;
    return { kind: 'limit', error: { code: 'V8_MEMORY_LIMIT', params: { limit: COMPILE_HEAP_MB } } };
  } finally {
    isolate.dispose();
  }
}
