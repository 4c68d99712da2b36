import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:4rem auto;padding:0 1rem;color:#1f2933}
label{display:block;margin:1rem 0 .25rem}input{width:100%;padding:.5rem;font:inherit;box-sizing:border-box}
button{margin-top:1.5rem;padding:.6rem 1.2rem;font:inherit}output{display:block;margin-top:1rem;white-space:pre-wrap}`;

/** The code stands behind the `#`, which browsers send to nobody: no log and no proxy sees it. */
const SCRIPT = `
const form = document.querySelector('form');
const say = (text) => { document.querySelector('output').textContent = text; };
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const field = (name) => form.elements[name].value;
  if (field('password') !== field('again')) return say('两次输入的密码不同 / The passwords differ');
  const body = { code: location.hash.slice(1), account: field('account'), name: field('name'), password: field('password') };
  try {
    const response = await fetch('/api/v1/setup', {
      method: 'POST',
      headers: { 'content-type': 'application/json', lang: /^zh/i.test(navigator.language) ? 'zh' : 'en' },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (answer.Code !== 1) return say(answer.Msg);
    form.hidden = true;
    history.replaceState(null, '', location.pathname);
    say('管理员已建立。\\nThe administrator was made.');
    document.querySelector('a').hidden = false;
  } catch {
    say('连接不到主机 / The host cannot be reached');
  }
});
`;

const PAGE = `<!doctype html>
<html lang="zh"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>v8-engine-host</title><style>${STYLE}</style>
<h1>第一个管理员<br><small lang="en">The first administrator</small></h1>
<form>
<label for="account">账号 <span lang="en">Account</span></label><input id="account" name="account" required autocomplete="username">
<label for="name">姓名 <span lang="en">Name</span></label><input id="name" name="name" autocomplete="name">
<label for="password">密码，至少 10 个字符 <span lang="en">Password, 10 characters or more</span></label>
<input id="password" name="password" type="password" required minlength="10" autocomplete="new-password">
<label for="again">再次输入密码 <span lang="en">Password again</span></label>
<input id="again" name="again" type="password" required autocomplete="new-password">
<button>建立 <span lang="en">Make</span></button>
</form><output aria-live="polite"></output>
<p><a href="/" hidden>用账号和密码登录 <span lang="en">Log in by account and password</span></a></p>
<script>${SCRIPT}</script>
</html>
`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing runs in the page but its own script, and it speaks to its own host only. */
const POLICY = [
  "default-src 'none'",
  `script-src ${hashOf(SCRIPT)}`,
  `style-src ${hashOf(STYLE)}`,
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `GET /setup`: where the one-time link of the first start leads. The page is the same with and without a good code. */
export function addSetupPage(server: FastifyInstance): void {
  server.get('/setup', async (_request, reply) => {
    reply.header('content-type', 'text/html; charset=utf-8');
    reply.header('content-security-policy', POLICY);
    return PAGE;
  });
}
