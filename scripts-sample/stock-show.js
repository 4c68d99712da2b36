/**
 * 查看库存。由 HTTP、命令行或其他接口引擎调用。
 * Shows the stock of an article. Called over HTTP, by the CLI or by another engine:
 *   v8host run stock-show --param '{"Sku":"P-1"}'
 *
 * @apiName 查看库存 / stock
 */

if (!V8.Param.Sku) return { Code: 0, Msg: '缺少 Sku / Sku is missing' };

// 直接返回结果：Code 1 是这一行，Code 2 是没有这个商品。 The result as it is: Code 1 with the row, Code 2 without one.
return V8.FormEngine.GetFormData('shop_stock', {
  _Where: [['Sku', '=', V8.Param.Sku]],
  _SelectFields: ['Sku', 'Stock', 'UpdateTime']
});
