import { bilingual } from '../core/bilingual.ts';
import type { EnvironmentSource } from './cli-environment.ts';
import type { Problem } from './problem.ts';
import { hasRaw, type RawSettings, setRaw, takeRaw } from './raw-settings.ts';
import { variableOf } from './setting-list.ts';

/** A setting that has another name now. Paths such as `http.port`. */
export interface RenamedSetting {
  readonly from: string;
  readonly to: string;
}

/** Old names that still work, so that hosts of two versions can share a configuration. None so far. */
export const RENAMED_SETTINGS: readonly RenamedSetting[] = Object.freeze([]);

/** An old name that somebody uses: as it was written, and what to write. */
export interface Deprecation {
  readonly name: string;
  readonly instead: string;
}

/** What was found under old names. */
export interface Renames {
  readonly deprecations: readonly Deprecation[];
  readonly problems: readonly Problem[];
  /** The environment under the names of now. */
  readonly source: EnvironmentSource;
}

/** Moves what stands under old names to the new ones: in the tree itself, and in a copy of the environment. */
export function followRenames(
  tree: RawSettings,
  source: EnvironmentSource,
  renamed: readonly RenamedSetting[],
): Renames {
  const deprecations: Deprecation[] = [];
  const problems: Problem[] = [];
  const env = { ...source.env };
  const move = (name: string, instead: string, isTaken: boolean, take: () => void): void => {
    const variable = Object.hasOwn(source.env, name) ? { variable: name } : {};
    if (isTaken) problems.push({ where: name, rule: both(instead), ...variable });
    else deprecations.push({ name, instead });
    take();
  };
  for (const { from, to } of renamed) {
    const [before, now] = [from.split('.'), to.split('.')];
    if (hasRaw(tree, before)) {
      const isTaken = hasRaw(tree, now);
      move(from, to, isTaken, () => {
        const value = takeRaw(tree, before);
        if (!isTaken) setRaw(tree, now, value);
      });
    }
    for (const suffix of ['', '_FILE']) {
      const [old, current] = [`${variableOf(before)}${suffix}`, `${variableOf(now)}${suffix}`];
      const value = env[old];
      if (value === undefined) continue;
      const isTaken = env[current] !== undefined;
      move(old, current, isTaken, () => {
        delete env[old];
        if (!isTaken) env[current] = value;
      });
    }
  }
  return { deprecations, problems, source: { ...source, env } };
}

function both(instead: string): string {
  return bilingual(`这是 ${instead} 的旧名，两者只能设置一个`, `the old name of ${instead}: set one of them only`);
}
