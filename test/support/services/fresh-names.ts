import { randomBytes } from 'node:crypto';

/** A name for a schema, user or vhost that no other test has, also on a server shared with other runs. */
export const freshName = (): string => `t_${randomBytes(6).toString('hex')}`;

/** A password that needs escaping in a URL, so that code that forgets it shows. */
export const freshPassword = (): string => `${randomBytes(6).toString('hex')}@/%`;
