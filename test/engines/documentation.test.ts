/** The commands of docs/engines.md, in both languages, give a host what it needs and no more. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import type { HostProcess } from '../support/host-process.ts';
import { freshName, freshPassword } from '../support/services/fresh-names.ts';
import { freshVhost } from '../support/services/fresh-vhost.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { service } from '../support/services/services.ts';
import { column, push, send, startHosts, tablesJson } from './engine-hosts.ts';

const pages = ['engines.md', 'engines.zh-CN.md'].map((name) =>
  readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8'),
);
const [page = ''] = pages;

const FILES = {
  'tables.json': tablesJson({ effect: ['EventId'] }),
  'work.js': `/** @queue work */
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
`,
};

function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block = '']) => block,
  );
}

test('both languages give the same commands and settings', () => {
  for (const language of ['json', 'sql', 'sh', 'text']) {
    const [english, chinese] = pages.map((text) => blocks(text, language));
    assert.ok((english?.length ?? 0) > 0, language);
    assert.deepEqual(chinese, english, language);
  }
});

test("a host works with the documented database rights and the documented rights at the broker, and makes a tenant's schema with the further ones", async (t) => {
  const { mysqlUrl } = await service('mariadb');
  const [schema, user, password] = [freshName(), freshName(), freshPassword()];
  const [create = '', further = ''] = blocks(page, 'sql').map((block) => {
    const named = block.replaceAll('shop_v8', user).replaceAll('PASSWORD', password).replaceAll('shop', schema);
    return named;
  });
  after(() => sqlAsAdmin(mysqlUrl, `drop database ${schema}; drop user '${user}'@'%'`));
  await sqlAsAdmin(mysqlUrl, create);
  const { host: at } = new URL(mysqlUrl);
  const databaseUrl = `mysql://${user}:${encodeURIComponent(password)}@${at}/${schema}`;
  const rights = /set_permissions -p acme acme_mq '(.*)' '(.*)' '(.*)'/.exec(page)?.slice(1) ?? [];
  const [configure = '', write = '', read = ''] = rights.map((pattern) => pattern.replaceAll('acme', 'shop'));
  const vhost = await freshVhost({ permissions: { configure, write, read } });

  const config = { tenant: 'shop' };
  const [host] = (await startHosts(t, ['one'], { databaseUrl, queueUrl: vhost.url }, config)) as [HostProcess];
  await push(host, FILES, 'shop');
  await send(host, 'work', 'e1', {}, 'shop');
  await eventually(async () => assert.deepEqual(await column(databaseUrl, 'select EventId from effect'), ['e1']));

  const refused = await host.api('POST', 'tenants', { tenant: 'acme' });
  assert.match(refused.body.Msg, /cannot be made.*GRANT ALL PRIVILEGES/);
  await sqlAsAdmin(mysqlUrl, further);
  after(() => sqlAsAdmin(mysqlUrl, `drop database if exists ${schema}_acme`));
  const added = await host.api('POST', 'tenants', { tenant: 'acme' });
  assert.equal(added.body.Code, 1, JSON.stringify(added.body));
  await push(host, FILES, 'acme');
  assert.deepEqual(await column(mysqlUrl, `select count(*) from ${schema}_acme.effect`), ['0']);
  assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});
