import { DEAD_LETTER_DOCS } from './docs/dead-letter-docs.ts';
import { ENGINE_DOCS } from './docs/engine-docs.ts';
import { ENGINE_VERSION_DOCS } from './docs/engine-version-docs.ts';
import { HOST_DOCS } from './docs/host-docs.ts';
import { MESSAGE_DOCS } from './docs/message-docs.ts';
import { MQTT_DOCS } from './docs/mqtt-docs.ts';
import { OUTBOX_DOCS } from './docs/outbox-docs.ts';
import { PEOPLE_DOCS } from './docs/people-docs.ts';
import { SECRET_DOCS } from './docs/secret-docs.ts';
import { TENANT_SETTING_DOCS } from './docs/tenant-setting-docs.ts';
import type { RouteDocs } from './route-doc.ts';

/** What the description says of each route, in the order in which a newcomer would try them. */
export const ROUTE_DOCS: RouteDocs = {
  ...PEOPLE_DOCS,
  ...HOST_DOCS,
  ...SECRET_DOCS,
  ...TENANT_SETTING_DOCS,
  ...ENGINE_DOCS,
  ...ENGINE_VERSION_DOCS,
  ...MESSAGE_DOCS,
  ...OUTBOX_DOCS,
  ...DEAD_LETTER_DOCS,
  ...MQTT_DOCS,
};
