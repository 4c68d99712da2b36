/** Debian's Chromium on the console of a started product. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import { ensurePrograms } from './services/packages.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Findings that keep people from using a page. */
const SERIOUS = ['serious', 'critical'];

/** How somebody looks at the console. */
export interface Screen {
  readonly width: number;
  readonly locale: 'zh-CN' | 'en-GB';
  readonly isDark?: boolean;
}

/** Installs the browser and a Chinese font where we may, and starts it. */
export async function startBrowser(t: { after(end: () => Promise<void>): void }): Promise<Browser> {
  await ensurePrograms('chromium', 'chinese');
  // Tests run as root in containers, where the browser's own sandbox does not start.
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  t.after(() => browser.close());
  return browser;
}

/** A page of somebody's own that remembers everything the browser complained of. */
export class ConsolePage {
  readonly page: Page;
  readonly complaints: string[] = [];
  readonly #base: string;

  private constructor(page: Page, base: string) {
    this.page = page;
    this.#base = base;
    page.on('pageerror', (error) => this.complaints.push(String(error.stack ?? error)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text());
    });
  }

  /** @param base URL of the host. */
  static async open(browser: Browser, base: string, screen: Screen): Promise<ConsolePage> {
    const { width, locale, isDark = false } = screen;
    const context: BrowserContext = await browser.newContext({
      viewport: { width, height: 800 },
      locale,
      colorScheme: isDark ? 'dark' : 'light',
    });
    context.setDefaultTimeout(20_000);
    const page = new ConsolePage(await context.newPage(), base);
    await page.page.goto(base);
    return page;
  }

  /** Logs in with a token by keyboard alone: from the choice of a way with Tab into the field. */
  async logIn(token: string): Promise<void> {
    await this.page.locator('input[value=person]').focus();
    await this.page.keyboard.press('ArrowRight');
    await this.page.keyboard.press('Tab');
    await this.page.keyboard.type(token);
    await this.page.keyboard.press('Enter');
    await this.page.locator('#content h1').waitFor();
  }

  /** Goes to a page of a tenant, such as `dead-letters`, and waits until it shows what it read. */
  async visit(path: string, tenant = 'demo'): Promise<void> {
    await this.page.goto(`${this.#base}/#/t/${tenant}/${path}`);
    await this.page.locator('#content h1').waitFor();
    await eventually(
      async () => assert.equal(await this.page.locator('#content .el-skeleton').count(), 0, path),
      20_000,
    );
  }

  /** Nothing that keeps people away, nothing wider than the screen. */
  async assertUsable(what: string): Promise<void> {
    // What fades in or out has, on its way, too little contrast for anybody; what changes next may begin to fade late.
    await eventually(async () => assert.deepEqual(await this.#seriousFindings(), [], what), 5_000);
    const surplus = await this.page.evaluate('document.documentElement.scrollWidth - innerWidth');
    assert.equal(surplus, 0, `${what} is wider than the screen`);
  }

  /** What axe finds once everything that moves has come to rest. */
  async #seriousFindings(): Promise<string[]> {
    await this.page.evaluate(
      'Promise.allSettled(document.getAnimations().filter((each) => each.effect.getTiming().iterations !== Infinity).map((each) => each.finished))',
    );
    await this.page.evaluate(AXE);
    const findings: Finding[] = await this.page.evaluate(async () => {
      // biome-ignore lint/suspicious/noExplicitAny: axe puts itself into the page
      return (await (globalThis as any).axe.run()).violations;
    });
    return findings
      .filter(({ impact }) => SERIOUS.includes(impact))
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  }
}

/** What axe says is wrong, and where. */
interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}
