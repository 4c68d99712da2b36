/** Far beyond what anything takes, on a busy machine, too: it is waited for by those alone that fail. Milliseconds. */
const PATIENCE_MS = 60_000;

/** Waits until the check passes; fails with the last problem. */
export async function eventually(check: () => Promise<void> | void, ms = PATIENCE_MS): Promise<void> {
  const deadline = Date.now() + ms;
  for (;;) {
    try {
      return await check();
    } catch (problem) {
      if (Date.now() > deadline) throw problem;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}
