/** Scripts as people write them against the platform's SQL, on the real host and on both databases. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { DATABASES, openPatternHost, run } from './pattern-host.ts';

const TABLES = [
  {
    Name: 'tenant_member',
    Fields: [
      { Name: 'Account', Type: 'varchar(50)' },
      { Name: 'Shop', Type: 'varchar(50)' },
      { Name: 'Score', Type: 'int' },
    ],
    Rows: [
      { Id: 'm1', Account: 'ann', Shop: 's1', Score: 5 },
      { Id: 'm2', Account: 'bob', Shop: 's1', Score: 7 },
      { Id: 'm3', Account: 'ann', Shop: 's2', Score: 9 },
    ],
  },
];

for (const [name, urlOf] of DATABASES) {
  const open = (t: TestContext, scripts: Record<string, string>) => openPatternHost(t, urlOf, scripts, TABLES);

  describe(`patterns of scripts' SQL on ${name}`, () => {
    it('builds a statement line by line and walks over its rows', async (t) => {
      const host = await open(t, {
        'center.js': `
          var text = 'select Id, Account, Shop, Score from tenant_member where 1 = 1';
          if (V8.Param.Shop) text += ' and Shop = @shop';
          text += ' order by Score desc';
          var cmd = V8.Db.FromSql(text);
          if (V8.Param.Shop) cmd.AddInParameter('@shop', V8.Param.Shop);
          var rows = cmd.ToArray();
          var seen = {}, accounts = [], total = 0;
          for (var i = 0; i < rows.length; i++) {
            total += rows[i].Score;
            if (seen[rows[i].Account]) continue;
            seen[rows[i].Account] = true;
            accounts.push(rows[i].Account);
          }
          return { Code: 1, Data: accounts, Total: total };
        `,
      });
      assert.deepEqual(await run(host, 'center'), { Code: 1, Data: ['ann', 'bob'], Total: 21 });
      assert.deepEqual(await run(host, 'center', { Shop: 's1' }), { Code: 1, Data: ['bob', 'ann'], Total: 12 });
      const hostile = await run(host, 'center', { Shop: "s1' or '1'='1" });
      assert.deepEqual(hostile, { Code: 1, Data: [], Total: 0 });
    });

    it('reads missing rows as null and [], and writes as numbers', async (t) => {
      const host = await open(t, {
        'basics.js': `
          var none = V8.Db.FromSql('select * from tenant_member where Id = @p0').AddInParameter('p0', 'x');
          return { Code: 1,
            first: none.First(), array: none.ToArray(), scalar: none.ToScalar(), number: none.ToInt(), exists: none.Exists(),
            count: V8.DbRead.FromSql('select count(*) from tenant_member').ToScalar(),
            changed: V8.Db.FromSql('update tenant_member set Score = Score + @n where Shop = @s')
              .AddInParameter('@n', 1).AddInParameter('@s', 's1').ExecuteNonQuery(),
            unchanged: V8.Db.FromSql('update tenant_member set Score = 9 where Id = @id').AddInParameter('@id', 'm3').ExecuteNonQuery(),
            removed: V8.Db.FromSql("delete from tenant_member where Id = 'none'").ExecuteNonQuery() };
        `,
      });
      assert.deepEqual(await run(host, 'basics'), {
        Code: 1,
        first: null,
        array: [],
        scalar: null,
        number: 0,
        exists: false,
        count: 3,
        changed: 2,
        unchanged: 1,
        removed: 0,
      });
    });

    it('claims a row by a conditional update: of two runs one wins', async (t) => {
      const host = await open(t, {
        'claim.js': `
          var n = V8.Db.FromSql("update tenant_member set Shop = @me where Id = 'm1' and Shop = 's1'")
            .AddInParameter('@me', V8.Param.Me).ExecuteNonQuery();
          return { Code: 1, Data: n === 1 };
        `,
      });
      const answers = await Promise.all([run(host, 'claim', { Me: 'a' }), run(host, 'claim', { Me: 'b' })]);
      assert.deepEqual(answers.map(({ Data }) => Data).sort(), [false, true]);
    });

    it('commits DbTrans by the result alone, whatever the script calls on it', async (t) => {
      const host = await open(t, {
        'transaction.js': `
          V8.DbTrans.FromSql("update tenant_member set Score = 100 where Id = 'm1'").ExecuteNonQuery();
          if (V8.Param.Fail) { V8.DbTrans.Commit(); return { Code: 0, Msg: 'no' }; }
          V8.DbTrans.Rollback();
          V8.DbTrans.Close();
          return { Code: 1, Data: V8.DbTrans.FromSql("select Score from tenant_member where Id = 'm1'").ToInt() };
        `,
      });
      const score = async () => (await host.rows('tenant_member')).find(({ Id }) => Id === 'm1')?.Score;
      assert.equal((await run(host, 'transaction', { Fail: true })).Code, 0);
      assert.equal(await score(), 5);
      assert.equal((await run(host, 'transaction')).Data, 100);
      assert.equal(await score(), 100);
      await eventually(async () => {
        const log = await host.rows('sys_log');
        const warnings = log.filter(({ Content }) => String(Content).startsWith('V8.DbTrans.'));
        assert.deepEqual(warnings.map(({ Content }) => String(Content).slice(0, 20)).sort(), [
          'V8.DbTrans.Commit():',
          'V8.DbTrans.Rollback(',
        ]);
      });
    });

    it('joins everything of a message: what failed leaves nothing, and reads see the run itself', async (t) => {
      const host = await open(t, {
        'score.js': `/**
          * @queue score
          */
          V8.Db.FromSql("insert into tenant_member (Id, Account, Score) values (@id, 'new', 1)").AddInParameter('@id', V8.Param.EventId).ExecuteNonQuery();
          var seen = V8.DbRead.FromSql('select count(*) from tenant_member where Id = @id').AddInParameter('@id', V8.Param.EventId).ToInt();
          return V8.Param.Message.Message.Fail || seen !== 1 ? { Code: 0, Msg: 'failed, seen ' + seen } : { Code: 1 };
        `,
      });
      await host.host.start();
      await host.send('score', 'bad', { Fail: true });
      await host.send('score', 'good', {});
      await eventually(async () => {
        const ids = (await host.rows('tenant_member')).map(({ Id }) => Id);
        assert.ok(ids.includes('good') && !ids.includes('bad'), ids.join());
      });
    });

    it('throws a failure as an error that can be caught, and ends a run that does not catch it', async (t) => {
      const host = await open(t, {
        'caught.js': `
          var codes = [];
          var texts = ['drop table tenant_member', 'select * from nothing_here', 'select @@version', 'select @x'];
          for (var i = 0; i < texts.length; i++) {
            try { V8.Db.FromSql(texts[i]).ToArray(); } catch (e) { codes.push(e instanceof Error && e.Code === 0 && e.ReasonCode); }
          }
          try { V8.Db.FromSql("insert into tenant_member (Id) values ('m1')").ExecuteNonQuery(); } catch (e) { codes.push(e.ReasonCode); }
          return { Code: 1, Data: codes };
        `,
        'uncaught.js': `V8.Db.FromSql('commit').ExecuteNonQuery(); return { Code: 1 };`,
      });
      assert.deepEqual((await run(host, 'caught')).Data, [
        'SQL_REFUSED',
        'DB_STATEMENT',
        'SQL_REFUSED',
        'PARAM_MISSING',
        'ROW_NOT_UNIQUE',
      ]);
      await assert.rejects(run(host, 'uncaught'), /SCRIPT_THREW|only SELECT, INSERT/);
    });

    it('verifies a signed callback, takes it once and answers with a bare word', async (t) => {
      const host = await open(t, {
        'callback.js': `
          var p = V8.Param;
          var names = Object.keys(p).filter(function (k) { return k !== 'sign'; }).sort();
          var text = names.map(function (k) { return k + '=' + p[k]; }).join('&');
          if (V8.EncryptHelper.HmacSha256(text, 'k3y') !== p.sign) return 'fail';
          var n = V8.Db.FromSql("insert ignore into tenant_member (Id, Account, Score) values (@id, 'paid', @n)")
            .AddInParameter('@id', p.order).AddInParameter('@n', p.amount).ExecuteNonQuery();
          V8.Db.FromSql("update tenant_member set Score = Score + 1 where Id = 'm2' and @n = 1").AddInParameter('@n', n).ExecuteNonQuery();
          return 'success';
        `,
        'sign.js': `return V8.EncryptHelper.HmacSha256(V8.Param.Text, 'k3y');`,
      });
      const sign = await run(host, 'sign', { Text: 'amount=12&order=o-1' });
      assert.equal(await run(host, 'callback', { order: 'o-1', amount: 13, sign }), 'fail');
      for (const _ of [1, 2]) assert.equal(await run(host, 'callback', { order: 'o-1', amount: 12, sign }), 'success');
      const rows = await host.rows('tenant_member');
      assert.deepEqual(
        rows
          .filter(({ Id }) => Id === 'o-1' || Id === 'm2')
          .map(({ Score }) => Score)
          .sort((a, b) => Number(a) - Number(b)),
        [8, 12],
      );
    });
  });
}
