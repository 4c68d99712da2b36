import { relative } from 'node:path';
import { cwd, versions } from 'node:process';
import type { Lang } from '../core/errors.ts';

export interface BannerFacts {
  readonly version: string;
  readonly tenant: string;
  readonly dataDir: string;
  readonly timezone: string;
  readonly url: string;
  /** The default port was taken. */
  readonly movedFrom: number | undefined;
  readonly demo: boolean;
  readonly lang: Lang;
}

/** What a start prints last: what runs where, and what to try next, ready to paste (defaults.md 4). */
export function hostBanner(facts: BannerFacts): string {
  const { version, tenant, timezone, url, movedFrom, demo, lang } = facts;
  const parts = [
    `v8-engine-host ${version}`,
    `Node ${versions.node}`,
    `tenant ${tenant}`,
    'SQLite, embedded queue',
    `data ${shortPath(facts.dataDir)}`,
    timezone,
  ];
  const lines = [parts.join(' · '), url];
  if (movedFrom !== undefined) lines.push(PORT_MOVED[lang](movedFrom, url));
  return [...lines, '', demo ? TRY_DEMO[lang] : TRY_OWN[lang], ...(demo ? demoCommands() : ownCommands(tenant))].join(
    '\n',
  );
}

const PORT_MOVED: Record<Lang, (port: number, url: string) => string> = {
  zh: (port, url) => `端口 ${port} 已被占用，改用 ${url}（在配置中设置 http.port 可固定端口）`,
  en: (port, url) => `Port ${port} is taken, listening at ${url} instead (set http.port to fix it)`,
};

const TRY_DEMO: Record<Lang, string> = {
  zh: '在另一个终端里试试：下同一个订单两次，库存只减少一次。',
  en: 'Try in another terminal: take the same order in twice, and the stock falls once.',
};

const TRY_OWN: Record<Lang, string> = {
  zh: '接下来：上传脚本，发送消息，查看它的经过。',
  en: 'Next: upload scripts, send a message, read its story.',
};

function demoCommands(): string[] {
  const order = `  npx v8host run order-intake --param '{"OrderId":"A-1","Sku":"P-1","Qty":2}'`;
  return [order, order, `  npx v8host run stock-show --param '{"Sku":"P-1"}'`, '  npx v8host trace order-A-1'];
}

function ownCommands(tenant: string): string[] {
  return [
    `  npx v8host push ./my-scripts --tenant ${tenant}`,
    `  npx v8host send my-queue '{"Hello":1}' --tenant ${tenant}`,
    `  npx v8host trace EVENT_ID --tenant ${tenant}`,
  ];
}

/** Inside the working directory a path reads better without it. */
function shortPath(path: string): string {
  const below = relative(cwd(), path);
  return below === '' || below.startsWith('..') ? path : `./${below}`;
}
