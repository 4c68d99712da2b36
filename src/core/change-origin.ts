import type { Actor } from './access.ts';

/** By whom and from where something is changed, for the log of changes. */
export interface ChangeOrigin {
  readonly by: Actor;
  /** Address of the client; empty for the host itself. */
  readonly address: string;
}

/** Of what the host does by itself, such as the samples of its first start. */
export const BY_HOST: ChangeOrigin = { by: { kind: 'host', id: '', name: 'host', level: 0 }, address: '' };
