import 'element-plus/dist/index.css';
import 'element-plus/theme-chalk/dark/css-vars.css';
import './theme.css';
import { createApp } from 'vue';
import App from './app.vue';
import { router } from './router.ts';
import { resumeLogin } from './session.ts';
import { guardUnsaved } from './unsaved.ts';

guardUnsaved(router);
await resumeLogin();
const app = createApp(App).use(router);
// Else the first page shown would be that of no tenant, which leads away from the address that was opened.
await router.isReady();
app.mount('#app');
