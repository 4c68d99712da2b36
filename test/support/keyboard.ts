/** Somebody who has a keyboard alone: goes by Tab to what they mean, and presses keys there. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

/** So many presses of Tab go around the longest page. */
const AROUND = 250;

export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Presses Tab until this has the focus, which has to be seen there. Fails when Tab never comes there. */
  async goTo(goal: Locator): Promise<void> {
    await goal.first().waitFor({ state: 'attached' });
    for (let presses = 0; presses < AROUND; presses++) {
      if (await this.#isAt(goal)) return;
      await this.#page.keyboard.press('Tab');
    }
    assert.fail(`Tab never comes to ${goal}`);
  }

  async press(goal: Locator, key = 'Enter'): Promise<void> {
    await this.goTo(goal);
    await this.#page.keyboard.press(key);
  }

  /** Replaces what stands in a field. */
  async type(goal: Locator, text: string): Promise<void> {
    await this.goTo(goal);
    await this.#page.keyboard.press('Control+A');
    await this.#page.keyboard.insertText(text);
  }

  /** Opens the menu of a phone and goes to a page. */
  async openPage(menu: string, name: string): Promise<void> {
    await this.press(this.#page.getByRole('button', { name: menu, exact: true }));
    await this.press(this.#page.getByRole('dialog').getByRole('link', { name, exact: true }));
    await this.#page.getByRole('dialog').waitFor({ state: 'hidden' });
  }

  #isAt(goal: Locator): Promise<boolean> {
    return goal.first().evaluate((element) => {
      const { activeElement } = element.ownerDocument;
      return activeElement !== null && element.contains(activeElement) && activeElement.matches(':focus-visible');
    });
  }
}
