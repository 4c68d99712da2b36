import type { JsonValue } from '../../core/json.ts';
import type { TenantStatus } from '../../ports/tenant-store.ts';
import type { Command } from '../command.ts';
import { showAnswer } from '../show-answer.ts';
import { tableLines } from '../text-table.ts';

/** `tenant list`: every tenant and whether its database is open. */
export const tenantList: Command = {
  name: 'tenant list',
  summary: { zh: '列出租户', en: 'list the tenants' },
  args: [],
  options: {},
  client: true,
  examples: ['v8host tenant list'],
  async run(call) {
    const answer = await call.host().ask('GET', '/api/v1/tenants');
    return showAnswer(call, answer, (data) => {
      const head = call.lang === 'zh' ? ['租户', '主租户', '状态', '原因'] : ['TENANT', 'MAIN', 'STATE', 'REASON'];
      for (const line of tableLines([head, ...tenantRows(data)])) call.terminal.out(line);
    });
  },
};

function tenantRows(data: JsonValue): string[][] {
  const tenants = data as unknown as readonly TenantStatus[];
  return tenants.map(({ tenant, main, state, reason }) => [tenant, main ? '*' : '', state, reason ?? '']);
}
