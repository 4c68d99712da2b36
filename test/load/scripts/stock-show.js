/** Tells how much of an article is there. */
var stock = V8.FormEngine.GetFormData('plant_stock', { _Where: [['Sku', '=', V8.Param.Sku]] });
if (stock.Code !== 1) return stock;
return { Code: 1, Data: stock.Data.Stock };
