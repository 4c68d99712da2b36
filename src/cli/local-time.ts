/** Local time of this machine, `yyyy-MM-dd HH:mm:ss.SSS`. @param ms milliseconds UTC. */
export function localTime(ms: number): string {
  const date = new Date(ms);
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  const time = [two(date.getHours()), two(date.getMinutes()), two(date.getSeconds())].join(':');
  return `${day} ${time}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

function two(part: number): string {
  return String(part).padStart(2, '0');
}
