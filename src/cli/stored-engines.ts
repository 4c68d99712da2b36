import { isJsonObject, type JsonValue } from '../core/json.ts';
import type { CommandCall } from './command.ts';
import { isSuccess } from './show-answer.ts';

/** Keys in the list of engines that `GET …/engines` answers. */
export function engineKeys(data: JsonValue | undefined): string[] {
  if (!Array.isArray(data)) return [];
  return data.flatMap((entry: JsonValue) => (isJsonObject(entry) && typeof entry.key === 'string' ? [entry.key] : []));
}

/** The script of an engine; undefined when there is none, or the caller may not read it. */
export async function readSource(call: CommandCall, key: string): Promise<string | undefined> {
  const { result } = await call.host().ask('GET', `${call.tenantPath()}/engines/${encodeURIComponent(key)}`);
  const { Data } = result;
  return isSuccess(result) && isJsonObject(Data) && typeof Data.source === 'string' ? Data.source : undefined;
}
