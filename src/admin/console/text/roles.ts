import { defineText } from './text.ts';

/** Roles, as people call them. */
export const ROLE_NAMES = defineText(
  { admin: '管理员', developer: '开发', designer: '设计', operator: '运维', viewer: '只读' },
  { admin: 'admin', developer: 'developer', designer: 'designer', operator: 'operator', viewer: 'viewer' },
);
