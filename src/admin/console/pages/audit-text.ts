import { defineText } from '../text/text.ts';

export const AUDIT = defineText(
  {
    title: '操作记录',
    about: '谁在什么时候改了什么，最新的在前。密码和密钥不会出现在这里。',
    action: '操作，如 user.changed',
    target: '对象',
    actor: '操作者',
    emptyTitle: '没有符合条件的记录',
    empty: '修改接口引擎、用户、密钥或设置后会出现在这里；清空筛选条件可查看全部。',
    columns: { at: '时间', actorName: '操作者', action: '操作', target: '对象', change: '修改' },
    show: '查看',
    before: '之前',
    after: '之后',
  },
  {
    title: 'Changes',
    about: 'Who changed what and when, newest first. Passwords and keys are never in it.',
    action: 'Action, such as user.changed',
    target: 'Of what',
    actor: 'By whom',
    emptyTitle: 'No such changes',
    empty: 'Changes of engines, users, keys and settings come here; empty the filters to see all.',
    columns: { at: 'When', actorName: 'By', action: 'Action', target: 'Of', change: 'Change' },
    show: 'show',
    before: 'Before',
    after: 'After',
  },
);
