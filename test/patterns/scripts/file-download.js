/**
 * Hands a file of another server on, as it is, under a name of its own.
 *
 * @engineKey file-download
 * @anonymous
 * @response file
 */
var response = V8.Http.GetResponse({ Url: V8.Param.Url });
if (response.StatusCode !== 200) return { Code: 0, Msg: 'no file: ' + response.StatusCode };
return {
  Code: 1,
  Data: {
    FileName: V8.Param.Name,
    ContentType: V8.Param.Type,
    FileByteBase64: System.Convert.ToBase64String(response.RawBytes)
  }
};
