import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createPasswordHasher } from '../../../src/adapters/system/password-hasher.ts';

const hasher = createPasswordHasher();

it('passwords are kept as salted argon2id and recognised by it', async () => {
  const [one, two] = await Promise.all([hasher.hash('密码 and more'), hasher.hash('密码 and more')]);
  assert.match(one ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[^$=]{22}\$[^$=]{43}$/);
  assert.notEqual(one, two);
  assert.equal(await hasher.verify('密码 and more', one), true);
  assert.equal(await hasher.verify('密码 and more ', one), false);
  assert.equal(await hasher.verify('密码 and more', undefined), false);
  assert.equal(await hasher.verify('密码 and more', 'plain text'), false);
});

it('a hash of another program is read: the vector of the reference implementation', async () => {
  const reference = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  assert.equal(await hasher.verify('password', reference), true);
  assert.equal(hasher.isOutdated(reference), true);
  assert.equal(hasher.isOutdated(await hasher.hash('x')), false);
});
