import type { SeededRandom } from '../support/random.ts';

/** A message of the plan. `eventId` is what its effect is counted by. */
export interface Order {
  readonly queue: string;
  readonly eventId: string;
  readonly copies: number;
  readonly message: unknown;
}

/** Queues of the orders, with the pieces of stock that one order takes. */
const STOCK_PER_ORDER: Readonly<Record<string, number>> = {
  'chaos.reserve': 1,
  'chaos.careless': 0,
  'chaos.left': 2,
  'chaos.right': 2,
};

/** Orders over every queue, a third of them sent two or three times. */
export function planOrders(count: number, random: SeededRandom): Order[] {
  const queues = Object.keys(STOCK_PER_ORDER);
  return Array.from({ length: count }, (_, i) => ({
    queue: queues[i % queues.length] as string,
    eventId: `order-${i}`,
    copies: i % 3 === 0 ? random.between(2, 3) : 1,
    message: { Sku: random.pick(['A', 'B']), Number: i },
  }));
}

/** Messages of several chains, each with its numbers in their order; a tenth is sent twice. */
export function planChains(count: number, chains: number, random: SeededRandom): Order[][] {
  return Array.from({ length: chains }, (_, chain) =>
    Array.from({ length: Math.ceil(count / chains) }, (_, i) => ({
      queue: 'chaos.ordered',
      eventId: `chain-${chain}-${i + 1}`,
      copies: random.next() < 0.1 ? 2 : 1,
      message: { Chain: `c${chain}`, Number: i + 1 },
    })),
  );
}

/** Messages that can never succeed: they hang, crash their process or throw. */
export function planPoison(count: number): Order[] {
  return Array.from({ length: count }, (_, i) => ({
    queue: 'chaos.poison',
    eventId: `poison-${i}`,
    copies: 1,
    message: { Kind: ['loop', 'crash', 'throw'][i % 3] },
  }));
}

export function copiesOf(order: Order): Order[] {
  return Array.from({ length: order.copies }, () => order);
}

/** Pieces of stock that all orders together take when each has its effect once. */
export function expectedStock(orders: readonly Order[]): number {
  return orders.reduce((sum, order) => sum + (STOCK_PER_ORDER[order.queue] ?? 0), 0);
}
