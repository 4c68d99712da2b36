import { SCRIPT_CALL_PATHS } from '../../src/protocol/host-call-names.ts';
import { UNSUPPORTED_PATHS } from '../../src/protocol/unsupported-members.ts';
import type { MemberRow } from './member-row.ts';
import { MEMBER_ROWS } from './member-rows.ts';

/** Paths under `V8` that the table names itself, without globals and `Family.*`. */
function namedPaths(row: MemberRow): readonly string[] {
  return row.members.filter((member) => !member.startsWith('::') && !member.endsWith('.*'));
}

const NAMED = new Set(MEMBER_ROWS.flatMap(namedPaths));

/** The members of a row as paths: `Family.*` is every host call of the family that no other row names. */
export function membersOf(row: MemberRow): readonly string[] {
  return row.members.flatMap((member) => {
    if (!member.endsWith('.*') || row.status === 'absent') return [member];
    return SCRIPT_CALL_PATHS.filter((path) => path.startsWith(member.slice(0, -1)) && !NAMED.has(path));
  });
}

/** Every path under `V8` that the compatibility table says scripts find, supported or not. */
export function coveredPaths(): readonly string[] {
  const supported = MEMBER_ROWS.filter(({ status }) => status !== 'absent')
    .flatMap(membersOf)
    .filter((member) => !member.startsWith('::'));
  return [...supported, ...UNSUPPORTED_PATHS];
}
