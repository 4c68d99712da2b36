import type { Command } from '../command.ts';
import { writeTenantTypes } from '../tenant-types.ts';

/** `types`: declares a tenant's tables, fields, queues and engines to the editor of a script project. */
export const types: Command = {
  name: 'types',
  summary: {
    zh: '生成租户的表、字段、队列和接口引擎的类型声明，编辑器据此检查脚本',
    en: "declare a tenant's tables, fields, queues and engines to the editor",
  },
  args: ['[DIR]'],
  options: {},
  client: true,
  examples: ['v8host types ./my-scripts --tenant demo'],
  run: (call) => writeTenantTypes(call, call.args[0] ?? '.'),
};
