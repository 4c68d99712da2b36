/** How long a failed message waits before its next attempt (`Backoff`, defaults.md 6). Milliseconds. */
export type Backoff =
  | { readonly kind: 'none' }
  | { readonly kind: 'fixed'; readonly delayMs: number }
  | { readonly kind: 'exponential'; readonly baseMs: number; readonly capMs: number };
