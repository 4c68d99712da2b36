/**
 * A path of this host, or a web address without credentials. Backslashes and control characters are read differently
 * by browsers and by this check, so there are none.
 */
export function isSafeRedirect(url: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(url) || url.includes('\\')) return false;
  if (url.startsWith('/')) return !url.startsWith('//');
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  const { username, password, hostname } = new URL(url);
  return username === '' && password === '' && hostname !== '';
}
