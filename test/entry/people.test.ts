/* People who log in, at the HTTP entry (v8-surface.md 5.2, 8.3): over both databases. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Actor } from '../../src/core/access.ts';
import { DATABASES, openEntry, openPatternHost } from '../patterns/pattern-host.ts';

const HOUR_MS = 3_600_000;
const PASSWORD = 'correct horse battery';
const HOST: Actor = { kind: 'host', id: '', name: 'test', level: 0 };

const WHO = `var u = V8.CurrentUser;
  return { Code: 1, Data: [u.Account, u.Name, u.RoleIds, u.RoleName, Number(u.Level) >= 9999, u._IsAdmin, V8.Method.GetCurrentToken() !== null] };`;

for (const [name, urlOf] of DATABASES) {
  describe(`people at the HTTP entry on ${name}`, () => {
    it('are known by their token, which is renewed in the answer’s header and ends with the login', async (t) => {
      let shift = 0;
      const host = await openPatternHost(t, urlOf, { 'who.js': WHO, 'open.js': `/** @anonymous */\n${WHO}` }, [], {
        decorate: (adapters) => {
          const { clock } = adapters;
          const shifted = {
            now: () => clock.now() + shift,
            sleep: clock.sleep.bind(clock),
            localText: clock.localText.bind(clock),
          };
          return { ...adapters, clock: shifted };
        },
      });
      const { identity } = host.host;
      const place = { by: HOST, address: '', tenant: 'demo', caller: { kind: 'host', by: HOST } } as const;
      const person = { account: 'li', name: '李', password: PASSWORD, role: 'designer', isHostAdmin: false } as const;
      await identity.addUser(place, person);
      const { token } = await identity.logIn({ tenant: 'demo', account: 'li', password: PASSWORD }, '192.0.2.1');
      const ask = openEntry(t, host);
      const get = (key: string, bearer: string) =>
        ask({
          method: 'GET',
          url: `/apiengine/${key}`,
          headers: { osclient: 'demo', authorization: `Bearer ${bearer}` },
        });

      const first = await get('who', token);
      assert.deepEqual(first.json().Data, ['li', '李', ['designer'], 'designer', false, false, true]);
      assert.equal(first.headers.authorization, undefined);
      shift += 7 * HOUR_MS;
      const renewed = String((await get('who', token)).headers.authorization).slice('Bearer '.length);
      assert.match(renewed, /^[\w-]+\.[\w-]+\.[\w-]+$/);
      shift += 6 * HOUR_MS;
      assert.equal((await get('who', token)).json().Code, 1001, 'the first one has ended');
      assert.equal((await get('who', renewed)).json().Code, 1);
      const forged = `${renewed.slice(0, renewed.lastIndexOf('.'))}.AAAA`;
      assert.equal((await get('who', forged)).json().Code, 1001);
      assert.deepEqual((await get('open', forged)).json().Data, [null, null, null, null, false, null, false]);

      const user = (await identity.users('demo')).find(({ account }) => account === 'li');
      await identity.changeUser(place, user?.id ?? '', { isEnabled: false });
      assert.equal((await get('who', renewed)).json().Code, 1001, 'a user switched off is nobody');
    });
  });
}
