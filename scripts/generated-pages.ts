import { renderConfigurationPage } from '../src/config/render-docs.ts';
import { renderCompatibilityPage } from './compatibility-page.ts';
import { renderErrorsPage } from './errors-page.ts';
import { renderLimitsPage } from './limits-page.ts';
import { renderPlatformFaultsPage } from './platform-faults-page.ts';
import { renderResultsPage } from './results/results-page.ts';

/** A page of the documentation that is made from the code. To add one, write its `render` and list it here. */
export interface GeneratedPage {
  /** From the root of the repository. */
  readonly path: string;
  /** The whole Markdown text, ending in a line feed. */
  readonly render: () => string;
}

export const GENERATED_PAGES: readonly GeneratedPage[] = [
  { path: 'docs/errors.md', render: () => renderErrorsPage('en') },
  { path: 'docs/errors.zh-CN.md', render: () => renderErrorsPage('zh') },
  { path: 'docs/limits.md', render: () => renderLimitsPage('en') },
  { path: 'docs/limits.zh-CN.md', render: () => renderLimitsPage('zh') },
  { path: 'docs/configuration.md', render: () => renderConfigurationPage('en') },
  { path: 'docs/configuration.zh-CN.md', render: () => renderConfigurationPage('zh') },
  { path: 'docs/compatibility.md', render: () => renderCompatibilityPage('en') },
  { path: 'docs/compatibility.zh-CN.md', render: () => renderCompatibilityPage('zh') },
  { path: 'docs/platform-faults.md', render: () => renderPlatformFaultsPage('en') },
  { path: 'docs/platform-faults.zh-CN.md', render: () => renderPlatformFaultsPage('zh') },
  { path: 'docs/results.md', render: () => renderResultsPage('en') },
  { path: 'docs/results.zh-CN.md', render: () => renderResultsPage('zh') },
];
