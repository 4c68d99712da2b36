import type { JsonObject } from '../../core/json.ts';
import type { Command, CommandCall } from '../command.ts';
import { showAnswer } from '../show-answer.ts';
import { tableLines } from '../text-table.ts';

interface Status {
  readonly keys: readonly string[];
  readonly sealed: Readonly<Record<string, number>>;
  readonly plain: readonly { readonly tenant: string; readonly name: string }[];
  readonly unreadable: readonly { readonly tenant: string; readonly name: string; readonly keyId: string }[];
}

/** `secrets status`: how stored secrets are kept. */
export const secretsStatus: Command = {
  name: 'secrets status',
  summary: { zh: '查看保存的密码和密钥如何加密', en: 'show how stored passwords and keys are sealed' },
  args: [],
  options: {},
  client: true,
  examples: ['v8host secrets status'],
  async run(call) {
    const answer = await call.host().ask('GET', '/api/v1/secrets');
    return showAnswer(call, answer, (data) => showStatus(call, data as JsonObject));
  },
};

/** `secrets rotate`: seals them anew while hosts run. */
export const secretsRotate: Command = {
  name: 'secrets rotate',
  summary: {
    zh: '在主机运行时更换密钥：以新的（或 secrets.keys 的第一个）密钥重新加密',
    en: 'seal stored secrets with a new key, or the first of secrets.keys, while hosts run',
  },
  args: [],
  options: {
    seal: {
      summary: {
        zh: '同时加密以明文保存的；原平台若读取这些列，请勿使用',
        en: 'also seal those that are stored as they are; not where the original platform reads them',
      },
    },
  },
  client: true,
  examples: ['v8host secrets rotate', 'v8host secrets rotate --seal'],
  async run(call) {
    const body = JSON.stringify({ sealPlain: call.options.seal === true });
    const answer = await call.host().ask('POST', '/api/v1/secrets/rotate', body);
    return showAnswer(call, answer, (data) => {
      const { resealed, sealedPlain } = data as unknown as { resealed: number; sealedPlain: number };
      showStatus(call, data as JsonObject);
      call.terminal.err(
        call.lang === 'zh'
          ? `重新加密 ${resealed} 项，新加密 ${sealedPlain} 项`
          : `Sealed anew: ${resealed}; sealed for the first time: ${sealedPlain}`,
      );
    });
  },
};

function showStatus({ terminal, lang }: CommandCall, data: JsonObject): void {
  const { keys, sealed, plain, unreadable } = data as unknown as Status;
  const isZh = lang === 'zh';
  const ids = [...new Set([...keys, ...Object.keys(sealed)])];
  const kind = (id: string): string => {
    if (id === keys[0]) return isZh ? '用于加密' : 'seals';
    if (keys.includes(id)) return isZh ? '可解密' : 'opens';
    return isZh ? '缺失' : 'MISSING';
  };
  const head = isZh ? ['密钥', '作用', '项数'] : ['KEY', 'USE', 'SECRETS'];
  const lines = ids.map((id) => [id, kind(id), String(sealed[id] ?? 0)]);
  for (const line of tableLines([head, ...lines])) terminal.out(line);
  const told = (list: readonly { readonly tenant: string; readonly name: string }[], zh: string, en: string): void => {
    const names = list.map(({ tenant, name }) => `${tenant}.${name}`).join(', ');
    if (list.length > 0) terminal.err(`${isZh ? zh : en}: ${names}`);
  };
  told(plain, '明文保存', 'Stored as they are');
  told(unreadable, '无法解密', 'Cannot be opened');
}
