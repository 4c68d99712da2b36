import type { MessageProps } from '../../ports/queue.ts';

/** Properties of a message as a text column holds them. */
export function encodeProps(props: MessageProps): string {
  return JSON.stringify(props);
}

/** Reads what `encodeProps` wrote. */
export function decodeProps(text: string): MessageProps {
  return JSON.parse(text) as MessageProps;
}
