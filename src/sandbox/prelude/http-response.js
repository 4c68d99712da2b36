// Responses of V8.Http have `RawBytes`: made at the first look, because few scripts look. Where the text is the body in
// UTF-8 the host sends no bytes beside it; else they come as Base64 (v8-api/http.ts).
(function defineHttpResponse(kit) {
  const http = kit.familyAt('Http');
  const members = kit.keys(http);
  for (let i = 0; i < members.length; i++) {
    const name = members[i];
    if (kit.slice(name, -8) === 'Response') http[name] = kit.publicFunction(name, callForBytes, http[name]);
    if (kit.slice(name, -13) === 'ResponseAsync') http[name] = kit.publicFunction(name, callForBytesAsync, http[name]);
  }

  function callForBytes(call, ...values) {
    return withBytes(kit.apply(call, undefined, values));
  }

  // `await` takes a promise of ours without asking a `then` that a script may have replaced.
  async function callForBytesAsync(call, ...values) {
    return withBytes(await kit.apply(call, undefined, values));
  }

  // A call that could not be sent answers a DosResult, which has no StatusCode.
  function withBytes(answer) {
    if (!kit.hasOwn(answer, 'StatusCode')) return answer;
    const base64 = kit.hasOwn(answer, 'RawBytes') ? answer.RawBytes : undefined;
    const body = { __proto__: null, base64, text: answer.Content, bytes: undefined };
    kit.defineHiddenGetter(answer, 'RawBytes', kit.publicFunction('RawBytes', bytesOf, body));
    return answer;
  }

  function bytesOf(body) {
    body.bytes ??= body.base64 === undefined ? kit.encodeUtf8(body.text) : kit.fromBase64(body.base64);
    return body.bytes;
  }
});
