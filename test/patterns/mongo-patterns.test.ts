/** A script that keeps an audit log in documents (pattern 40), on the real host and on both databases. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DATABASES, openPatternHost, run, scriptFiles } from './pattern-host.ts';

for (const [name, urlOf] of DATABASES) {
  describe(`patterns of documents on ${name}`, () => {
    it('an audit log by months: null asks for nothing, a list is a text with commas, no change is Code 0', async (t) => {
      const host = await openPatternHost(t, urlOf, scriptFiles('mongo-audit'), []);
      const ask = (param: object) => run(host, 'mongo-audit', param);
      const idOf = (digit: number) => `64b00000000000000000000${digit}`;
      const entries = [
        { Kind: 'pay', By: 'li', Amount: 5, Detail: { Lines: [{ Sku: 'P-1' }] } },
        { Kind: 'login', By: 'wu', Amount: 0 },
        { Kind: 'refund', By: 'li', Amount: 500 },
      ];
      for (const [index, Write] of entries.entries()) {
        assert.equal((await ask({ Id: idOf(index + 1), Write })).Code, 1);
      }
      const found = async (param: object) => (await ask(param)).Data.sort();
      assert.deepEqual(await found({ Kinds: 'pay,refund' }), [idOf(1), idOf(3)]);
      assert.deepEqual(await found({ Kinds: 'pay,login', By: 'wu' }), [idOf(2)]);
      assert.deepEqual(await found({ By: 'wu', Either: true }), [idOf(2), idOf(3)]);
      assert.equal((await ask({})).DataCount, 3);
      assert.equal((await ask({ Seen: idOf(1) })).Code, 1);
      assert.equal((await ask({ Seen: idOf(1) })).Code, 0, 'nothing was modified');
      assert.equal((await ask({ Seen: idOf(9) })).Code, 0);
    });
  });
}
