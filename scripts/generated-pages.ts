import { renderConfigurationPage } from '../src/config/render-docs.ts';
import { renderCompatibilityPage } from './compatibility-page.ts';
import { renderErrorsPage } from './errors-page.ts';
import { renderLimitsPage } from './limits-page.ts';

/** A page of the documentation that is made from the code. To add one, write its `render` and list it here. */
export interface GeneratedPage {
  /** From the root of the repository. */
  readonly path: string;
  /** The whole Markdown text, ending in a line feed. */
  readonly render: () => string;
}

export const GENERATED_PAGES: readonly GeneratedPage[] = [
  { path: 'docs/errors.md', render: renderErrorsPage },
  { path: 'docs/limits.md', render: () => renderLimitsPage('en') },
  { path: 'docs/limits.zh-CN.md', render: () => renderLimitsPage('zh') },
  { path: 'docs/configuration.md', render: () => renderConfigurationPage('en') },
  { path: 'docs/configuration.zh-CN.md', render: () => renderConfigurationPage('zh') },
  { path: 'docs/compatibility.md', render: () => renderCompatibilityPage('en') },
  { path: 'docs/compatibility.zh-CN.md', render: () => renderCompatibilityPage('zh') },
];
