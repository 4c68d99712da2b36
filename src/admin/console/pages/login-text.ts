import { defineText } from '../text/text.ts';

export const LOGIN = defineText(
  {
    byPerson: '账号登录',
    byToken: '令牌登录',
    tenant: '租户（空为主租户）',
    account: '账号',
    password: '密码',
    first: '还没有账号？首次启动时主机会打印一个链接，用来建立第一个管理员。',
    token: '访问令牌',
    where: '主机令牌在 DATA_DIR/admin.token（默认 ./data/admin.token）中；也可以用某个租户的令牌。',
    submit: '登录',
    empty: '请填写完整',
    overTitle: '登录已结束',
    over: '请重新登录后继续；未保存的内容仍在这里。换一个账号登录则会放弃它。',
    giveUp: '放弃未保存的内容',
  },
  {
    byPerson: 'By account',
    byToken: 'By token',
    tenant: 'Tenant (empty: the main one)',
    account: 'Account',
    password: 'Password',
    first: 'No account yet? At its first start the host prints a link that makes the first administrator.',
    token: 'Access token',
    where: 'The host’s token is in DATA_DIR/admin.token (./data/admin.token by default); a key of a tenant works, too.',
    submit: 'Log in',
    empty: 'Fill in every field',
    overTitle: 'The login has ended',
    over: 'Log in again to go on: what you have not saved is still here. Another account begins anew.',
    giveUp: 'Give up what is not saved',
  },
);
