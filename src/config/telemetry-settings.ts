/** `telemetry.*` */
import * as z from 'zod';
import { bilingual } from '../core/bilingual.ts';
import { isHeaderName, isHeaderValue } from '../core/outbound-credential.ts';
import { Secret } from './secret.ts';
import { setting } from './setting-doc.ts';

/** Tokens belong into the headers, which are kept secret. */
const COLLECTOR = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:\/\/[^/?#@\s]+(\/[^?#@\s]*)?$/.test(text), {
    error: bilingual(
      '形如 http://collector:4318，不含用户名、密码和查询参数',
      'such as http://collector:4318, without user, password and query',
    ),
  });

/** Values are secrets: they are checked here and never printed. */
const HEADERS = z
  .record(
    z.string().refine(isHeaderName, { error: bilingual('须为 HTTP 头名称', 'the name of an HTTP header') }),
    z.string().refine(isHeaderValue, { error: bilingual('须为 HTTP 头的值', 'the value of an HTTP header') }),
  )
  .transform((headers) => new Secret(JSON.stringify(headers)));

export const TELEMETRY_SETTINGS = z
  .strictObject({
    otlpUrl: setting(COLLECTOR.optional(), {
      zh: 'OpenTelemetry 收集器的 OTLP/HTTP 地址，如 http://collector:4318；主机向它的 /v1/traces 发送追踪。不设置时不发送。见 traces.zh-CN.md。',
      en: 'OTLP/HTTP address of an OpenTelemetry collector, such as http://collector:4318; traces are posted to its /v1/traces. Without it none are. See traces.md.',
      computedDefault: { zh: '不发送追踪', en: 'no traces' },
    }),
    otlpHeaders: setting(HEADERS.default(new Secret('{}')), {
      zh: '随每次发送的 HTTP 头，如 {"authorization": "Bearer …"}。环境变量中为 JSON。',
      en: 'Headers of each post, such as {"authorization": "Bearer …"}. JSON in the environment.',
      secret: true,
    }),
    sampleRatio: setting(z.number().min(0).max(1).default(1), {
      zh: '由本主机开始的追踪中发送的比例；别处开始的追踪按其调用方的决定。0 表示一律不发送。',
      en: 'Share of the traces beginning here that are sent; one that began elsewhere follows its caller. With 0 none are.',
    }),
    serviceName: setting(z.string().min(1).max(100).default('v8host'), {
      zh: '追踪中的 service.name。',
      en: 'service.name of the traces.',
    }),
  })
  .prefault({});
