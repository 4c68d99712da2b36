import type { Config, SettingOrigin } from './load-config.ts';
import { SETTING_LIST } from './setting-list.ts';

/** One setting for people to read. */
export interface DescribedSetting {
  readonly path: string;
  readonly variable: string;
  /** JSON text; `[secret]` for a secret, `-` where nothing is set. */
  readonly value: string;
  readonly origin: SettingOrigin;
}

/** All settings in effect, secrets masked. */
export function describeConfig(config: Config): readonly DescribedSetting[] {
  return SETTING_LIST.map(({ keys, path, variable, doc }) => {
    const value = keys.reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], config);
    return { path, variable, value: textOf(value, doc.secret === true), origin: config.originOf(path) };
  });
}

function textOf(value: unknown, secret: boolean): string {
  if (value === undefined) return '-';
  return secret ? '[secret]' : JSON.stringify(value);
}
