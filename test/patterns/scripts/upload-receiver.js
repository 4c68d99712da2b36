/**
 * Takes uploaded files: each is sent to the store of the company and noted with its size.
 *
 * @engineKey upload-receiver
 * @anonymous
 */
var names = Object.keys(V8.FilesByteBase64);
if (names.length === 0) return { Code: 0, Msg: 'no file' };
for (var i = 0; i < names.length; i++) {
  var files = {};
  files[names[i]] = V8.FilesByteBase64[names[i]];
  var stored = V8.Http.PostResponse({ Url: V8.Param.Store + '/files', FilesByteBase64: files, PostParam: { Folder: V8.Param.Folder } });
  if (stored.StatusCode !== 200) return { Code: 0, Msg: names[i] + ': ' + stored.StatusCode };
  var size = System.Convert.FromBase64String(files[names[i]]).length;
  var noted = V8.FormEngine.AddFormData('upload', { Name: names[i], Size: size, Url: JSON.parse(stored.Content).url }, V8.DbTrans);
  if (noted.Code !== 1) return noted;
}
return { Code: 1, DataCount: names.length };
