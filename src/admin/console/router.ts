import { createRouter, createWebHashHistory } from 'vue-router';
import AuditPage from './pages/audit-page.vue';
import BindingsPage from './pages/bindings-page.vue';
import DeadLetterPage from './pages/dead-letter-page.vue';
import DeadLettersPage from './pages/dead-letters-page.vue';
import DeliveriesPage from './pages/deliveries-page.vue';
import DevicesPage from './pages/devices-page.vue';
import EnginePage from './pages/engine-page.vue';
import EnginesPage from './pages/engines-page.vue';
import KeysPage from './pages/keys-page.vue';
import LimitsPage from './pages/limits-page.vue';
import LogsPage from './pages/logs-page.vue';
import OutboxPage from './pages/outbox-page.vue';
import OverviewPage from './pages/overview-page.vue';
import SettingsPage from './pages/settings-page.vue';
import StoryPage from './pages/story-page.vue';
import TenantsPage from './pages/tenants-page.vue';
import UsersPage from './pages/users-page.vue';

/** Every page belongs to a tenant, so that a link says whose things it shows. The hash keeps paths out of the host's. */
export const router = createRouter({
  history: createWebHashHistory(),
  routes: [
    { path: '/', component: OverviewPage },
    { path: '/t/:tenant/overview', name: 'overview', component: OverviewPage },
    { path: '/t/:tenant/dead-letters', name: 'deadLetters', component: DeadLettersPage },
    { path: '/t/:tenant/dead-letters/:eventId', name: 'deadLetter', component: DeadLetterPage },
    { path: '/t/:tenant/deliveries', name: 'deliveries', component: DeliveriesPage },
    { path: '/t/:tenant/events/:eventId', name: 'story', component: StoryPage },
    { path: '/t/:tenant/engines', name: 'engines', component: EnginesPage },
    { path: '/t/:tenant/engines/:key', name: 'engine', component: EnginePage },
    { path: '/t/:tenant/bindings', name: 'bindings', component: BindingsPage },
    { path: '/t/:tenant/devices', name: 'devices', component: DevicesPage },
    { path: '/t/:tenant/logs', name: 'logs', component: LogsPage },
    { path: '/t/:tenant/outbox', name: 'outbox', component: OutboxPage },
    { path: '/t/:tenant/limits', name: 'limits', component: LimitsPage },
    { path: '/t/:tenant/settings', name: 'settings', component: SettingsPage },
    { path: '/t/:tenant/users', name: 'users', component: UsersPage },
    { path: '/t/:tenant/keys', name: 'keys', component: KeysPage },
    { path: '/t/:tenant/audit', name: 'audit', component: AuditPage },
    { path: '/t/:tenant/tenants', name: 'tenants', component: TenantsPage },
    { path: '/:rest(.*)', redirect: '/' },
  ],
});
