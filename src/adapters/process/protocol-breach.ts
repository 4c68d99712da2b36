/**
 * A lane said something that the protocol does not allow: wrong run, wrong type, beyond a limit that the lane itself
 * enforces. It is no longer what we started, and is killed. The message is for the host log only.
 */
export class ProtocolBreach extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProtocolBreach';
  }
}
