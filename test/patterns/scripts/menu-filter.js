/**
 * For each row that a reader gets: code that may be Base64 is decoded, and rows of one owner are counted.
 *
 * @engineKey menu-filter
 */
V8.Form.Code = V8.Base64.Base64ToString(V8.Form.Code || '');
V8.CacheData.owners = V8.CacheData.owners || {};
V8.CacheData.owners[V8.Form.Owner] = (V8.CacheData.owners[V8.Form.Owner] || 0) + 1;
V8.Form.OfOwner = V8.CacheData.owners[V8.Form.Owner];
V8.Form.Row = V8.RowIndex;
