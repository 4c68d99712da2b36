/** Waits until the check passes; fails with the last problem. */
export async function eventually(check: () => Promise<void> | void, ms = 15_000): Promise<void> {
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
