import * as z from 'zod';

/** What the documentation says about one setting. */
export interface SettingDoc {
  readonly zh: string;
  readonly en: string;
  /** Set where the default is worked out at start. */
  readonly computedDefault?: { readonly zh: string; readonly en: string };
  readonly secret?: true;
}

/** Documentation by schema. */
export const SETTING_DOCS = z.registry<SettingDoc>();

/** A setting with its documentation. */
export function setting<T extends z.ZodType>(schema: T, doc: SettingDoc): T {
  SETTING_DOCS.add(schema, doc);
  return schema;
}
