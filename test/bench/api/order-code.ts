/** What both sides run: checks an order and totals it, as an engine behind a form does. A function body with `V8`. */
export const ORDER_CODE = `
var order = V8.Param;
if (!order.Customer || !Array.isArray(order.Lines) || order.Lines.length === 0) {
  return { Code: 0, Msg: 'customer and lines are needed' };
}
var total = 0, weight = 0, bySku = {};
for (var i = 0; i < order.Lines.length; i++) {
  var line = order.Lines[i];
  if (!(line.Qty > 0) || !(line.Price >= 0)) return { Code: 0, Msg: 'line ' + (i + 1) + ' is wrong' };
  var amount = Math.round(line.Qty * line.Price * 100) / 100;
  total += amount;
  weight += line.Qty * (line.Weight || 0);
  bySku[line.Sku] = (bySku[line.Sku] || 0) + line.Qty;
}
var discount = total > 1000 ? 0.05 : 0;
return { Code: 1, Data: {
  Customer: order.Customer, Lines: order.Lines.length, Skus: Object.keys(bySku).sort(),
  Total: Math.round(total * (1 - discount) * 100) / 100, Weight: weight,
} };
`;

const LINES = Array.from({ length: 20 }, (_, i) => ({
  Sku: `P-${i % 7}`,
  Qty: 1 + (i % 5),
  Price: 9.9 + i,
  Weight: 0.2,
}));

/** The request of both, about 1 KB. */
export const ORDER = JSON.stringify({ Customer: '上海工厂', Lines: LINES });

/** What both answer. */
export const ANSWER = (new Function('V8', ORDER_CODE) as (v8: { Param: unknown }) => unknown)({
  Param: JSON.parse(ORDER),
});
