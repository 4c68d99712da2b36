import { startMariaDb } from '/work/main/test/support/services/mariadb.ts';
import { startRabbitMq } from '/work/main/test/support/services/rabbitmq.ts';
import { startRedis } from '/work/main/test/support/services/redis.ts';

const time = async (n, f) => {
  const t = Date.now();
  try {
    const r = await f();
    console.log(n, Date.now() - t, 'ms');
    return r;
  } catch (e) {
    console.log(n, 'FAILED', e.message);
  }
};
const r = await time('redis', () => startRedis());
const m = await time('mariadb', () => startMariaDb());
const q = await time('rabbit', () => startRabbitMq());
console.log(r?.url, m?.url, q?.url, q?.apiUrl, r?.pid, m?.pid, q?.pid);
if (m) {
  console.log(await m.sql('select version() v, user() u, @@character_set_server c'));
  await time('m kill', () => m.kill());
  await time('m start', () => m.start());
  await time('m stop', () => m.stop());
}
if (q) {
  console.log(await time('ctl', () => q.rabbitmqctl('list_users')));
  await time('q kill', () => q.kill());
  await time('q start', () => q.start());
  await time('q stop', () => q.stop());
  await time('q start', () => q.start());
}
if (process.argv[2]) setInterval(() => {}, 1000);
