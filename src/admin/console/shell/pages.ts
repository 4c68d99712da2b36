import {
  Connection,
  Cpu,
  DataLine,
  Document,
  Key,
  List,
  Monitor,
  Notebook,
  Odometer,
  OfficeBuilding,
  Promotion,
  Setting,
  User,
  WarningFilled,
} from '@element-plus/icons-vue';
import type { Component } from 'vue';
import type { Permission } from '../../../core/access.ts';
import type { SHELL } from './shell-text.ts';

interface MenuPage {
  /** That of the route. */
  readonly name: keyof typeof SHELL.en.pages;
  readonly icon: Component;
  /** Without it the page would show a refusal, so it is not offered. */
  readonly needs: Permission;
}

/** The pages of the menu, in its order. */
export const PAGES: readonly MenuPage[] = [
  { name: 'overview', icon: DataLine, needs: 'record.read' },
  { name: 'deadLetters', icon: WarningFilled, needs: 'record.read' },
  { name: 'deliveries', icon: List, needs: 'record.read' },
  { name: 'engines', icon: Document, needs: 'record.read' },
  { name: 'bindings', icon: Connection, needs: 'record.read' },
  { name: 'devices', icon: Cpu, needs: 'record.read' },
  { name: 'logs', icon: Monitor, needs: 'content.read' },
  { name: 'outbox', icon: Promotion, needs: 'record.read' },
  { name: 'limits', icon: Odometer, needs: 'record.read' },
  { name: 'settings', icon: Setting, needs: 'settings.read' },
  { name: 'users', icon: User, needs: 'user.manage' },
  { name: 'keys', icon: Key, needs: 'key.manage' },
  { name: 'audit', icon: Notebook, needs: 'audit.read' },
  { name: 'tenants', icon: OfficeBuilding, needs: 'tenant.list' },
];
