/** One package of the lockfile as it is shipped. */
export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression; empty where the package names none. */
  readonly licence: string;
}

/** The part of package-lock.json that is read. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/**
 * Development packages whose code is in the built page of the console, which ships; what they need ships with them.
 */
export const CONSOLE_PACKAGES: readonly string[] = [
  '@element-plus/icons-vue',
  'element-plus',
  'monaco-editor',
  'vue',
  'vue-router',
];

/** Licences that ask for no more than their text and a notice. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
]);

/** Everything of the lockfile that reaches a user: what runs, and what the console's page was made of. By name. */
export function shippedPackages(lockfile: Lockfile): readonly ShippedPackage[] {
  const inConsole = closureOf(lockfile, CONSOLE_PACKAGES);
  const shipped = Object.entries(lockfile.packages).filter(
    ([path, { dev = false }]) => path !== '' && (!dev || inConsole.has(path)),
  );
  return shipped
    .map(([path, { version = '', license = '' }]) => ({ name: nameOf(path), version, licence: license }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** True for an SPDX expression whose every needed part, or one of whose alternatives, is on the list. */
export function isAllowed(expression: string): boolean {
  const plain = expression.replace(/[()]/g, ' ').trim();
  if (plain === '') return false;
  // A mixture of AND and OR would need its brackets: nobody has one, and it is refused.
  if (/ AND /.test(plain) && / OR /.test(plain)) return false;
  if (/ OR /.test(plain)) return plain.split(' OR ').some((each) => ALLOWED.has(each.trim()));
  return plain.split(' AND ').every((each) => ALLOWED.has(each.trim()));
}

/** Paths of the lockfile that these packages need, found as Node finds them: the nearest folder first. */
function closureOf({ packages }: Lockfile, roots: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (from: string, name: string): void => {
    const path = resolve(packages, from, name);
    if (path === undefined || found.has(path)) return;
    found.add(path);
    for (const dependency of Object.keys(packages[path]?.dependencies ?? {})) visit(path, dependency);
  };
  for (const root of roots) visit('', root);
  return found;
}

function resolve(packages: Lockfile['packages'], from: string, name: string): string | undefined {
  const folders = from.split(/\/?node_modules\//).filter((part) => part !== '');
  for (let depth = folders.length; depth >= 0; depth--) {
    const path = [...folders.slice(0, depth), name].map((part) => `node_modules/${part}`).join('/');
    if (Object.hasOwn(packages, path)) return path;
  }
  return undefined;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
